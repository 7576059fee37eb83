// The data of an epoch's posterior: the points of all agents that count.
#pragma once

#include <cstdint>
#include <vector>

#include "duets/domain/domain.h"
#include "duets/gp/data_blocks.h"
#include "duets/protocol/history.h"

namespace duets::protocol {

/// The points that count, as features; on finite sets repeated points are collapsed.
struct Dataset {
  gp::DataBlocks blocks;
  std::uint64_t num_points = 0;  ///< with multiplicity
};

/// Blocks that keep their rows in memory.
gp::DataBlocks owning_blocks(gp::DataBlock rows);

/// Rows in memory, each counted once.
Dataset dataset_of(numeric::Points features);

/// A finite set's dataset: `tally` says how often each candidate was queried.
Dataset collapse(const domain::Domain& domain, const std::vector<std::uint64_t>& tally);

}  // namespace duets::protocol
