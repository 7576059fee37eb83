#include "duets/cli/study_definition.h"

#include <fmt/format.h>

#include "duets/base/error.h"

namespace duets::cli {

service::Definition definition_of(const StudyFile& file) {
  service::Definition definition;
  definition.study = std::make_shared<const protocol::Study>(file.study);
  service::ObjectiveSettings& objective = definition.objective;
  objective.direction = file.direction;
  objective.offset = file.objective.offset;
  objective.scale = file.objective.scale;
  objective.infeasible_value = file.objective.infeasible_value;
  objective.timeout_seconds = file.objective.timeout;
  objective.retries = file.objective.retries;
  objective.command = file.objective.command;
  definition.policy.quorum = file.coordinator.quorum.value_or(0);
  definition.policy.deadline = file.coordinator.deadline.value_or(0);
  definition.toml = resolved_toml(file);
  return definition;
}

StudyFile study_file_of(const service::Definition& definition,
                        std::span<const OwnFunction> functions) {
  const std::string& name = definition.study->name;
  StudyFile file = parse_study(definition.toml, name + ".toml", {}, {std::nullopt, functions});
  const base::Digest here = protocol::study_digest(file.study);
  const base::Digest there = protocol::study_digest(*definition.study);
  if (!(here == there)) {
    throw base::Error(base::ErrorKind::kDiverged,
                      fmt::format("study {}: its study file gives the study digest {} here, the "
                                  "coordinator has {}; compare `duets version` of both sides",
                                  name, base::to_hex(here), base::to_hex(there)));
  }
  return file;
}

}  // namespace duets::cli
