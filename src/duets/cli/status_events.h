// What changed between two looks at a study, in lines for people.
#pragma once

#include <string>
#include <vector>

#include "duets/service/study_status.h"

namespace duets::cli {

/// One line a change: epochs that closed (with who was excluded) and opened, agents that joined,
/// came back, left, were lost, taken over or retired, problems, and the end. Agents with the same
/// news share a line. `before` is null at the first look: then only how the study stands is told.
std::vector<std::string> changes(const service::StudyStatus* before,
                                 const service::StudyStatus& now);

/// "epoch 2 closed (deadline): 6 of 8 agents, without agents 3, 7; 4 holes; ...".
std::string closed_text(const service::EpochStatus& epoch, std::uint32_t agents);

/// True when nothing more happens in the study.
bool is_over(const service::StudyStatus& status);

}  // namespace duets::cli
