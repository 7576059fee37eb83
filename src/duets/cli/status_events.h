// Describes the changes of a study between two statuses, in lines for people.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace duets::v1 {
class EpochStatus;
class StudyStatus;
}  // namespace duets::v1

namespace duets::cli {

/// One line per change: epochs that closed (with excluded agents) and opened, agents that joined,
/// came back, left, were lost, taken over or retired, problems, and the end. Agents with the same
/// change share a line. `before` is null the first time: then only the state is described.
std::vector<std::string> changes(const v1::StudyStatus* before, const v1::StudyStatus& now);

/// "epoch 2 closed (deadline): 6 of 8 agents, without agents 3, 7; 4 holes; ...".
std::string closed_text(const v1::EpochStatus& epoch, std::uint32_t agents);

/// True when nothing more happens in the study.
bool is_over(const v1::StudyStatus& status);

}  // namespace duets::cli
