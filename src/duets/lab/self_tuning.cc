#include "duets/lab/self_tuning.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "duets/base/bytes.h"
#include "duets/base/error.h"
#include "duets/baselines/dis_kernel_ucb/dis_kernel_ucb.h"
#include "duets/lab/algorithms.h"
#include "duets/lab/hindsight.h"
#include "duets/lab/presets.h"
#include "duets/region/draw.h"

namespace duets::lab {
namespace {

using protocol::Preset;

constexpr std::array<std::string_view, 3> kQuickConditions{"finite", "units", "continuous"};
constexpr std::size_t kSelfTuningCandidates = 2000;

Contender rival(double beta, double lambda, double threshold) {
  return {.algorithm = "DisKernelUCB",
          .beta = beta,
          .variant = rival_variant(lambda, threshold),
          .run =
              [beta, lambda, threshold](const Instance& instance) {
                baselines::Setting setting = instance.setting;
                setting.lambda = lambda;
                const auto policy =
                    baselines::make_dis_kernel_ucb(setting, {.beta = beta, .threshold = threshold});
                return play(instance, *policy);
              },
          .grid = "DisKernelUCB",
          .tuned = {{"lambda", lambda}, {"D", threshold}}};
}

// It starts from the kernel that DisKernelUCB is given, and learns.
std::vector<Contender> fitted_rivals(bool quick) {
  Algorithm fitted = find_algorithm(builtin_algorithms(), "dis-kernel-ucb-fit");
  fitted.thresholds = rival_thresholds(quick);
  return contenders(fitted, rival_betas(quick));
}

// The study is made for each instance, whose domain it needs.
Contender tuned_contender(const Condition& condition, const std::string& name) {
  return {.algorithm = "DUETS",
          .beta = 0,
          .variant = name,
          .run = [condition, name](const Instance& instance) {
            return play_duets(instance, duets_study(condition, *instance.simulation.study, name));
          }};
}

protocol::Study bare_study() {
  protocol::Study study;
  study.domain = std::make_shared<const domain::Domain>(domain::Domain::box(2));
  return study;
}

std::vector<Contender> beside_peers(const Condition& condition) {
  const std::vector<Algorithm> algorithms = builtin_algorithms();
  std::vector<Contender> out;
  for (const char* key : {"batch-gp", "random"}) {
    out.push_back(contenders(find_algorithm(algorithms, key), {}).front());
  }
  for (const char* name : {"auto", "earn"}) out.push_back(tuned_contender(condition, name));
  return out;
}

std::vector<Contender> contenders_of(const Condition& condition, bool quick) {
  if (condition.peers) return beside_peers(condition);
  std::vector<Contender> out;
  for (const double lambda : rival_lambdas(quick)) {
    for (const double threshold : rival_thresholds(quick)) {
      for (const double beta : rival_betas(quick)) out.push_back(rival(beta, lambda, threshold));
    }
  }
  const std::vector<Contender> fitted = fitted_rivals(quick);
  out.insert(out.end(), fitted.begin(), fitted.end());
  for (const std::string& name : duets_names()) out.push_back(tuned_contender(condition, name));
  if (!condition.ingredients) return out;
  for (const std::string& name : ingredient_names()) {
    out.push_back(tuned_contender(condition, name));
  }
  return out;
}

std::shared_ptr<const domain::Domain> domain_of(const Condition& condition,
                                                const problems::Problem& problem,
                                                const random::Coin& public_coin) {
  using domain::Domain;
  if (!problem.parameters().empty()) {
    return std::make_shared<const Domain>(Domain::box(problem.parameters()));
  }
  const bool ball = problem.natural_shape() == problems::Shape::kBall;
  const std::size_t dimension = problem.dimension();
  if (condition.continuous) {
    return std::make_shared<const Domain>(ball ? Domain::ball(dimension, 1)
                                               : Domain::box(dimension));
  }
  const auto shape = ball ? region::CandidateShape::kSphere : region::CandidateShape::kCube;
  return std::make_shared<const Domain>(Domain::finite(
      region::random_candidates(public_coin, shape, kSelfTuningCandidates, dimension, 1)));
}

double known_lengthscale(std::string_view function, const domain::Domain& domain) {
  if (function == "branin") return 0.2;
  const auto paper = paper_functions();
  if (std::find(paper.begin(), paper.end(), function) != paper.end()) return 1;
  return protocol::guessed_lengthscale(domain);
}

AskTell size_of(const Condition& condition, std::string_view function) {
  const auto secret = random::StudySecret::from_seed(1);
  const auto problem = problems::make_problem(function, {}, secret.problem_coin());
  const bool mixed = !problem->parameters().empty();
  return {.agents = condition.agents,
          .horizon = condition.horizon,
          .dimension = mixed ? problem->parameters().size() : problem->dimension(),
          .shares_points = !mixed && !condition.continuous};
}

// Each name must be a function of some condition that was chosen.
void check_functions(const SelfTuningChoice& choice) {
  std::vector<std::string> known;
  for (const std::string& key : choice.conditions) {
    for (const std::string& name : functions_of(find_condition(key))) {
      if (std::find(known.begin(), known.end(), name) == known.end()) known.push_back(name);
    }
  }
  const std::vector<std::string_view> names(known.begin(), known.end());
  for (const std::string& name : choice.functions) require_known(names, "function", name);
}

bool is_chosen(const SelfTuningChoice& choice, const std::string& function) {
  return choice.functions.empty() || std::find(choice.functions.begin(), choice.functions.end(),
                                               function) != choice.functions.end();
}

}  // namespace

std::vector<Ingredient> changed_ingredients(const protocol::Study& automatic) {
  std::vector<Ingredient> out;
  const auto add = [&](std::string name) -> protocol::Study& {
    out.push_back({std::move(name), automatic});
    return out.back().study;
  };
  protocol::Study& no_floor = add("auto without floor");
  no_floor.volume_floor = 0;
  no_floor.side_floor = 0;
  no_floor.epoch_floor = 1;
  protocol::Study& printed = add("auto with the printed schedule");
  printed.schedule = protocol::ScheduleRule::kSqrtFloor;
  printed.t1 = 2;
  add("auto with data of the epoch").data = protocol::DataPolicy::kEpoch;
  protocol::Study& fixed = add("auto with fixed parameters");
  fixed.parameters = protocol::Parameters::kFixed;
  fixed.relevance = false;
  fixed.family = false;
  fixed.raw_rewards = protocol::Study{}.raw_rewards;
  add(automatic.relevance ? "auto without relevance" : "auto with relevance").relevance =
      !automatic.relevance;
  add("auto with independent coins").coins = protocol::Coins::kIndependent;
  add("auto with greedy S").inducing = protocol::Inducing::kGreedy;
  return out;
}

std::vector<std::string> ingredient_names() {
  std::vector<std::string> out;
  for (const Ingredient& ingredient : changed_ingredients(duets_study({}, bare_study(), "auto"))) {
    out.push_back(ingredient.name);
  }
  return out;
}

std::vector<std::string> duets_names() {
  std::vector<std::string> out;
  for (const Preset& preset : protocol::presets()) {
    out.emplace_back(preset.name);
    if (preset.name == "auto") out.emplace_back("earn");
  }
  return out;
}

Instance self_tuning_instance(const Condition& condition, std::string_view function,
                              std::uint64_t seed) {
  const auto secret = random::StudySecret::from_seed(seed);
  harness::Simulation simulation;
  simulation.problem = problems::make_problem(function, {}, secret.problem_coin());
  simulation.noise = {.kind = problems::NoiseKind::kGaussian, .level = condition.noise};
  simulation.seed = seed;
  simulation.scale = 1 / condition.unit;
  simulation.offset = -condition.level / condition.unit;

  protocol::Study study;
  study.name = fmt::format("{}-{}", condition.key, function);
  study.agents = condition.agents;
  study.horizon = condition.horizon;
  study.domain = domain_of(condition, *simulation.problem, secret.public_coin());
  study.kernel.lengthscales = {known_lengthscale(function, *study.domain) *
                               condition.lengthscale_factor};
  simulation.study = std::make_shared<const protocol::Study>(std::move(study));
  return make_instance(std::move(simulation));
}

protocol::Study duets_study(const Condition& condition, protocol::Study study,
                            std::string_view name) {
  const Preset* preset = protocol::find_preset(name);
  if (name == "paper") {
    protocol::apply_preset(*preset, study);
    study.beta = kSelfTuningPaperBeta;
    return study;
  }
  const Preset& settings = preset ? *preset : *protocol::find_preset("auto");
  const bool earns = name == "earn";
  study = preset_study(std::move(study), settings, earns ? protocol::Goal::kEarn : settings.goal);
  study.kernel.lengthscales.front() *= condition.lengthscale_factor;
  if (preset || earns) return study;
  for (const Ingredient& ingredient : changed_ingredients(study)) {
    if (ingredient.name == name) return ingredient.study;
  }
  base::refuse("name", fmt::format("\"{}\"", name), "must be a preset, earn or an ingredient");
}

std::vector<double> rival_betas(bool quick) {
  if (quick) return {0.1, 0.5, 1};
  return {0.05, 0.1, 0.2, 0.5, 1, 2};
}

std::vector<double> rival_lambdas(bool quick) {
  if (quick) return {0.2};
  return {0.04, 0.2, 1};
}

std::vector<double> rival_thresholds(bool quick) {
  if (quick) return {10};
  return find_algorithm(builtin_algorithms(), "dis-kernel-ucb").threshold_grid;
}

std::string rival_variant(double lambda, double threshold) {
  return fmt::format("lambda = {}, D = {}", lambda, threshold);
}

SelfTuningChoice completed(SelfTuningChoice choice) {
  if (!choice.conditions.empty()) return choice;
  if (choice.quick) {
    choice.conditions.assign(kQuickConditions.begin(), kQuickConditions.end());
  } else {
    for (const Condition& condition : self_tuning_conditions())
      choice.conditions.emplace_back(condition.key);
  }
  return choice;
}

Experiment self_tuning_experiment(const SelfTuningChoice& given) {
  const SelfTuningChoice choice = completed(given);
  check_functions(choice);
  Experiment experiment;
  for (const std::string& key : choice.conditions) {
    const Condition& condition = find_condition(key);
    for (const std::string& function : functions_of(condition)) {
      if (!is_chosen(choice, function)) continue;
      experiment.tasks.push_back({.preset = key,
                                  .function = function,
                                  .make =
                                      [condition, function](std::uint64_t seed) {
                                        return self_tuning_instance(condition, function, seed);
                                      },
                                  .contenders = contenders_of(condition, choice.quick),
                                  .max_runs = condition.max_runs,
                                  .selects_for = {},
                                  .ask_tell = size_of(condition, function)});
    }
  }
  experiment.seeds = seeds_from(choice.first_seed, choice.runs);
  add_selection(experiment);
  return experiment;
}

std::string presets_fingerprint() {
  base::ByteWriter writer;
  for (const std::string& name : duets_names()) {
    writer.text(base::to_hex(protocol::study_digest(duets_study({}, bare_study(), name))));
  }
  return base::to_hex(base::digest_of(writer.bytes()));
}

}  // namespace duets::lab
