// One agent's queries: its points, which of them count, and (where known) their rewards.
//
// Agent and coordinator keep the same history of an agent, so that both project the same rows in
// the same order and get the same bits.
#pragma once

#include <cstdint>
#include <vector>

#include "duets/base/ids.h"
#include "duets/protocol/study.h"
#include "duets/region/sampler.h"

namespace duets::protocol {

/// Rows that an epoch's posterior uses, in epoch and slot order.
struct Selection {
  numeric::Points latents;
  std::vector<std::uint32_t> indices;  ///< finite sets only
  numeric::Vector rewards;             ///< 0 where the holder does not know them
};

class History {
 public:
  /// `policy` decides how long rows are kept.
  explicit History(DataPolicy policy) : policy_(policy) {}

  /// Begins an epoch with its points; all of them count until told otherwise.
  void open(base::EpochId epoch, region::Draw draw);

  /// Sets the rewards of the newest epoch: one a slot.
  void set_rewards(const std::vector<double>& rewards);

  /// All slots of the newest epoch count but these. Slots must exist.
  void set_holes(const std::vector<std::uint32_t>& holes);

  /// Takes the whole newest epoch out: the agent did not take part.
  void exclude();

  /// The rows for the newest epoch, whose region is `region`.
  Selection select(const region::Region& region) const;

  /// Points of the newest epoch.
  const numeric::Points& latents() const { return blocks_.back().draw.latents; }

 private:
  struct Block {
    base::EpochId epoch{};
    region::Draw draw;
    std::vector<double> rewards;
    std::vector<std::uint8_t> present;
  };
  std::vector<std::uint8_t> rows_that_count(const Block& block, const region::Region& region) const;

  DataPolicy policy_;
  std::vector<Block> blocks_;
};

}  // namespace duets::protocol
