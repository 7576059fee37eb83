#include <fmt/format.h>

#include <array>

#include "duets/base/error.h"
#include "duets/lab/presets.h"
#include "duets/lab/self_tuning.h"
#include "duets/problems/development.h"
#include "duets/problems/held_out.h"
#include "duets/problems/held_out_mixed.h"
#include "duets/problems/mixed.h"

namespace duets::lab {
namespace {

constexpr std::array<Condition, 17> kConditions{{
    {.key = "finite",
     .title = "2000 candidates, N = 10, T = 50",
     .functions = FunctionSet::kKnown,
     .ingredients = true,
     .max_runs = 0},
    {.key = "units", .title = "rewards 1000 y + 50", .unit = 1000, .level = 50},
    {.key = "noise", .title = "noise of deviation 1", .noise = 1},
    {.key = "lengthscale-double", .title = "length scale twice too long", .lengthscale_factor = 2},
    {.key = "lengthscale-half", .title = "length scale half as long", .lengthscale_factor = 0.5},
    {.key = "agents-2", .title = "N = 2", .agents = 2},
    {.key = "agents-3", .title = "N = 3", .agents = 3},
    {.key = "agents-5", .title = "N = 5", .agents = 5},
    {.key = "agents-30", .title = "N = 30", .agents = 30},
    {.key = "agents-100", .title = "N = 100, T = 20", .agents = 100, .horizon = 20},
    {.key = "horizon-20", .title = "T = 20", .horizon = 20},
    {.key = "horizon-200", .title = "T = 200", .horizon = 200},
    {.key = "horizon-1000", .title = "T = 1000", .horizon = 1000},
    {.key = "horizon-5000", .title = "T = 5000", .horizon = 5000},
    {.key = "continuous",
     .title = "boxes and balls themselves",
     .functions = FunctionSet::kContinuous,
     .continuous = true},
    {.key = "peers",
     .title = "boxes and mixed spaces, noise 0.1, beside a batch GP",
     .functions = FunctionSet::kPeers,
     .noise = 0.1,
     .continuous = true,
     .peers = true},
    {.key = "categories",
     .title = "mixed spaces, 8 agents x 25 queries, noise 0.1",
     .functions = FunctionSet::kMixed,
     .agents = 8,
     .horizon = 25,
     .noise = 0.1,
     .continuous = true,
     .peers = true},
}};

// Not to be run while a setting is being chosen.
constexpr std::array<Condition, 3> kHeldOut{{
    {.key = "held-out",
     .title = "2000 candidates, held-out functions",
     .functions = FunctionSet::kHeldOut,
     .max_runs = 0},
    {.key = "held-out-peers",
     .title = "boxes and mixed spaces, noise 0.1, beside a batch GP, held-out functions",
     .functions = FunctionSet::kHeldOutPeers,
     .noise = 0.1,
     .continuous = true,
     .peers = true},
    {.key = "held-out-categories",
     .title = "mixed spaces, 8 agents x 25 queries, noise 0.1, held-out functions",
     .functions = FunctionSet::kHeldOutMixed,
     .agents = 8,
     .horizon = 25,
     .noise = 0.1,
     .continuous = true,
     .peers = true},
}};

std::vector<std::string> names_of(std::span<const problems::Formula> formulas) {
  std::vector<std::string> out;
  for (const problems::Formula& formula : formulas) out.emplace_back(formula.name);
  return out;
}

std::vector<std::string> joined(std::vector<std::string> names,
                                const std::vector<std::string>& more) {
  names.insert(names.end(), more.begin(), more.end());
  return names;
}

}  // namespace

std::span<const Condition> self_tuning_conditions() { return kConditions; }
std::span<const Condition> held_out_conditions() { return kHeldOut; }

const Condition& find_condition(std::string_view key) {
  std::vector<std::string_view> keys;
  for (const auto group : {self_tuning_conditions(), held_out_conditions()}) {
    for (const Condition& condition : group) {
      if (condition.key == key) return condition;
      keys.push_back(condition.key);
    }
  }
  base::refuse("condition", fmt::format("\"{}\"", key),
               fmt::format("must be one of {}", fmt::join(keys, ", ")));
}

std::vector<std::string> functions_of(const Condition& condition) {
  const std::vector<std::string> paper(paper_functions().begin(), paper_functions().end());
  switch (condition.functions) {
    case FunctionSet::kKnown:
      return joined(paper, names_of(problems::development_functions()));
    case FunctionSet::kStress:
      return {"h1", "branin", "hartmann4", "camel", "hartmann3", "levy4"};
    case FunctionSet::kContinuous:
      return joined(paper, {"ackley2", "camel", "griewank3", "hartmann3", "levy4"});
    case FunctionSet::kPeers:
      return joined(
          {"camel", "goldstein-price", "ackley2", "hartmann3", "griewank3", "hartmann4", "levy4",
           "rosenbrock4", "ackley5", "styblinski-tang5", "camel6", "michalewicz3"},
          names_of(problems::mixed_functions()));
    case FunctionSet::kMixed:
      return names_of(problems::mixed_functions());
    case FunctionSet::kHeldOutPeers:
      return joined(names_of(problems::held_out_functions()),
                    names_of(problems::held_out_mixed_functions()));
    case FunctionSet::kHeldOutMixed:
      return names_of(problems::held_out_mixed_functions());
    case FunctionSet::kHeldOut:
      break;
  }
  return names_of(problems::held_out_functions());
}

bool is_mixed(std::string_view function) {
  return problems::find_formula(problems::mixed_functions(), function) != nullptr ||
         problems::find_formula(problems::held_out_mixed_functions(), function) != nullptr;
}

}  // namespace duets::lab
