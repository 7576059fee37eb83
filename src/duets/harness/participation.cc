#include "duets/harness/participation.h"

#include <algorithm>

#include "duets/protocol/records.h"

namespace duets::harness {
namespace {

void note_holes(const protocol::Message& message,
                std::map<std::uint32_t, std::vector<std::uint32_t>>& holes) {
  if (const auto* upload = std::get_if<protocol::Upload>(&message)) {
    holes[base::value(upload->agent)] = upload->holes;
  } else if (const auto* closing = std::get_if<protocol::Closing>(&message)) {
    holes[base::value(closing->agent)] = closing->holes;
  }
}

EpochAbsence absence_of(const protocol::Study& study, const protocol::EpochClosed& closed,
                        const std::map<std::uint32_t, std::vector<std::uint32_t>>& holes) {
  EpochAbsence absence;
  for (std::uint32_t a = 0; a < study.agents; ++a) {
    if (!std::binary_search(closed.participants.begin(), closed.participants.end(), a)) {
      absence.excluded.insert(a);
      continue;
    }
    const auto found = holes.find(a);
    if (found != holes.end() && !found->second.empty()) absence.holes.insert(*found);
  }
  return absence;
}

}  // namespace

Participation participation_of(const protocol::Study& study, std::span<const base::Bytes> records) {
  Participation participation;
  std::map<std::uint32_t, std::vector<std::uint32_t>> holes;  // of the open epoch
  for (const base::Bytes& bytes : records) {
    const protocol::Record record = protocol::decode_record(bytes);
    if (const auto* taken = std::get_if<protocol::MessageTaken>(&record)) {
      note_holes(taken->message, holes);
    } else if (const auto* closed = std::get_if<protocol::EpochClosed>(&record)) {
      EpochAbsence absence = absence_of(study, *closed, holes);
      if (!absence.excluded.empty() || !absence.holes.empty()) {
        participation.emplace(base::value(closed->epoch), std::move(absence));
      }
      holes.clear();
    }
  }
  return participation;
}

}  // namespace duets::harness
