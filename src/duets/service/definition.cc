#include "duets/service/definition.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "duets/base/error.h"
#include "duets/protocol/messages.h"
#include "duets/service/wire.h"
#include "duets/service/wire_text.h"

namespace duets::service {
namespace {

using base::require;

// What one study may take of a server's memory, and what fits in one message together.
constexpr std::uint32_t kMaxAgents = 1'000'000;
constexpr std::uint64_t kMaxQueries = std::numeric_limits<std::int32_t>::max();
constexpr std::size_t kMaxEpochs = 1'000'000;
constexpr std::int64_t kMaxCandidateNumbers = 4'000'000;
constexpr std::size_t kMaxChoices = 100'000;
constexpr std::size_t kMaxSpaceText = 4U << 20;
constexpr std::size_t kMaxCommandText = 128U << 10;
constexpr std::size_t kMaxToml = 16U << 20;
constexpr std::size_t kMaxName = 100;
constexpr std::uint32_t kMaxRetries = 1000;

void require_count(std::uint64_t count, std::uint64_t most, const char* field, const char* unit) {
  require(count <= most, field, fmt::format("{} {}", count, unit),
          fmt::format("a server takes at most {}", most));
}

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_' || c == '.';
}

constexpr const char* kUsable =
    "must be finite and, after offset and scale, below 2^128 = 3.4e38 in size";

void check_name(const std::string& name) {
  require(is_study_name(name), "study.name", clean_text(name, kMaxName),
          "must be 1 to 100 letters, digits, '-', '_' or '.', not starting with '.'");
}

void check_space(const domain::Domain& domain) {
  require_count(static_cast<std::uint64_t>(domain.candidates().size()), kMaxCandidateNumbers,
                "space.candidates", "numbers");
  std::size_t num_choices = 0;
  std::size_t text = 0;
  for (const domain::Parameter& parameter : domain.parameters()) {
    num_choices += parameter.choices.size();
    text += parameter.name.size();
    bool utf8 = is_utf8(parameter.name);
    for (const std::string& choice : parameter.choices) {
      text += choice.size();
      utf8 = utf8 && is_utf8(choice);
    }
    require(utf8, "space." + clean_text(parameter.name, kMaxName), "not UTF-8",
            "names and choices must be UTF-8");
  }
  require_count(num_choices, kMaxChoices, "space", "choices");
  require_count(text, kMaxSpaceText, "space", "bytes of names and choices");
}

void check_objective(const ObjectiveSettings& objective) {
  const auto text = [](double number) { return fmt::format("{}", number); };
  protocol::validate(static_cast<const protocol::RewardScale&>(objective));
  if (objective.infeasible_value) {
    require(protocol::is_usable_reward(objective.reward(*objective.infeasible_value)),
            "objective.infeasible_value", text(*objective.infeasible_value), kUsable);
  }
  require(std::isfinite(objective.timeout_seconds) && objective.timeout_seconds > 0,
          "objective.timeout", text(objective.timeout_seconds), "must be positive and finite");
  require(objective.retries <= kMaxRetries, "objective.retries",
          fmt::format("{}", objective.retries), fmt::format("must be at most {}", kMaxRetries));
  std::size_t length = 0;
  for (const std::string& word : objective.command) {
    length += word.size() + 1;
    require(is_utf8(word) && word.find('\0') == std::string::npos, "objective.command",
            clean_text(word, kMaxName), "must be UTF-8 without zero bytes");
  }
  require_count(length, kMaxCommandText, "objective.command", "bytes");
}

}  // namespace

std::string ObjectiveSettings::objection_to(double value) const {
  if (protocol::is_usable_reward(reward(value))) return {};
  return fmt::format("value = {}: {}", value, kUsable);
}

bool is_study_name(std::string_view name) {
  return !name.empty() && name.size() <= kMaxName && name.front() != '.' &&
         std::all_of(name.begin(), name.end(), is_name_character);
}

void validate(const ClosePolicy& policy, std::uint32_t agents) {
  require(policy.quorum <= agents, "coordinator.quorum", fmt::format("{}", policy.quorum),
          fmt::format("must be at most study.agents = {}", agents));
  require(std::isfinite(policy.deadline) && policy.deadline >= 0, "coordinator.deadline",
          fmt::format("{}", policy.deadline), "must be at least 0 and finite");
}

void validate(const Definition& definition) {
  require(definition.study != nullptr, "study", "missing", "a definition needs a study");
  const protocol::Study& study = *definition.study;
  check_name(study.name);
  require_count(study.agents, kMaxAgents, "study.agents", "agents");
  require_count(std::uint64_t{study.agents} * study.horizon, kMaxQueries, "study.horizon",
                "queries of all agents");
  require_count(study.epochs.size(), kMaxEpochs, "duets.epochs", "epochs");
  protocol::validate(study);
  check_space(*study.domain);
  check_objective(definition.objective);
  validate(definition.policy, study.agents);
  require_count(definition.toml.size(), kMaxToml, "study file", "bytes");
  require(is_utf8(definition.toml), "study file", "not UTF-8", "must be UTF-8");
}

base::Bytes encode_definition(const Definition& definition) {
  const v1::Definition wire = to_wire(definition);
  base::Bytes bytes(wire.ByteSizeLong());
  wire.SerializeWithCachedSizesToArray(bytes.data());
  return bytes;
}

Definition decode_definition(std::span<const std::uint8_t> bytes) {
  v1::Definition wire;
  const bool fits = bytes.size() <= static_cast<std::size_t>(kMaxMessageBytes);
  if (!fits || !wire.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    throw base::Error(base::ErrorKind::kDecode,
                      fmt::format("{} bytes that are not the definition of a study", bytes.size()));
  }
  return from_wire(wire);
}

}  // namespace duets::service
