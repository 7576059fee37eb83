// How a study stands, for people and programs: what follows from a v1::StudyStatus, and its texts.
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

/// Fills what follows from the other fields:
///   an agent's answers: whoever has uploaded has answered everything, heartbeats or not;
///   an agent's state: "delivered", "measuring", "lost", "left" or "never seen" in a study that
///     runs, "done" when it has finished, "retired" always;
///   holding_up: agents whose upload is missing and that are not at work or, when all that are
///     missing are at work, the last one missing;
///   progress: the share of all queries in closed epochs and answered in the open one;
///   seconds_left: as long as the slowest agent takes; nothing when the study does not run, nobody
///     has measured how long a query takes, or an agent whose upload is missing is not at work.
void derive(v1::StudyStatus& status);

/// A status that came over the wire: its texts are cleaned (wire_text.h). kInvalid for what no
/// coordinator sends.
void check(v1::StudyStatus& status);

/// How many agents are not retired.
std::uint32_t num_active(const v1::StudyStatus& status);

/// "waiting for agents 3, 7 (and 5 more) in epoch 4, since 12 s": those that hold everybody up;
/// empty when nobody does.
std::string waiting_text(const v1::StudyStatus& status);
/// The same of what an agent is told, with everybody that is missing.
std::string waiting_text(const v1::Waiting& waiting);

}  // namespace duets::service
