#include "duets/cli/study_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "duets/base/error.h"
#include "duets/cli/study_file_sections.h"
#include "duets/service/definition.h"

namespace duets::cli {
namespace {

constexpr double kSmallestLengthscale = 1e-12;
constexpr double kUsualLengthscale = 0.2;
constexpr std::size_t kMaxStudyName = 100;
constexpr const char* kIsLearned =
    "is learned from the rewards: leave it out, or set duets.parameters = \"fixed\"";

constexpr std::array<std::string_view, 7> kTables{"study", "space",     "kernel",     "noise",
                                                  "duets", "objective", "coordinator"};

void check_tables(const Node& root) {
  for (const auto& [key, node] : root.entries) {
    if (std::find(kTables.begin(), kTables.end(), key) == kTables.end()) {
      throw PlacedError(node.position, show_name(key) + " = " + show(node) +
                                           ": unknown key or table" + advice(key, kTables));
    }
  }
}

std::string default_name(const std::string& file_name) {
  std::string stem = std::filesystem::path(file_name).stem().string();
  for (char& c : stem) {
    if (!service::is_study_name(std::string{'x', c})) c = '-';
  }
  stem.resize(std::min(stem.size(), kMaxStudyName));
  return service::is_study_name(stem) ? stem : "study";
}

std::uint32_t count_of(const Section& section, std::string_view key, const char* meaning) {
  const auto count = section.whole(key, 1, kMaxQueries);
  if (!count) section.fail(key, fmt::format("required: {}", meaning));
  return static_cast<std::uint32_t>(*count);
}

void read_study(const Section& section, const std::string& file_name,
                const StudyOverrides& overrides, StudyFile& out) {
  constexpr std::array<std::string_view, 6> kKeys{"name",    "direction", "agents",
                                                  "horizon", "seed",      "algorithm"};
  section.check_keys(kKeys);
  out.study.name = section.text("name").value_or(default_name(file_name));
  if (!service::is_study_name(out.study.name)) {
    section.fail("name",
                 "must be 1 to 100 letters, digits, '-', '_' or '.', not starting with '.'");
  }
  const auto direction = section.option<Direction>("direction");
  if (!direction) section.fail("direction", "required: \"maximize\" or \"minimize\"");
  out.direction = *direction;
  out.study.agents = count_of(section, "agents", "the number of agents");
  out.study.horizon = count_of(section, "horizon", "the number of queries of each agent");
  if (std::uint64_t{out.study.agents} * out.study.horizon > kMaxQueries) {
    section.fail("horizon", fmt::format("agents times horizon must be at most {}", kMaxQueries));
  }
  constexpr std::array<std::pair<std::string_view, int>, 1> kAlgorithms{{{"duets", 0}}};
  section.option<int>("algorithm", kAlgorithms);
  out.seed = section.whole("seed", 0, kMaxSeed).value_or(out.seed);
  if (overrides.seed) {
    base::require(*overrides.seed <= kMaxSeed, "--seed", fmt::format("{}", *overrides.seed),
                  fmt::format("must be a whole number from 0 to {}", kMaxSeed));
    out.seed = *overrides.seed;
  }
}

bool is_learned(const StudyFile& file) {
  return file.study.parameters == protocol::Parameters::kLearned;
}

// Boxes are one unit wide whatever they are about, so one default serves them all; given points
// have units that nobody else knows, unless a preset measures them.
double default_lengthscale(const Section& section, const StudyFile& out) {
  if (out.preset && *out.preset != protocol::Preset::kPaper) {
    return protocol::guessed_lengthscale(*out.study.domain);
  }
  if (out.space.source == CandidateSource::kPoints) {
    section.fail("lengthscale", "required: given points have no usual length scale");
  }
  const bool round = out.study.domain->shape() == domain::Shape::kBall ||
                     (out.space.source == CandidateSource::kRandom &&
                      out.space.shape != region::CandidateShape::kCube);
  return round ? out.space.radius : kUsualLengthscale;
}

void read_kernel(const Section& section, StudyFile& out) {
  constexpr std::array<std::string_view, 3> kKeys{"name", "lengthscale", "variance"};
  section.check_keys(kKeys);
  kernel::Kernel& kernel = out.study.kernel;
  kernel.family = section.option<kernel::Family>("name").value_or(kernel.family);
  if (is_learned(out)) section.forbid("variance", kIsLearned);
  kernel.variance = section.positive("variance").value_or(kernel.variance);
  if (const auto given = section.positives("lengthscale")) {
    out.lengthscales = *given;
    out.lengthscale_given = true;
  } else {
    out.lengthscales = {default_lengthscale(section, out)};
  }
  for (const double lengthscale : out.lengthscales) {
    // A guess may be out of range, too: given points lie anywhere.
    if (lengthscale < kSmallestLengthscale || lengthscale > kLargest) {
      section.fail("lengthscale", "must be at least 1e-12 and at most 1e100");
    }
  }
  kernel.lengthscales = out.study.domain->feature_lengthscales(out.lengthscales);
}

void read_noise(const Section& section, StudyFile& out) {
  constexpr std::array<std::string_view, 4> kKeys{"lambda", "bound", "subgaussian", "delta"};
  section.check_keys(kKeys);
  if (is_learned(out)) section.forbid("lambda", kIsLearned);
  out.study.lambda = section.positive("lambda").value_or(out.study.lambda);
}

void read_coordinator(const Section& section, StudyFile& out) {
  constexpr std::array<std::string_view, 5> kKeys{"listen", "storage", "tls", "quorum", "deadline"};
  section.check_keys(kKeys);
  CoordinatorSpec& coordinator = out.coordinator;
  coordinator.listen = section.text("listen");
  if (coordinator.listen && coordinator.listen->find(':') == std::string::npos) {
    section.fail("listen", "must be \"HOST:PORT\"");
  }
  coordinator.storage = section.text("storage");
  coordinator.tls = section.text("tls");
  if (const auto quorum = section.whole("quorum", 1, out.study.agents)) {
    coordinator.quorum = static_cast<std::uint32_t>(*quorum);
  }
  coordinator.deadline = section.number("deadline");
  if (coordinator.deadline && *coordinator.deadline < 1) {
    section.fail("deadline", "must be at least 1: multiples of T_j times the seconds of a query");
  }
  if (coordinator.deadline && !coordinator.quorum) {
    section.fail("deadline", "needs coordinator.quorum: how many agents are enough");
  }
}

StudyFile read_tree(const Node& root, const std::string& file_name,
                    const std::filesystem::path& directory, const StudyOverrides& overrides) {
  check_tables(root);
  const auto section = [&](const char* name) { return Section(name, root.find(name)); };
  StudyFile out;
  read_study(section("study"), file_name, overrides, out);
  out.objective = read_objective(section("objective"), overrides.functions);
  SpaceResult space =
      read_space(section("space"), builtin_info(out.objective), out.seed, directory);
  out.space = std::move(space.spec);
  out.study.domain = std::move(space.domain);
  // A file that says nothing of the model gets one that finds out.
  const bool silent = section("kernel").table() == nullptr && section("noise").table() == nullptr &&
                      section("duets").table() == nullptr;
  out.preset =
      read_duets(section("duets"), section("noise"),
                 silent ? std::optional(protocol::Preset::kAuto) : std::nullopt, out.study);
  read_kernel(section("kernel"), out);
  read_noise(section("noise"), out);
  read_coordinator(section("coordinator"), out);
  protocol::validate(out.study);
  return out;
}

}  // namespace

StudyFile parse_study(std::string_view text, const std::string& file_name,
                      const std::filesystem::path& directory_for_csv,
                      const StudyOverrides& overrides) {
  const Node root = parse_toml(text, file_name);
  try {
    return read_tree(root, file_name, directory_for_csv, overrides);
  } catch (const LocatedError&) {
    throw;
  } catch (const PlacedError& error) {
    throw LocatedError(file_name, error.position(), error.what());
  } catch (const base::Error& error) {
    // "field = value: constraint", from here or from a room below.
    const std::string_view message = error.what();
    const Position position = locate(root, message.substr(0, message.find(" = ")));
    throw LocatedError(file_name, position, error.what());
  }
}

StudyFile load_study(const std::filesystem::path& path, const StudyOverrides& overrides) {
  const std::string text = read_file(path, kMaxStudyBytes, "study file");
  return parse_study(text, path.string(), path.parent_path(), overrides);
}

}  // namespace duets::cli
