// How a study stands, for people and programs: what `duets status` shows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "duets/base/digest.h"
#include "duets/base/enum_table.h"
#include "duets/protocol/found.h"
#include "duets/v1/duets.pb.h"

namespace duets::service {

enum class StudyState : std::uint8_t { kRunning = 1, kStopped = 2, kFinished = 3, kFailed = 4 };
constexpr auto enum_entries(StudyState /*tag*/) {
  return base::entries<StudyState>({{StudyState::kRunning, "running"},
                                    {StudyState::kStopped, "stopped"},
                                    {StudyState::kFinished, "finished"},
                                    {StudyState::kFailed, "failed"}});
}
enum class Presence : std::uint8_t { kNever = 0, kLive = 1, kLost = 2, kLeft = 3 };
constexpr auto enum_entries(Presence /*tag*/) {
  return base::entries<Presence>({{Presence::kNever, "never seen"},
                                  {Presence::kLive, "live"},
                                  {Presence::kLost, "lost"},
                                  {Presence::kLeft, "left"}});
}

struct AgentStatus {
  std::uint32_t agent = 0;
  Presence presence = Presence::kNever;
  std::string host;
  double heard_seconds_ago = 0;
  bool uploaded = false;  ///< for the open epoch
  std::uint32_t answered = 0;
  std::uint32_t holes = 0;
  double seconds_per_query = 0;  ///< 0: not measured yet
  double query_seconds = 0;      ///< how long the query under way has taken
  std::uint64_t token = 0;
  std::uint32_t epochs_excluded = 0;
  std::string problem;
  bool retired = false;  ///< by an operator, for good
};

struct EpochStatus {
  std::uint32_t epoch = 0;
  std::uint32_t length = 0;
  std::uint32_t participants = 0;
  std::uint64_t holes = 0;
  std::uint64_t inducing = 0;
  double region_fraction = 1;
  std::vector<std::uint32_t> excluded;
  std::string why;  ///< complete, deadline, operator, retired
  double seconds = 0;
};

/// What went over the wire: serialized messages beside the ledger that counts reals. What a
/// repeated call carries again is not counted again.
struct Traffic {
  std::uint64_t calls = 0;
  std::uint64_t payload_up_bytes = 0;
  std::uint64_t payload_down_bytes = 0;
  std::uint64_t reals_links = 0;
  std::uint64_t closing_bytes = 0;
  std::uint64_t closing_reals = 0;
};

using protocol::Found;

struct StudyStatus {
  std::string name;
  StudyState state = StudyState::kRunning;
  std::string problem;
  bool served = true;  ///< by a coordinator that runs now; only files can say no
  std::uint32_t agents = 0, horizon = 0;
  std::uint32_t epoch = 0, num_epochs = 0, epoch_length = 0;
  double epoch_seconds = 0;
  std::optional<double> deadline_seconds;  ///< after the epoch opened
  std::uint32_t quorum = 0;                ///< of the agents that are not retired
  double deadline = 0;                     ///< as ClosePolicy::deadline
  std::vector<std::uint32_t> waiting_for;  ///< not retired, and without an upload
  std::vector<AgentStatus> agent_status;
  std::vector<EpochStatus> epochs;
  std::optional<Found> recommendation, best_trial;
  base::Digest study_digest, run_digest, state_digest;
  bool complete_participation = true;
  Traffic traffic;
  std::vector<std::string> coordinate_names;
  std::string guarantee;
  double created_unix = 0;
};

/// Texts are cleaned (wire_text.h).
v1::StudyStatus to_wire(const StudyStatus& status);
/// kInvalid for what no server sends.
StudyStatus from_wire(const v1::StudyStatus& status);

/// The agents that hold everybody up (increasing): their upload is missing and they are not at work
/// (lost, left or never seen), or, when all that are missing are at work, the last one missing.
std::vector<std::uint32_t> holding_up(const StudyStatus& status);

/// "waiting for agents 3, 7 (and 5 more) in epoch 4, since 12 s": those that hold everybody up;
/// empty when nobody does.
std::string waiting_text(const StudyStatus& status);
/// The same of what an agent is told, with everybody that is missing.
std::string waiting_text(const v1::Waiting& waiting);

/// What agents are told: names at most 100 of those that are missing (increasing).
v1::Waiting waiting_to_wire(std::uint32_t epoch, const std::vector<std::uint32_t>& missing,
                            double seconds);

}  // namespace duets::service
