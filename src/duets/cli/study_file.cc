#include "duets/cli/study_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "duets/base/error.h"

namespace duets::cli {
namespace {

constexpr std::string_view kRkhs = "rkhs";

const OwnFunction* find_own(std::span<const OwnFunction> functions, std::string_view name) {
  const auto found = std::find_if(functions.begin(), functions.end(),
                                  [&](const OwnFunction& own) { return own.name == name; });
  return found == functions.end() ? nullptr : &*found;
}

std::unique_ptr<problems::Problem> make_own(const OwnFunction& own, const random::Coin& coin) {
  auto problem = own.make(coin);
  base::require(problem != nullptr, "objective.builtin", own.name, "make returned nothing");
  return problem;
}

study::FunctionInfo info_of(std::span<const OwnFunction> functions, const std::string& name) {
  // Creating an rkhs function searches its maximum, which its space does not need.
  if (name == kRkhs) return {1, problems::kMaxDimension, 2, std::nullopt};
  const auto coin = random::StudySecret::from_seed(0).problem_coin();
  const OwnFunction* own = find_own(functions, name);
  const auto problem =
      own != nullptr ? make_own(*own, coin) : problems::make_problem(name, {}, coin);
  const std::size_t dimension = problem->dimension();
  const bool is_round = problem->natural_shape() == problems::Shape::kBall;
  if (name == "h1" || name == "h2") return {2, domain::kMaxDimension, dimension, is_round};
  return {dimension, dimension, dimension, is_round, problem->parameters()};
}

study::FunctionList list_of(std::span<const OwnFunction> functions) {
  study::FunctionList list;
  for (const problems::ProblemInfo& info : problems::problem_list()) {
    list.names.emplace_back(info.name);
  }
  for (const OwnFunction& own : functions) list.names.push_back(own.name);
  list.info = [functions](const std::string& name) { return info_of(functions, name); };
  return list;
}

}  // namespace

StudyFile load_study(const std::filesystem::path& path, const StudyOverrides& overrides) {
  const std::string text = study::read_file(path, study::kMaxStudyBytes, "study file");
  return parse_study(text, path.string(), path.parent_path(), overrides);
}

StudyFile parse_study(std::string_view text, const std::string& file_name,
                      const std::filesystem::path& directory_for_csv,
                      const StudyOverrides& overrides) {
  const study::FunctionList functions = list_of(overrides.functions);
  return study::parse_study(text, file_name,
                            {overrides.seed, &functions, directory_for_csv, overrides.measures});
}

std::unique_ptr<problems::Problem> make_builtin(const StudyFile& file,
                                                std::span<const OwnFunction> functions) {
  const study::Objective& objective = file.objective;
  base::require(!objective.builtin.empty(), "objective.builtin", "(missing)",
                "the objective is a command");
  const auto coin = random::StudySecret::from_seed(file.seed).problem_coin();
  if (const OwnFunction* own = find_own(functions, objective.builtin)) return make_own(*own, coin);
  const study::FunctionList known = list_of(functions);
  base::require(std::count(known.names.begin(), known.names.end(), objective.builtin) > 0,
                "objective.builtin", objective.builtin,
                "this program has no function of this name");
  problems::ProblemOptions options;
  options.dimension = file.study.domain->num_features();
  if (objective.builtin == kRkhs) {
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

problems::Noise noise_of(const study::Objective& objective) {
  return {objective.noise_kind, objective.noise};
}

}  // namespace duets::cli
