// The record of who took part: a simulation's input for agents that are lost or fail.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace duets::harness {

/// Absences of one epoch. Agents and epochs that are not named take part fully.
struct EpochAbsence {
  std::set<std::uint32_t> excluded;  ///< agents that are not heard of
  std::map<std::uint32_t, std::vector<std::uint32_t>>
      holes;  ///< agent -> slots that fail, increasing
};

/// By epoch, counted from 1.
using Participation = std::map<std::uint32_t, EpochAbsence>;

}  // namespace duets::harness
