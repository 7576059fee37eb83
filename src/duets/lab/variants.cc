#include "duets/lab/variants.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "duets/base/error.h"
#include "duets/baselines/dis_kernel_ucb/dis_kernel_ucb.h"
#include "duets/lab/algorithms.h"
#include "duets/lab/hindsight.h"
#include "duets/lab/presets.h"
#include "duets/region/draw.h"

namespace duets::lab {
namespace {

using protocol::Inducing;
using protocol::ScheduleRule;
using protocol::UploadRule;

const std::vector<Variant> kVariants = [] {
  std::vector<Variant> all{
      {.name = "printed"},
      {.name = "ceil", .schedule = ScheduleRule::kSqrtCeil},
      {.name = "greedy", .inducing = Inducing::kGreedy},
      {.name = "public", .inducing = Inducing::kPublic},
      {.name = "auto", .upload = UploadRule::kAuto},
      {.name = "rewards", .upload = UploadRule::kRewards},
      {.name = "doubling", .schedule = ScheduleRule::kDoubling},
      {.name = "doubling from 1", .schedule = ScheduleRule::kDoubling, .t1 = 1},
      {.name = "paired-doubling", .schedule = ScheduleRule::kPairedDoubling, .t1 = 1},
      {.name = "greedy + auto", .inducing = Inducing::kGreedy, .upload = UploadRule::kAuto},
      {.name = "public + auto", .inducing = Inducing::kPublic, .upload = UploadRule::kAuto},
      {.name = "paired-doubling + greedy",
       .schedule = ScheduleRule::kPairedDoubling,
       .t1 = 1,
       .inducing = Inducing::kGreedy},
      {.name = "paired-doubling + greedy + auto",
       .schedule = ScheduleRule::kPairedDoubling,
       .t1 = 1,
       .inducing = Inducing::kGreedy,
       .upload = UploadRule::kAuto},
      {.name = "paired-doubling + public",
       .schedule = ScheduleRule::kPairedDoubling,
       .t1 = 1,
       .inducing = Inducing::kPublic},
      {.name = "paired-doubling + public + auto",
       .schedule = ScheduleRule::kPairedDoubling,
       .t1 = 1,
       .inducing = Inducing::kPublic,
       .upload = UploadRule::kAuto},
  };
  // "paper" is the printed algorithm.
  for (const protocol::Preset& preset : protocol::presets().subspan(1)) {
    all.push_back(
        {.name = "preset " + std::string(preset.name), .preset = &preset, .goal = preset.goal});
    if (preset.name != "auto") continue;
    all.push_back({.name = "preset earn", .preset = &preset});
  }
  return all;
}();

constexpr std::uint32_t kAgentsOfVariants = 10;
constexpr std::uint32_t kHorizonOfVariants = 50;
constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr std::array<double, 8> kThresholds{0.5, 2, 5, 10, 20, 50, 200, kNever};
constexpr std::array<double, 3> kQuickThresholds{2, 10, kNever};
constexpr std::array<double, 6> kBetas{0.05, 0.1, 0.2, 0.5, 1, 2};
constexpr std::array<double, 3> kQuickBetas{0.1, 0.5, 1};

Contender duets_contender(const Variant& variant) {
  return {.algorithm = "DUETS",
          .beta = variant_settings(variant).beta,
          .variant = variant.name,
          .run = [variant](const Instance& instance) {
            return play_duets(instance, variant_study(*instance.simulation.study, variant));
          }};
}

Contender dis_contender(double threshold, double beta) {
  return {.algorithm = "DisKernelUCB",
          .beta = beta,
          .variant = threshold_text(threshold),
          .run = [threshold, beta](const Instance& instance) {
            const auto policy = baselines::make_dis_kernel_ucb(
                instance.setting, {.beta = beta, .threshold = threshold});
            return play(instance, *policy);
          }};
}

std::vector<Contender> all_contenders(bool quick) {
  std::vector<Contender> out;
  out.reserve(kVariants.size());
  for (const Variant& variant : kVariants) out.push_back(duets_contender(variant));
  for (const double threshold : frontier_thresholds(quick)) {
    for (const double beta : frontier_betas(quick)) out.push_back(dis_contender(threshold, beta));
  }
  return out;
}

// Why no part of the theorem speaks of a preset.
std::string nothing_left(const protocol::Study& study) {
  std::vector<std::string_view> reasons;
  if (study.parameters == protocol::Parameters::kLearned) {
    reasons.push_back("kernel and lambda are learned from the rewards that the cut uses");
  }
  if (study.data == protocol::DataPolicy::kSurviving) {
    reasons.push_back("points are drawn where earlier data of the same posterior allow");
  }
  if (study.cut == protocol::CutRule::kDecision) {
    reasons.push_back("a cut keeps the share that serves the answer best, whatever the bound says");
  }
  if (protocol::has_floor(study)) {
    reasons.push_back("a cut keeps a share of its region even where the bound would not");
  }
  if (study.coins == protocol::Coins::kStratified) {
    reasons.push_back("the points of an epoch are not independent");
  }
  return fmt::format("nothing is proved: {}", fmt::join(reasons, "; "));
}

}  // namespace

std::span<const Variant> duets_variants() { return kVariants; }

const Variant& find_variant(std::string_view name) {
  for (const Variant& variant : kVariants) {
    if (variant.name == name) return variant;
  }
  base::refuse("variant", fmt::format("\"{}\"", name), "there is no such variant");
}

protocol::Study variant_settings(const Variant& variant) {
  protocol::Study study;
  if (variant.preset) {
    protocol::apply_preset(*variant.preset, study);
    protocol::apply_goal(variant.goal, study);
    return study;
  }
  return variant_study(std::move(study), variant);
}

protocol::Study variant_study(protocol::Study study, const Variant& variant) {
  if (variant.preset) return preset_study(std::move(study), *variant.preset, variant.goal);
  study.beta = kVariantBeta;
  study.schedule = variant.schedule;
  study.t1 = variant.t1;
  study.inducing = variant.inducing;
  study.upload = variant.upload;
  return study;
}

std::span<const double> frontier_thresholds(bool quick) {
  if (quick) return kQuickThresholds;
  return kThresholds;
}

std::span<const double> frontier_betas(bool quick) {
  if (quick) return kQuickBetas;
  return kBetas;
}

Instance variants_instance(std::string_view function, std::uint64_t seed) {
  require_known(paper_functions(), "function", function);
  const auto secret = random::StudySecret::from_seed(seed);
  harness::Simulation simulation;
  simulation.problem = problems::make_problem(function, {}, secret.problem_coin());
  simulation.noise = {.kind = problems::NoiseKind::kGaussian, .level = 0.2};
  simulation.seed = seed;

  const bool ball = simulation.problem->natural_shape() == problems::Shape::kBall;
  protocol::Study study;
  study.name = fmt::format("variants-{}", function);
  study.agents = kAgentsOfVariants;
  study.horizon = kHorizonOfVariants;
  study.domain =
      std::make_shared<const domain::Domain>(domain::Domain::finite(region::random_candidates(
          secret.public_coin(),
          ball ? region::CandidateShape::kSphere : region::CandidateShape::kCube, 2000,
          simulation.problem->dimension(), 1)));
  study.kernel.lengthscales = {function == "branin" ? 0.2 : 1.0};
  study.lambda = 0.2;
  study.p0 = 10;
  simulation.study =
      std::make_shared<const protocol::Study>(variant_study(std::move(study), kVariants.front()));
  return make_instance(std::move(simulation));
}

Experiment variants_experiment(const VariantsChoice& choice) {
  std::vector<std::string> functions = choice.functions;
  if (functions.empty()) functions.assign(paper_functions().begin(), paper_functions().end());
  Experiment experiment;
  for (const std::string& function : functions) {
    require_known(paper_functions(), "function", function);
    experiment.tasks.push_back(
        {.preset = "variants",
         .function = function,
         .make = [function](std::uint64_t seed) { return variants_instance(function, seed); },
         .contenders = all_contenders(choice.quick),
         .ask_tell = AskTell{
             .agents = kAgentsOfVariants,
             .horizon = kHorizonOfVariants,
             .dimension = problems::make_problem(function, {},
                                                 random::StudySecret::from_seed(1).problem_coin())
                              ->dimension(),
             .shares_points = true}});
  }
  experiment.seeds = seeds_from(choice.first_seed, choice.runs);
  add_selection(experiment);
  return experiment;
}

std::string_view exchange_growth(const Variant& variant) {
  switch (variant_settings(variant).schedule) {
    case ScheduleRule::kDoubling:
      return "log2 T";
    case ScheduleRule::kPairedDoubling:
      return "2 log2 T";
    default:
      return "log log T";
  }
}

std::string theorem_left(const Variant& variant) {
  if (variant.preset) return nothing_left(variant_settings(variant));
  const bool doubling = variant.schedule == ScheduleRule::kDoubling ||
                        variant.schedule == ScheduleRule::kPairedDoubling;
  const bool coin = variant.inducing == Inducing::kCoin;
  const bool greedy = variant.inducing == Inducing::kGreedy;
  std::string out =
      coin ? "regret order"
           : fmt::format(
                 "nothing is proved: the confidence width is for an accurate S, which {} does not "
                 "imply",
                 greedy
                     ? "a residual of at most 0.1 sigma2_max at the points S is chosen from"
                     : "leaving out points that tell less of the data than a quarter of a reward");
  if (doubling) {
    out += coin ? ": " : "; ";
    out += "epochs grow by at most a factor, log T of them, each with its own data";
  }
  if (variant.upload == UploadRule::kRewards) {
    return out + ". Communication order lost: every agent sends all rewards but the last epoch's";
  }
  if (!coin) return out + ". Communication order not proved: the lemma on |S| speaks of coins";
  return out + (doubling ? ". Communication order times log T" : " and communication order");
}

}  // namespace duets::lab
