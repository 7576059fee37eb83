#include "duets/protocol/history.h"

#include <algorithm>
#include <utility>

#include "duets/numeric/rows.h"

namespace duets::protocol {

History::History(const Study& study)
    : policy_(study.data),
      num_recalls_(std::ranges::count_if(stages(study), [&](const Stage& stage) {
        return recalls_all(study, base::EpochId{stage.end()});
      })) {}

// The rows of an earlier epoch that count and lie in the region.
History::Block History::remainder(const Block& block, const region::Region& region) {
  const numeric::Points& latents = block.draw->latents;
  const bool finite = region.domain().is_finite();
  const region::Membership membership = finite ? region::Membership{} : region.contains(latents);
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < latents.rows(); ++row) {
    const auto& survivors = region.survivors();
    const bool inside =
        finite ? std::binary_search(survivors.begin(), survivors.end(), block.draw->indices[row])
               : membership.inside[row] != 0;
    if (inside && counts(block, row)) rows.push_back(row);
  }
  auto draw = std::make_shared<region::Draw>();
  draw->latents = numeric::select_rows(latents, rows);
  Block rest;
  for (const std::uint32_t row : rows) {
    if (finite) draw->indices.push_back(block.draw->indices[row]);
    if (!block.rewards.empty()) rest.rewards.push_back(block.rewards[row]);
  }
  rest.draw = std::move(draw);
  return rest;
}

void History::keep_inside(const region::Region& region) {
  const bool was_recalled = std::exchange(recalled_, false);
  if (num_recalls_ == 0) {
    past_.clear();
  } else if (was_recalled) {
    past_ = blocks_;
  } else if (!blocks_.empty()) {
    past_.push_back(blocks_.back());
  }
  if (policy_ == DataPolicy::kEpoch) blocks_.clear();
  for (Block& block : blocks_) block = remainder(block, region);
}

void History::recall() {
  --num_recalls_;
  if (std::exchange(recalled_, true)) return;
  if (!blocks_.empty()) past_.push_back(std::move(blocks_.back()));
  blocks_ = std::exchange(past_, {});
}

void History::open(std::shared_ptr<const region::Draw> draw) {
  blocks_.push_back({std::move(draw), {}, {}});
}

void History::set_rewards(const std::vector<double>& rewards) { blocks_.back().rewards = rewards; }

void History::set_holes(const std::vector<std::uint32_t>& holes) {
  Block& block = blocks_.back();
  block.present.clear();
  if (holes.empty()) return;
  block.present.assign(static_cast<std::size_t>(block.draw->latents.rows()), 1);
  for (const std::uint32_t slot : holes) block.present[slot] = 0;
}

void History::exclude() {
  Block& block = blocks_.back();
  block.present.assign(static_cast<std::size_t>(block.draw->latents.rows()), 0);
}

std::uint64_t History::num_rows() const { return num_rows_from(0); }

std::uint64_t History::num_rows_from(std::size_t first_block) const {
  std::uint64_t rows = 0;
  for (std::size_t b = first_block; b < blocks_.size(); ++b) {
    const Block& block = blocks_[b];
    rows +=
        block.present.empty()
            ? static_cast<std::uint64_t>(block.draw->latents.rows())
            : static_cast<std::uint64_t>(std::count(block.present.begin(), block.present.end(), 1));
  }
  return rows;
}

Selection History::select() const { return select_from(0); }

Selection History::select_newest() const { return select_from(blocks_.size() - 1); }

Selection History::select_from(std::size_t first_block) const {
  Selection selection;
  const auto num = static_cast<Eigen::Index>(num_rows_from(first_block));
  selection.latents.resize(num, blocks_.back().draw->latents.cols());
  selection.rewards.resize(num);
  Eigen::Index next = 0;
  for (std::size_t b = first_block; b < blocks_.size(); ++b) {
    const Block& block = blocks_[b];
    for (Eigen::Index row = 0; row < block.draw->latents.rows(); ++row) {
      const auto i = static_cast<std::size_t>(row);
      if (!counts(block, i)) continue;
      selection.latents.row(next) = block.draw->latents.row(row);
      selection.rewards[next] = block.rewards.empty() ? 0.0 : block.rewards[i];
      selection.knows_rewards = selection.knows_rewards && !block.rewards.empty();
      if (!block.draw->indices.empty()) selection.indices.push_back(block.draw->indices[i]);
      ++next;
    }
  }
  return selection;
}

}  // namespace duets::protocol
