// Records: what the coordinator persists, as bytes; the journal of a host.
//
// Records hold the transmitted numbers, so that replaying them never recomputes a decision.
#pragma once

#include <map>
#include <variant>
#include <vector>

#include "duets/base/bytes.h"
#include "duets/protocol/messages.h"
#include "duets/protocol/report.h"
#include "duets/protocol/study.h"

namespace duets::protocol {

/// An epoch opened: S_j was chosen.
struct EpochOpened {
  EpochId epoch{};
  bool has_inducing = false;  ///< false for a last epoch that sends nothing
  InducingSet inducing;
  EpochReport report;  ///< what is known at that time
};

/// A message of an agent was accepted.
struct MessageTaken {
  Message message;  ///< Upload or Closing
};

/// An epoch closed: who took part, and what was decided.
struct EpochClosed {
  EpochId epoch{};
  std::vector<std::uint32_t> participants;  ///< increasing
  bool has_trim = false;                    ///< false where a stage ends
  Trim trim;
  bool has_report = false;  ///< false for a last epoch that sends nothing
  EpochReport report;
  base::Digest run_digest;
  base::Digest state_digest;
};

using Record = std::variant<EpochOpened, MessageTaken, EpochClosed>;

base::Bytes encode_record(const Record& record);
/// Throws kDecode for anything encode_record could not have written.
Record decode_record(std::span<const std::uint8_t> bytes);

/// The broadcast that follows from the record: an inducing set, a trim, or nothing. The broadcasts
/// of a run are those of its records in order, for a live host and one that replayed them alike.
/// Those of a study before it was extended are the first ones after: a stage that is not the last
/// ends with a Trim without weights, which cuts nothing.
std::vector<Message> broadcasts(const Study& study, const Record& record);

/// The agents that did not take part, increasing.
std::vector<std::uint32_t> absent(const Study& study, const EpochClosed& closed);

}  // namespace duets::protocol
