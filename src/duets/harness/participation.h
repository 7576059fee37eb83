// The record of who took part: a simulation's input for agents that are lost or fail.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "duets/base/bytes.h"
#include "duets/protocol/study.h"

namespace duets::harness {

/// Absences of one epoch. Agents and epochs that are not named take part fully.
struct EpochAbsence {
  std::set<std::uint32_t> excluded;  ///< agents that are not heard of
  std::map<std::uint32_t, std::vector<std::uint32_t>>
      holes;  ///< agent -> slots that fail, increasing

  friend bool operator==(const EpochAbsence&, const EpochAbsence&) = default;
};

/// By epoch, counted from 1.
using Participation = std::map<std::uint32_t, EpochAbsence>;

/// Who took part in the closed epochs of a journal: a simulation with it, the deployment's secret
/// and the same rewards is the same run. Throws kDecode for bytes that are no record.
Participation participation_of(const protocol::Study& study, std::span<const base::Bytes> records);

}  // namespace duets::harness
