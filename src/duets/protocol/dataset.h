// The points that an epoch's posterior is computed from, of all agents.
#pragma once

#include <cstdint>
#include <vector>

#include "duets/domain/domain.h"
#include "duets/gp/data_blocks.h"
#include "duets/protocol/history.h"

namespace duets::protocol {

/// The points that count, as features; repeated ones collapsed on finite sets.
struct Dataset {
  gp::DataBlocks blocks;
  std::uint64_t num_points = 0;  ///< with multiplicity
};

/// Blocks that keep their rows in memory.
gp::DataBlocks owning_blocks(gp::DataBlock rows);

/// Rows in memory, all counted once.
Dataset dataset_of(numeric::Points features);

/// A finite set's dataset: `tally` says how often each candidate was queried.
Dataset collapse(const domain::Domain& domain, const std::vector<std::uint64_t>& tally);

}  // namespace duets::protocol
