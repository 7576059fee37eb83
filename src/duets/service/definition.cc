#include "duets/service/definition.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "duets/base/error.h"
#include "duets/protocol/messages.h"
#include "duets/service/wire.h"

namespace duets::service {
namespace {

using base::require;

// Limits for one study, to bound a server's memory.
constexpr std::uint32_t kMaxAgents = 1'000'000;
constexpr std::size_t kMaxEpochs = 1'000'000;
constexpr std::size_t kMaxChoices = 100'000;
constexpr std::size_t kMaxCommandText = 128U << 10;

// Every resolved study file begins with this.
constexpr std::string_view kBeginning = "[study]\n";

void require_count(std::uint64_t count, std::uint64_t most, const char* field, const char* unit) {
  require(count <= most, field, fmt::format("{} {}", count, unit),
          fmt::format("a server allows at most {}", most));
}

void check_size(const Definition& definition) {
  const protocol::Study& study = *definition.study;
  require_count(definition.toml.size(), study::kMaxStudyBytes, "study file", "bytes");
  require_count(study.agents, kMaxAgents, "study.agents", "agents");
  require_count(study.epochs.size(), kMaxEpochs, "duets.epochs", "epochs");
  std::size_t num_choices = 0;
  for (const domain::Parameter& parameter : study.domain->parameters()) {
    num_choices += parameter.choices.size();
  }
  require_count(num_choices, kMaxChoices, "space", "choices");
  std::size_t length = 0;
  for (const std::string& word : definition.objective().command) length += word.size() + 1;
  require_count(length, kMaxCommandText, "objective.command", "bytes");
}

Definition made(study::StudyFile file, std::string toml) {
  Definition definition;
  definition.toml = std::move(toml);
  definition.file = std::make_shared<const study::StudyFile>(std::move(file));
  definition.study = {definition.file, &definition.file->study};
  check_size(definition);
  if (const auto infeasible = definition.objective().infeasible_value) {
    const std::string objection = definition.objective().objection_to(*infeasible);
    if (!objection.empty()) {
      base::refuse("objective.infeasible_value", fmt::format("{}", *infeasible),
                   objection.substr(objection.find(": ") + 2));
    }
  }
  return definition;
}

}  // namespace

void validate(const ClosePolicy& policy, std::uint32_t agents) {
  require(policy.quorum <= agents, "coordinator.quorum", fmt::format("{}", policy.quorum),
          fmt::format("must be at most study.agents = {}", agents));
  require(std::isfinite(policy.deadline) && policy.deadline >= 0, "coordinator.deadline",
          fmt::format("{}", policy.deadline), "must be at least 0 and finite");
}

Definition definition_of(const study::StudyFile& file) {
  return made(file, study::resolved_toml(file));
}

Definition with_study(const Definition& definition, const protocol::Study& study) {
  study::StudyFile file = *definition.file;
  file.study = study;
  return definition_of(file);
}

Definition with_stages_of(const Definition& stored, const Definition& given) {
  protocol::Study study = *given.study;
  study.horizon = stored.study->horizon;
  study.earlier_horizons = stored.study->earlier_horizons;
  study.ended_after = stored.study->ended_after;
  return with_study(given, study);
}

Definition read_definition(std::string toml) {
  study::StudyFile file = study::parse_study(toml, "study");
  return made(std::move(file), std::move(toml));
}

v1::Definition to_wire(const Definition& definition) {
  v1::Definition wire;
  wire.set_study_file(definition.toml);
  return wire;
}

Definition from_wire(const v1::Definition& definition) {
  require(!definition.study_file().empty(), "definition", "without a study file",
          "the other side uses an earlier version of the protocol: install the same release of "
          "duets on both");
  return read_definition(definition.study_file());
}

base::Bytes encode_definition(const Definition& definition) {
  return {definition.toml.begin(), definition.toml.end()};
}

Definition decode_definition(std::span<const std::uint8_t> bytes) {
  std::string text(bytes.begin(), bytes.end());
  if (!text.starts_with(kBeginning)) {
    throw base::Error(base::ErrorKind::kDecode,
                      fmt::format("{} bytes that are not a stored study of this version: they do "
                                  "not begin with \"[study]\"; continue a study of an earlier "
                                  "version with that version",
                                  bytes.size()));
  }
  return read_definition(std::move(text));
}

}  // namespace duets::service
