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

constexpr std::array<Condition, 16> kConditions{{
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
    {.key = "mixed",
     .title = "floats, ints and categories",
     .functions = FunctionSet::kMixed,
     .continuous = true,
     .peers = true},
}};

// Only when they are named: these functions are looked at once.
constexpr std::array<Condition, 2> kHeldOut{{
    {.key = "held-out",
     .title = "2000 candidates, held-out functions",
     .functions = FunctionSet::kHeldOut,
     .max_runs = 0},
    {.key = "held-out-mixed",
     .title = "floats, ints and categories, held-out functions",
     .functions = FunctionSet::kHeldOutMixed,
     .continuous = true,
     .peers = true},
}};

std::vector<std::string> names_of(std::span<const problems::Formula> formulas) {
  std::vector<std::string> out;
  for (const problems::Formula& formula : formulas) out.emplace_back(formula.name);
  return out;
}

}  // namespace

std::span<const Condition> self_tuning_conditions() { return kConditions; }

const Condition& find_condition(std::string_view key) {
  std::vector<std::string_view> keys;
  for (const std::span<const Condition> group :
       {std::span<const Condition>(kConditions), std::span<const Condition>(kHeldOut)}) {
    for (const Condition& condition : group) {
      if (condition.key == key) return condition;
      keys.push_back(condition.key);
    }
  }
  base::refuse("condition", fmt::format("\"{}\"", key),
               fmt::format("must be one of {}", fmt::join(keys, ", ")));
}

std::vector<std::string> functions_of(const Condition& condition) {
  std::vector<std::string> out(paper_functions().begin(), paper_functions().end());
  switch (condition.functions) {
    case FunctionSet::kKnown: {
      const auto more = names_of(problems::development_functions());
      out.insert(out.end(), more.begin(), more.end());
      return out;
    }
    case FunctionSet::kStress:
      return {"h1", "branin", "hartmann4", "camel", "hartmann3", "levy4"};
    case FunctionSet::kContinuous:
      out.insert(out.end(), {"ackley2", "camel", "griewank3", "hartmann3", "levy4"});
      return out;
    case FunctionSet::kMixed:
      return names_of(problems::mixed_functions());
    case FunctionSet::kHeldOutMixed:
      return names_of(problems::held_out_mixed_functions());
    case FunctionSet::kHeldOut:
      break;
  }
  return names_of(problems::held_out_functions());
}

}  // namespace duets::lab
