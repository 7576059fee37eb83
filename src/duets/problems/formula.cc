#include "duets/problems/formula.h"

#include <algorithm>

namespace duets::problems {
namespace {

class FormulaProblem final : public Problem {
 public:
  explicit FormulaProblem(const Formula& formula)
      : Problem({.name = std::string(formula.name),
                 .dimension = formula.dimension,
                 .maximum = formula.maximum,
                 .maximisers = formula.maximisers,
                 .parameters = formula.parameters}),
        formula_(formula.formula),
        mean_(formula.mean),
        deviation_(formula.deviation) {}

 private:
  double evaluate(std::span<const double> x) const override {
    const auto& parameters = facts().parameters;
    const double value =
        parameters.empty() ? formula_(x) : formula_(domain::values_of_features(parameters, x));
    return (value - mean_) / deviation_;
  }

  double (*formula_)(std::span<const double>);
  double mean_;
  double deviation_;
};

}  // namespace

const Formula* find_formula(std::span<const Formula> formulas, std::string_view name) {
  const auto found = std::find_if(formulas.begin(), formulas.end(),
                                  [name](const Formula& f) { return f.name == name; });
  return found == formulas.end() ? nullptr : &*found;
}

std::unique_ptr<Problem> make_formula(const Formula& formula) {
  return std::make_unique<FormulaProblem>(formula);
}

}  // namespace duets::problems
