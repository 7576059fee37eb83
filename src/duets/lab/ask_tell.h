// Plain ask and tell: what the same queries cost when nothing is saved.
#pragma once

#include <cstddef>
#include <cstdint>

#include "duets/lab/curves.h"
#include "duets/protocol/study.h"

namespace duets::lab {

/// In each of T rounds every agent is sent a point and returns its reward: N T (d + 1) reals over
/// all links, N T of them up. This is what batch-gp sends, and any optimiser that is told every
/// reward; what an algorithm saves is measured from here.
struct AskTell {
  std::uint32_t agents = 0;
  std::uint32_t horizon = 0;   ///< T, also the number of rounds
  std::size_t dimension = 0;   ///< coordinates of a point
  bool shares_points = false;  ///< a finite set: an index is enough

  double reals(Ledger ledger) const;
};

AskTell ask_tell_of(const protocol::Study& study);

}  // namespace duets::lab
