#include "duets/lab/presets.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "duets/base/error.h"
#include "duets/lab/hindsight.h"
#include "duets/region/draw.h"

namespace duets::lab {
namespace {

constexpr std::array<std::string_view, 4> kFunctions{"h1", "h2", "branin", "hartmann4"};
constexpr std::array<std::string_view, 4> kAlgorithms{"n-kernel-ucb", "dis-kernel-ucb",
                                                      "approx-dis-kernel-ucb", "duets"};
constexpr std::array<std::string_view, 3> kPresets{"paper", "as-plotted", "wide-grid"};
constexpr std::size_t kCandidates = 2000;
constexpr std::uint32_t kAgents = 10;
constexpr std::uint32_t kHorizon = 50;

// c of p = c ln(N T_j)/(N T_j), read off the published communication curves.
constexpr std::array<double, 4> kPlottedRates{30, 10, 4, 16};

// The place of `value` in a list of names; kInvalid naming the field.
template <class Names>
std::size_t place(const Names& names, std::string_view value, const char* field) {
  const auto found = std::find(names.begin(), names.end(), value);
  base::require(found != names.end(), field, fmt::format("\"{}\"", value),
                fmt::format("must be one of {}", fmt::join(names, ", ")));
  return static_cast<std::size_t>(found - names.begin());
}

std::shared_ptr<const domain::Domain> candidates(const problems::Problem& problem, bool sphere,
                                                 std::uint64_t seed) {
  using region::CandidateShape;
  const bool ball = problem.natural_shape() == problems::Shape::kBall;
  const CandidateShape shape = !ball    ? CandidateShape::kCube
                               : sphere ? CandidateShape::kSphere
                                        : CandidateShape::kBall;
  const random::Coin coin = random::StudySecret::from_seed(seed).public_coin();
  return std::make_shared<const domain::Domain>(domain::Domain::finite(
      region::random_candidates(coin, shape, kCandidates, problem.dimension(), 1)));
}

void check_choice(const StudyChoice& choice) {
  for (const double beta : choice.betas) {
    base::require(std::isfinite(beta) && beta >= 0, "beta", fmt::format("{}", beta),
                  "must be at least 0 and finite");
  }
}

AskTell study_size(std::string_view function) {
  const random::Coin coin = random::StudySecret::from_seed(1).problem_coin();
  return {.agents = kAgents,
          .horizon = kHorizon,
          .dimension = problems::make_problem(function, {}, coin)->dimension(),
          .shares_points = true};
}

template <class Names>
void fill(std::vector<std::string>& chosen, const Names& all) {
  if (chosen.empty()) chosen.assign(all.begin(), all.end());
}

}  // namespace

std::span<const std::string_view> paper_functions() { return kFunctions; }
std::span<const std::string_view> paper_algorithms() { return kAlgorithms; }
std::span<const std::string_view> preset_names() { return kPresets; }
std::span<const std::string_view> usual_presets() { return std::span(kPresets).first(2); }

std::vector<double> printed_betas() { return {0.2, 0.5, 1, 2, 5}; }

std::vector<double> preset_betas(std::string_view preset) {
  std::vector<double> betas = printed_betas();
  require_known(kPresets, "preset", preset);
  if (preset == "wide-grid") betas.insert(betas.begin(), {0.02, 0.05, 0.1});
  return betas;
}

double plotted_beta(std::string_view algorithm_name) { return algorithm_name == "DUETS" ? 0.2 : 5; }

Instance preset_instance(std::string_view preset, std::string_view function, std::uint64_t seed) {
  require_known(kPresets, "preset", preset);
  const bool plotted = preset == "as-plotted";
  const std::size_t index = place(kFunctions, function, "function");
  const random::Coin problem_coin = random::StudySecret::from_seed(seed).problem_coin();
  harness::Simulation simulation;
  simulation.problem = problems::make_problem(function, {}, problem_coin);
  simulation.noise = {.kind = problems::NoiseKind::kGaussian, .level = 0.2};
  simulation.seed = seed;

  protocol::Study study;
  study.name = fmt::format("{}-{}", preset, function);
  study.agents = kAgents;
  study.horizon = kHorizon;
  study.domain = candidates(*simulation.problem, plotted, seed);
  study.kernel.lengthscales = {function == "branin" ? 0.2 : 1.0};
  study.lambda = 0.2;
  study.t1 = 2;
  study.p0 = 10;
  study.upload = protocol::UploadRule::kProjection;
  if (plotted) {
    study.schedule = protocol::ScheduleRule::kSqrtCeil;
    study.rate = protocol::CoinRate::kCount;
    study.p0 = kPlottedRates[index];
    if (function == "hartmann4") study.t1 = 5;
    if (function == "branin") simulation.reference = simulation.problem->maximum();
  }
  simulation.study = std::make_shared<const protocol::Study>(std::move(study));
  return make_instance(std::move(simulation));
}

StudyChoice completed(StudyChoice choice) {
  fill(choice.presets, usual_presets());
  fill(choice.functions, kFunctions);
  fill(choice.algorithms, kAlgorithms);
  return choice;
}

Experiment study_experiment(const StudyChoice& chosen, std::span<const Algorithm> algorithms) {
  check_choice(chosen);
  const StudyChoice choice = completed(chosen);
  Experiment experiment;
  experiment.seeds = seeds_from(choice.first_seed, choice.runs);
  for (const std::string& preset : choice.presets) {
    const std::vector<double> betas = choice.betas.empty() ? preset_betas(preset) : choice.betas;
    for (const std::string& function : choice.functions) {
      require_known(kFunctions, "function", function);
      Task task{.preset = preset,
                .function = function,
                .make = [preset, function](
                            std::uint64_t seed) { return preset_instance(preset, function, seed); },
                .contenders = {}};
      for (const std::string& key : choice.algorithms) {
        const auto more = contenders(find_algorithm(algorithms, key), betas);
        task.contenders.insert(task.contenders.end(), more.begin(), more.end());
      }
      task.ask_tell = study_size(function);
      experiment.tasks.push_back(std::move(task));
    }
  }
  add_selection(experiment);
  return experiment;
}

}  // namespace duets::lab
