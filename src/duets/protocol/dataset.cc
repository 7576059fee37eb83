#include "duets/protocol/dataset.h"

#include <memory>
#include <utility>

#include "duets/numeric/rows.h"

namespace duets::protocol {

// The rows live as long as the blocks that refer to them.
gp::DataBlocks owning_blocks(gp::DataBlock rows) {
  const auto kept = std::make_shared<const gp::DataBlock>(std::move(rows));
  gp::DataBlocks blocks = gp::blocks_of(kept->points, kept->counts);
  blocks.block = [kept, block = std::move(blocks.block)](std::size_t i) { return block(i); };
  return blocks;
}

Dataset dataset_of(numeric::Points features) {
  const auto num_points = static_cast<std::uint64_t>(features.rows());
  return {owning_blocks({std::move(features), {}}), num_points};
}

Dataset collapse(const domain::Domain& domain, const std::vector<std::uint64_t>& tally) {
  Dataset data;
  std::vector<std::uint32_t> present;
  for (std::uint32_t i = 0; i < tally.size(); ++i) {
    if (tally[i] > 0) present.push_back(i);
  }
  gp::DataBlock rows{domain.features(numeric::select_rows(domain.candidates(), present)),
                     numeric::Vector(static_cast<Eigen::Index>(present.size()))};
  for (std::size_t i = 0; i < present.size(); ++i) {
    data.num_points += tally[present[i]];
    rows.counts[static_cast<Eigen::Index>(i)] = static_cast<double>(tally[present[i]]);
  }
  data.blocks = owning_blocks(std::move(rows));
  return data;
}

}  // namespace duets::protocol
