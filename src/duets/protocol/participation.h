// The record of who took part in a run: tells a simulation which agents are lost and which queries
// fail, and keeps what the records of a deployment say about them.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace duets::protocol {

/// Absences of one epoch. Agents and epochs that are not named take part fully.
struct EpochAbsence {
  std::set<std::uint32_t> excluded;  ///< agents that are not heard of
  std::map<std::uint32_t, std::vector<std::uint32_t>>
      holes;  ///< agent -> slots that fail, increasing

  friend bool operator==(const EpochAbsence&, const EpochAbsence&) = default;
};

/// By epoch, counted from 1.
using Participation = std::map<std::uint32_t, EpochAbsence>;

/// The absences of an epoch; none where it is not named.
inline const EpochAbsence& absence_in(const Participation& participation, std::uint32_t epoch) {
  static const EpochAbsence kNobody;
  const auto found = participation.find(epoch);
  return found == participation.end() ? kNobody : found->second;
}

}  // namespace duets::protocol
