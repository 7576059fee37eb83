#include "duets/lab/scaling.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "duets/base/error.h"
#include "duets/lab/algorithms.h"
#include "duets/lab/hindsight.h"
#include "duets/problems/rkhs.h"
#include "duets/region/draw.h"

namespace duets::lab {
namespace {

constexpr std::array<std::string_view, 3> kScalingFunctions{"branin", "rkhs-se", "rkhs-matern52"};
constexpr double kNorm = 2;
constexpr double kNoiseLevel = 0.2;
constexpr std::size_t kDimension = 2;

kernel::Kernel kernel_of(std::string_view function) {
  kernel::Kernel kernel;
  kernel.lengthscales = {0.2};
  if (function == "rkhs-matern52") kernel.family = kernel::Family::kMatern52;
  return kernel;
}

std::shared_ptr<const problems::Problem> problem_of(std::string_view function,
                                                    const random::Coin& coin) {
  if (function == "branin") return problems::make_problem("branin", {}, coin);
  return problems::make_rkhs(
      {.dimension = kDimension, .kernel = kernel_of(function), .norm = kNorm}, coin);
}

// Both sweeps, each point once.
std::vector<ScalingPoint> points_of(const std::string& function, bool quick) {
  std::vector<ScalingPoint> points;
  for (const std::uint32_t horizon : sweep_values(Sweep::kHorizon, quick)) {
    points.push_back({function, kScalingAgents, horizon});
  }
  for (const std::uint32_t agents : sweep_values(Sweep::kAgents, quick)) {
    if (agents != kScalingAgents) points.push_back({function, agents, kScalingHorizon});
  }
  return points;
}

Contender duets_contender(std::string variant, double beta,
                          const std::function<protocol::Study(const protocol::Study&)>& change) {
  return {.algorithm = "DUETS",
          .beta = beta,
          .variant = std::move(variant),
          .run = [change](const Instance& instance) {
            return play_duets(instance, change(*instance.simulation.study));
          }};
}

// The width and p0 of the theorem, for the norm and noise that scaling_instance gives.
protocol::Study with_theory(protocol::Study study) {
  study.mode = protocol::Mode::kTheory;
  study.norm_bound = kNorm;
  study.subgaussian = kNoiseLevel;
  return study;
}

constexpr std::array<double, 4> kTunedBetas{0.1, 0.2, 0.5, 1};

Task task_of(const ScalingPoint& point) {
  Task task;
  task.preset = "scaling";
  task.function = fmt::format("{}-N{}-T{}", point.function, point.agents, point.horizon);
  task.make = [point](std::uint64_t seed) { return scaling_instance(point, seed); };
  task.ask_tell = scaling_ask_tell(point);
  task.contenders = scaling_contenders(point);
  return task;
}

}  // namespace

std::span<const std::string_view> scaling_functions() { return kScalingFunctions; }

std::vector<std::uint32_t> sweep_values(Sweep sweep, bool quick) {
  const bool horizon = sweep == Sweep::kHorizon;
  const std::uint32_t last = horizon ? (quick ? 800 : 12800) : (quick ? 40 : 320);
  std::vector<std::uint32_t> values;
  for (std::uint32_t value = horizon ? 50 : 5; value <= last; value *= 2) values.push_back(value);
  return values;
}

bool ScalingPoint::in(Sweep sweep) const {
  return sweep == Sweep::kHorizon ? agents == kScalingAgents : horizon == kScalingHorizon;
}

AskTell scaling_ask_tell(const ScalingPoint& point) {
  return {.agents = point.agents,
          .horizon = point.horizon,
          .dimension = kDimension,
          .shares_points = true};
}

std::vector<Contender> scaling_contenders(const ScalingPoint& point) {
  std::vector<Contender> out;
  out.push_back(
      duets_contender("", kScalingBeta, [](const protocol::Study& study) { return study; }));
  for (const double beta : kTunedBetas) {
    out.push_back(duets_contender("chosen beta", beta, [beta](protocol::Study study) {
      study.beta = beta;
      return study;
    }));
  }
  for (const std::string name : {"auto", "earn", "safe"}) {
    const bool earns = name == "earn";
    const protocol::Preset& preset = *protocol::find_preset(earns ? "auto" : name);
    const protocol::Goal goal = earns ? protocol::Goal::kEarn : preset.goal;
    out.push_back(duets_contender(name, 0, [&preset, goal](const protocol::Study& study) {
      return preset_study(study, preset, goal);
    }));
  }
  if (point.function != "branin") out.push_back(duets_contender("theory", 0, with_theory));
  const std::vector<Algorithm> algorithms = builtin_algorithms();
  Algorithm rival = find_algorithm(algorithms, "dis-kernel-ucb");
  rival.thresholds = rival.threshold_grid;
  const auto rivals = contenders(rival, kTunedBetas);
  out.insert(out.end(), rivals.begin(), rivals.end());
  out.push_back(contenders(find_algorithm(algorithms, "uniform"), {}).front());
  return out;
}

Instance scaling_instance(const ScalingPoint& point, std::uint64_t seed) {
  require_known(kScalingFunctions, "function", point.function);
  const auto secret = random::StudySecret::from_seed(seed);
  harness::Simulation simulation;
  simulation.problem = problem_of(point.function, secret.problem_coin());
  simulation.noise = {.kind = problems::NoiseKind::kGaussian, .level = kNoiseLevel};
  simulation.seed = seed;

  protocol::Study study;
  study.name = fmt::format("scaling-{}", point.function);
  study.agents = point.agents;
  study.horizon = point.horizon;
  study.domain =
      std::make_shared<const domain::Domain>(domain::Domain::finite(region::random_candidates(
          secret.public_coin(), region::CandidateShape::kCube, kScalingCandidates, kDimension, 1)));
  study.kernel = kernel_of(point.function);
  study.lambda = 0.2;
  study.beta = kScalingBeta;
  study.p0 = 10;
  study.t1 = 2;
  study.upload = protocol::UploadRule::kProjection;
  simulation.study = std::make_shared<const protocol::Study>(std::move(study));
  return make_instance(std::move(simulation));
}

Scaling scaling_experiment(const ScalingChoice& choice) {
  Scaling scaling;
  std::vector<std::string> functions = choice.functions;
  if (functions.empty()) functions.assign(kScalingFunctions.begin(), kScalingFunctions.end());
  for (const std::string& function : functions) {
    require_known(kScalingFunctions, "function", function);
    const std::vector<ScalingPoint> more = points_of(function, choice.quick);
    scaling.points.insert(scaling.points.end(), more.begin(), more.end());
  }
  // The longest work first, so that no thread is left with it at the end.
  std::stable_sort(
      scaling.points.begin(), scaling.points.end(),
      [](const ScalingPoint& a, const ScalingPoint& b) { return a.queries() > b.queries(); });
  for (const ScalingPoint& point : scaling.points) {
    scaling.experiment.tasks.push_back(task_of(point));
  }
  scaling.experiment.seeds = seeds_from(choice.first_seed, choice.runs);
  add_selection(scaling.experiment);
  return scaling;
}

}  // namespace duets::lab
