// Derived fields and texts of a v1::StudyStatus, for people and programs.
#pragma once

#include <cstdint>
#include <string>

namespace duets::v1 {
class StudyStatus;
class Waiting;
enum StudyState : int;
enum Presence : int;
}  // namespace duets::v1

namespace duets::service {

/// "running", "never seen".
std::string word_of(v1::StudyState state);
std::string word_of(v1::Presence presence);

/// Fills the fields that follow from others:
///   an agent's answers: an agent that has uploaded has answered everything, whatever its
///   heartbeats
///     said;
///   an agent's state: "delivered", "measuring", "lost", "left" or "never seen" in a running study,
///     "done" when the study has finished, "retired" always;
///   holding_up: agents whose upload is missing and that are not working or, when all missing ones
///     are working, the last one missing;
///   progress: the share of all queries in closed epochs and answered in the open one;
///   seconds_left: the time that the slowest agent needs; nothing when the study does not run, no
///     query was measured yet, or an agent whose upload is missing is not working.
void derive(v1::StudyStatus& status);

/// Checks a status that came over the wire, and cleans its texts (wire_text.h). kInvalid for values
/// that no coordinator sends.
void check(v1::StudyStatus& status);

/// Number of agents that are not retired.
std::uint32_t num_active(const v1::StudyStatus& status);

/// "waiting for agents 3, 7 (and 5 more) in epoch 4 for 12 s": the agents that hold up the study;
/// empty when there are none.
std::string waiting_text(const v1::StudyStatus& status);
/// The same for an agent's view, with all missing agents.
std::string waiting_text(const v1::Waiting& waiting);

}  // namespace duets::service
