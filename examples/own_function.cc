// Your own function, available to study files as builtin = "himmelblau":
//   own_function run examples/himmelblau.toml
//   own_function compare examples/himmelblau.toml
#include <memory>

#include "duets/cli/app.h"

namespace {

/// Himmelblau's function of the square [-5, 5]^2, negated and scaled; four maxima of 0.
///
/// It uses + - * / only, so its values are the same bits on every machine. With std::exp and the
/// like a run is still reproducible on one machine (duets/numeric/strict.h has strict ones).
class Himmelblau final : public duets::problems::Problem {
 public:
  Himmelblau() : Problem({.name = "himmelblau", .dimension = 2, .maximum = 0}) {}

 private:
  // x lies in the unit square.
  double evaluate(std::span<const double> x) const override {
    const double u = 10 * x[0] - 5;
    const double v = 10 * x[1] - 5;
    const double a = u * u + v - 11;
    const double b = u + v * v - 7;
    return -(a * a + b * b) / 100;
  }
};

}  // namespace

int main(int argc, char** argv) {
  const auto make = [](const duets::random::Coin&) { return std::make_unique<Himmelblau>(); };
  return duets::cli::run_app(
      argc, argv, {.functions = {{"himmelblau", "Himmelblau on [0,1]^2; maximum 0", make}}});
}
