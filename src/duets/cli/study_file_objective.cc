#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "duets/cli/study_file_sections.h"

namespace duets::cli {
namespace {

constexpr std::uint64_t kMaxRetries = 1000;

constexpr std::array<std::string_view, 11> kObjectiveKeys{
    "builtin", "command", "noise",   "noise_kind", "offset",          "scale",
    "centers", "norm",    "timeout", "retries",    "infeasible_value"};

bool is_rkhs(const ObjectiveSpec& objective) { return objective.builtin == "rkhs"; }

problems::Noise read_noise(const Section& section) {
  using problems::NoiseKind;
  constexpr std::array<std::pair<std::string_view, NoiseKind>, 2> kKinds{
      {{"gaussian", NoiseKind::kGaussian}, {"bounded", NoiseKind::kBounded}}};
  problems::Noise noise;
  noise.kind = section.option<NoiseKind>("noise_kind", kKinds).value_or(noise.kind);
  noise.level = section.number("noise").value_or(noise.level);
  if (noise.level < 0 || (noise.level > 0 && noise.level < kSmallest)) {
    section.fail("noise", "must be 0 (no noise) or positive (at least 1e-100)");
  }
  if (noise.level == 0) noise.kind = NoiseKind::kNone;
  return noise;
}

void read_builtin(const Section& section, std::span<const OwnFunction> functions,
                  ObjectiveSpec& objective) {
  std::vector<std::pair<std::string_view, std::string_view>> names;
  for (const problems::ProblemInfo& info : problems::problem_list()) {
    names.emplace_back(info.name, info.name);
  }
  for (const OwnFunction& own : functions) names.emplace_back(own.name, own.name);
  objective.builtin = section.option<std::string_view>("builtin", names).value();
  for (const OwnFunction& own : functions) {
    if (own.name == objective.builtin) objective.own = own;
  }
  for (const char* key : {"timeout", "retries", "infeasible_value"}) {
    section.forbid(key, "belongs to a command, not to a built-in function");
  }
  objective.noise = read_noise(section);
  if (!is_rkhs(objective)) {
    section.forbid("centers", "belongs to builtin = \"rkhs\"");
    section.forbid("norm", "belongs to builtin = \"rkhs\"");
  }
  objective.centers = section.whole("centers", 1, problems::kMaxCenters).value_or(30);
  objective.norm = section.positive("norm").value_or(1.0);
}

void read_command(const Section& section, ObjectiveSpec& objective) {
  objective.command = section.texts("command").value();
  for (const char* key : {"noise", "noise_kind", "centers", "norm"}) {
    section.forbid(key,
                   "belongs to a built-in function: remove it, a command answers with its own "
                   "values and noise");
  }
  objective.noise.kind = problems::NoiseKind::kNone;
  objective.infeasible_value = section.number("infeasible_value");
  objective.timeout = section.positive("timeout").value_or(objective.timeout);
  objective.retries = static_cast<std::uint32_t>(
      section.whole("retries", 0, kMaxRetries).value_or(objective.retries));
}

std::unique_ptr<problems::Problem> make_own(const OwnFunction& own, const random::Coin& coin) {
  auto problem = own.make(coin);
  base::require(problem != nullptr, "objective.builtin", own.name, "nothing was made");
  return problem;
}

}  // namespace

ObjectiveSpec read_objective(const Section& section, std::span<const OwnFunction> functions) {
  section.check_keys(kObjectiveKeys);
  ObjectiveSpec objective;
  if (section.has("builtin")) {
    section.forbid("command", "give builtin or command, not both");
    read_builtin(section, functions, objective);
  } else if (section.has("command")) {
    read_command(section, objective);
  } else {
    section.fail("builtin", "give builtin = \"NAME\" or command = [\"PROGRAM\", ...]");
  }
  objective.offset = section.number("offset").value_or(objective.offset);
  objective.scale = section.positive("scale").value_or(objective.scale);
  return objective;
}

std::optional<BuiltinInfo> builtin_info(const ObjectiveSpec& objective) {
  if (objective.builtin.empty()) return std::nullopt;
  // Making an rkhs function means searching its maximum; nothing about its space needs that.
  if (is_rkhs(objective)) {
    return BuiltinInfo{objective.builtin, 1, problems::kMaxDimension, 2, std::nullopt};
  }
  const auto coin = random::StudySecret::from_seed(0).problem_coin();
  const auto problem = objective.own ? make_own(*objective.own, coin)
                                     : problems::make_problem(objective.builtin, {}, coin);
  BuiltinInfo info{objective.builtin, problem->dimension(), problem->dimension(),
                   problem->dimension(), problem->natural_shape()};
  if (objective.builtin == "h1" || objective.builtin == "h2") {
    info.lowest = 2;
    info.highest = domain::kMaxDimension;
  }
  return info;
}

std::unique_ptr<problems::Problem> make_builtin(const StudyFile& file) {
  const ObjectiveSpec& objective = file.objective;
  base::require(!objective.builtin.empty(), "objective.builtin", "(missing)",
                "the objective is a command");
  const auto coin = random::StudySecret::from_seed(file.seed).problem_coin();
  if (objective.own) return make_own(*objective.own, coin);
  problems::ProblemOptions options;
  options.dimension = file.study.domain->num_features();
  if (is_rkhs(objective)) {
    const bool round = file.study.domain->shape() == domain::Shape::kBall ||
                       (file.space.source == CandidateSource::kRandom &&
                        file.space.shape != region::CandidateShape::kCube);
    options.shape = round ? problems::Shape::kBall : problems::Shape::kCube;
    options.kernel = file.study.kernel;
    options.num_centers = objective.centers;
    options.norm = objective.norm;
  }
  return problems::make_problem(objective.builtin, options, coin);
}

}  // namespace duets::cli
