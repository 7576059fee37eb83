#include "duets/problems/problem.h"

#include <array>

#include "duets/base/error.h"
#include "duets/problems/development.h"
#include "duets/problems/draw.h"
#include "duets/problems/functions.h"
#include "duets/problems/held_out.h"
#include "duets/problems/held_out_mixed.h"
#include "duets/problems/mixed.h"
#include "duets/problems/rkhs.h"

namespace duets::problems {
namespace {

constexpr std::array<ProblemInfo, 7> kFirstProblems{{
    {"branin", "Branin, negated and rescaled, on [0,1]^2; three maxima of 1.0474"},
    {"hartmann4", "Hartmann in 4 dimensions, plain positive sum, on [0,1]^4; maximum 3.7298"},
    {"hartmann4-rescaled", "(Hartmann in 4 dimensions - 1.1) / 0.839 on [0,1]^4; maximum 3.1345"},
    {"hartmann6", "Hartmann in 6 dimensions on [0,1]^6; maximum 3.3224"},
    {"h1", "cos(3 x.theta) on the unit ball, theta random on the sphere; maximum 1"},
    {"h2", "(x.theta - 1)^3 + 4 on the unit ball, theta random on the sphere; maximum 4"},
    {"rkhs", "a random function of known RKHS norm, on the unit cube or ball"},
}};

// All formulas, in the order of the list.
std::array<std::span<const Formula>, 4> formula_groups() {
  return {development_functions(), mixed_functions(), held_out_functions(),
          held_out_mixed_functions()};
}

std::vector<ProblemInfo> all_problems() {
  std::vector<ProblemInfo> all(kFirstProblems.begin(), kFirstProblems.end());
  for (const auto group : formula_groups()) {
    for (const Formula& formula : group) all.push_back({formula.name, formula.description});
  }
  return all;
}

std::unique_ptr<Problem> formula_of(std::string_view name) {
  for (const auto group : formula_groups()) {
    if (const Formula* formula = find_formula(group, name)) return make_formula(*formula);
  }
  return nullptr;
}

std::string known_names() {
  std::string names;
  for (const ProblemInfo& info : problem_list()) {
    if (!names.empty()) names += ", ";
    names += info.name;
  }
  return names;
}

void check_dimension(std::size_t dimension, std::size_t lowest, std::size_t highest,
                     std::string_view name) {
  const std::string range = lowest == highest ? "must be " + std::to_string(lowest)
                                              : "must be between " + std::to_string(lowest) +
                                                    " and " + std::to_string(highest);
  base::require(lowest <= dimension && dimension <= highest, "dimension", std::to_string(dimension),
                range + " for " + std::string(name));
}

void refuse_rkhs_options(const ProblemOptions& options, std::string_view name) {
  const std::string constraint = "only rkhs has this option, not " + std::string(name);
  base::require(!options.shape, "shape", "given", constraint);
  base::require(!options.kernel, "kernel", "given", constraint);
  base::require(!options.num_centers, "num_centers", "given", constraint);
  base::require(!options.norm, "norm", "given", constraint);
}

std::vector<double> draw_theta(const ProblemOptions& options, const random::Coin& coin,
                               std::string_view name) {
  const std::size_t dimension = options.dimension.value_or(10);
  // In one dimension the sphere is two points and h1 would not reach its maximum there.
  check_dimension(dimension, 2, kMaxDimension, name);
  std::vector<double> theta(dimension);
  draw_on_sphere(coin, {.purpose = random::Purpose::kProblem}, theta);
  return theta;
}

std::unique_ptr<Problem> rkhs_of(const ProblemOptions& options, const random::Coin& coin) {
  RkhsOptions rkhs;
  rkhs.dimension = options.dimension.value_or(rkhs.dimension);
  rkhs.shape = options.shape.value_or(rkhs.shape);
  rkhs.kernel = options.kernel.value_or(rkhs.kernel);
  rkhs.num_centers = options.num_centers.value_or(rkhs.num_centers);
  rkhs.norm = options.norm.value_or(rkhs.norm);
  return make_rkhs(rkhs, coin);
}

}  // namespace

double Problem::value(std::span<const double> x) const {
  if (x.size() != dimension()) {
    throw base::Error(base::ErrorKind::kInvalid, "x: has " + std::to_string(x.size()) +
                                                     " coordinates, " + name() + " has " +
                                                     std::to_string(dimension()));
  }
  return evaluate(x);
}

void Problem::values(const numeric::Points& x, std::span<double> out) const {
  const auto rows = static_cast<std::size_t>(x.rows());
  base::require(rows == 0 || static_cast<std::size_t>(x.cols()) == dimension(), "x.cols()",
                std::to_string(x.cols()), "must be the dimension " + std::to_string(dimension()));
  base::require(out.size() == rows, "out.size()", std::to_string(out.size()),
                "must be the number of points " + std::to_string(rows));
  if (rows > 0) evaluate_all(x, out);
}

void Problem::evaluate_all(const numeric::Points& x, std::span<double> out) const {
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = evaluate({x.data() + i * dimension(), dimension()});
  }
}

std::span<const ProblemInfo> problem_list() {
  static const std::vector<ProblemInfo> problems = all_problems();
  return problems;
}

std::unique_ptr<Problem> make_problem(std::string_view name, const ProblemOptions& options,
                                      const random::Coin& problem_coin) {
  if (name == "rkhs") return rkhs_of(options, problem_coin);
  std::unique_ptr<Problem> problem = formula_of(name);
  if (name == "branin") problem = make_branin();
  if (name == "hartmann4") problem = make_hartmann4();
  if (name == "hartmann4-rescaled") problem = make_hartmann4_rescaled();
  if (name == "hartmann6") problem = make_hartmann6();
  if (name == "h1") problem = make_h1(draw_theta(options, problem_coin, name));
  if (name == "h2") problem = make_h2(draw_theta(options, problem_coin, name));
  base::require(problem != nullptr, "problem", std::string(name),
                "must be one of " + known_names());
  refuse_rkhs_options(options, name);
  if (options.dimension) {
    check_dimension(*options.dimension, problem->dimension(), problem->dimension(), name);
  }
  return problem;
}

}  // namespace duets::problems
