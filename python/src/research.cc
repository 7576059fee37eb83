#include <pybind11/eigen.h>
#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "duets/base/error.h"
#include "duets/cli/evaluate_command.h"
#include "duets/cli/extensions.h"
#include "duets/cli/study_simulation.h"
#include "duets/harness/simulate.h"
#include "duets/harness/threads.h"
#include "duets/lab/algorithms.h"
#include "duets/lab/instance.h"
#include "duets/problems/problem.h"
#include "module.h"
#include "recorded.h"

namespace duets::python {
namespace {

/// A built-in function on its own space.
class Function {
 public:
  Function(const std::string& name, std::uint64_t seed)
      : problem_(
            problems::make_problem(name, {}, random::StudySecret::from_seed(seed).problem_coin())),
        domain_(cli::natural_domain(*problem_)) {}

  const problems::Problem& problem() const { return *problem_; }
  const domain::Domain& domain() const { return domain_; }

  /// At points in the space's own units: parameter values, a categorical's by its index.
  numeric::Vector values(const numeric::Points& points) const {
    numeric::Points latents = points;
    base::require(static_cast<std::size_t>(points.cols()) == domain_.dimension(), "points",
                  std::to_string(points.cols()) + " columns",
                  "must have " + std::to_string(domain_.dimension()));
    if (domain_.shape() == domain::Shape::kBox) {
      for (Eigen::Index i = 0; i < points.rows(); ++i) {
        for (Eigen::Index k = 0; k < points.cols(); ++k) {
          const auto& parameter = domain_.parameters()[static_cast<std::size_t>(k)];
          latents(i, k) = domain::latent_of(parameter, points(i, k));
          base::require(latents(i, k) >= 0 && latents(i, k) <= 1, parameter.name,
                        std::to_string(points(i, k)), "must be a value of the parameter");
        }
      }
    }
    const numeric::Points features = domain_.features(latents);
    numeric::Vector out(points.rows());
    problem_->values(features, {out.data(), static_cast<std::size_t>(out.size())});
    return out;
  }

 private:
  std::unique_ptr<problems::Problem> problem_;
  domain::Domain domain_;
};

class Rows final : public harness::Observer {
 public:
  explicit Rows(const domain::Domain& domain) : table_(domain), text_(table_.head()) {}
  void trial(const harness::Trial& trial) override {
    table_.append(text_, trial, trial.hole ? "hole" : "reward");
  }
  std::string take() { return std::move(text_); }

 private:
  harness::TrialTable table_;
  std::string text_;
};

std::shared_ptr<Recorded> simulated(const service::Definition& definition) {
  const harness::ThreadExecutor executor(harness::default_threads());
  const harness::Simulation simulation = cli::simulation_of(*definition.file, {});
  Rows rows(*definition.study->domain);
  harness::RunResult run = harness::simulate(simulation, executor, rows);
  return std::make_shared<Recorded>(definition, std::move(run), rows.take());
}

std::vector<std::tuple<lab::Curves, double, std::string>> played(
    const service::Definition& definition, const std::string& key, std::vector<double> betas) {
  const std::vector<lab::Algorithm> all = cli::all_algorithms({});
  const lab::Algorithm& algorithm = lab::find_algorithm(all, key);
  if (betas.empty()) betas.push_back(definition.study->beta);
  const lab::Instance instance = lab::make_instance(cli::simulation_of(*definition.file, {}));
  std::vector<std::tuple<lab::Curves, double, std::string>> found;
  for (const lab::Contender& contender : lab::contenders(algorithm, betas)) {
    found.emplace_back(contender.run(instance), contender.beta, contender.label());
  }
  return found;
}

}  // namespace

void bind_research(py::module_& module) {
  py::class_<Function>(module, "Function")
      .def(py::init<const std::string&, std::uint64_t>())
      .def("values", &Function::values, ReleaseGil())
      .def_property_readonly("name", [](const Function& f) { return f.problem().name(); })
      .def_property_readonly("maximum", [](const Function& f) { return f.problem().maximum(); })
      .def_property_readonly("maximum_is_numeric",
                             [](const Function& f) { return f.problem().maximum_is_numeric(); })
      .def_property_readonly("maximisers",
                             [](const Function& f) { return f.problem().maximisers(); })
      .def_property_readonly(
          "shape", [](const Function& f) { return std::string(base::name_of(f.domain().shape())); })
      .def_property_readonly("dimension", [](const Function& f) { return f.domain().dimension(); })
      .def_property_readonly("names",
                             [](const Function& f) { return f.domain().coordinate_names(); })
      .def_property_readonly("parameters",
                             [](const Function& f) { return f.domain().parameters(); });
  module.def("function_names", [] {
    std::vector<std::pair<std::string, std::string>> names;
    for (const problems::ProblemInfo& info : problems::problem_list()) {
      names.emplace_back(info.name, info.description);
    }
    return names;
  });
  module.def("algorithm_names", [] {
    std::vector<std::pair<std::string, std::string>> names;
    for (const lab::Algorithm& algorithm : cli::all_algorithms({})) {
      names.emplace_back(algorithm.key, algorithm.description);
    }
    return names;
  });
  py::class_<lab::Curves>(module, "Curves")
      .def_readonly("t", &lab::Curves::t)
      .def_readonly("regret", &lab::Curves::regret)
      .def("reals",
           [](const lab::Curves& curves, const std::string& ledger) {
             const auto found = base::named<lab::Ledger>(ledger);
             base::require(found.has_value(), "ledger", ledger,
                           "must be paper, figure, links, indices or literal");
             return curves.reals(*found);
           })
      .def_readonly("rounds", &lab::Curves::rounds)
      .def_readonly("recommendation_regret", &lab::Curves::recommendation_regret)
      .def_readonly("lost", &lab::Curves::lost);
  module.def("simulate", &simulated, ReleaseGil());
  module.def("play", &played, ReleaseGil());
}

}  // namespace duets::python
