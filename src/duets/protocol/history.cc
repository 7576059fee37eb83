#include "duets/protocol/history.h"

#include <algorithm>
#include <utility>

namespace duets::protocol {

void History::open(base::EpochId epoch, region::Draw draw) {
  if (policy_ == DataPolicy::kEpoch) blocks_.clear();
  const auto rows = static_cast<std::size_t>(draw.latents.rows());
  blocks_.push_back(
      {epoch, std::move(draw), std::vector<double>(rows, 0.0), std::vector<std::uint8_t>(rows, 1)});
}

void History::set_rewards(const std::vector<double>& rewards) { blocks_.back().rewards = rewards; }

void History::set_holes(const std::vector<std::uint32_t>& holes) {
  std::vector<std::uint8_t>& present = blocks_.back().present;
  std::fill(present.begin(), present.end(), 1);
  for (const std::uint32_t slot : holes) present[slot] = 0;
}

void History::exclude() {
  std::fill(blocks_.back().present.begin(), blocks_.back().present.end(), 0);
}

std::vector<std::uint8_t> History::rows_that_count(const Block& block,
                                                   const region::Region& region) const {
  std::vector<std::uint8_t> counts = block.present;
  if (&block == &blocks_.back()) return counts;  // drawn from this region: all inside
  if (region.domain().is_finite()) {
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const auto& survivors = region.survivors();
      if (!std::binary_search(survivors.begin(), survivors.end(), block.draw.indices[i]))
        counts[i] = 0;
    }
    return counts;
  }
  const region::Membership membership = region.contains(block.draw.latents);
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] &= membership.inside[i];
  return counts;
}

Selection History::select(const region::Region& region) const {
  Selection selection;
  std::vector<double> rewards;
  std::vector<const double*> rows;
  for (const Block& block : blocks_) {
    const std::vector<std::uint8_t> counts = rows_that_count(block, region);
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (counts[i] == 0) continue;
      rows.push_back(block.draw.latents.row(static_cast<Eigen::Index>(i)).data());
      rewards.push_back(block.rewards[i]);
      if (!block.draw.indices.empty()) selection.indices.push_back(block.draw.indices[i]);
    }
  }
  const auto dimension = static_cast<Eigen::Index>(region.domain().dimension());
  selection.latents.resize(static_cast<Eigen::Index>(rows.size()), dimension);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::copy_n(rows[i], dimension, selection.latents.row(static_cast<Eigen::Index>(i)).data());
  }
  selection.rewards =
      Eigen::Map<const numeric::Vector>(rewards.data(), static_cast<Eigen::Index>(rewards.size()));
  return selection;
}

}  // namespace duets::protocol
