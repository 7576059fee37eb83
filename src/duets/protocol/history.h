// One agent's queries: its points, which of them count, and (where known) their rewards.
//
// Agent and coordinator keep the same history of an agent, so that both project the same rows in
// the same order and get the same bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "duets/base/ids.h"
#include "duets/protocol/study.h"
#include "duets/region/sampler.h"

namespace duets::protocol {

/// The rows that an epoch's posterior uses, in epoch and slot order.
struct Selection {
  numeric::Points latents;
  std::vector<std::uint32_t> indices;  ///< finite sets only
  numeric::Vector rewards;             ///< 0 where the holder does not know them
  bool knows_rewards = true;           ///< of every row
};

class History {
 public:
  /// Rows are kept as long as the study's epochs use them. Each epoch calls one of the next two,
  /// then open().
  explicit History(const Study& study);

  /// Forgets everything that an epoch in `region` does not use: all rows, or those outside. Regions
  /// nest, so a row that is out stays out.
  void keep_inside(const region::Region& region);

  /// Instead, before an epoch that uses all rows of the run (recalls_all()): brings them back.
  void recall();

  /// Begins an epoch with its points (not null); all of them count unless changed below.
  void open(std::shared_ptr<const region::Draw> draw);

  /// Sets the rewards of the newest epoch: one per slot, or none where they are not known.
  void set_rewards(const std::vector<double>& rewards);

  /// All slots of the newest epoch count except these. Slots must exist.
  void set_holes(const std::vector<std::uint32_t>& holes);

  /// Removes the whole newest epoch: the agent did not take part.
  void exclude();

  /// The rows for the newest epoch.
  Selection select() const;
  /// Their number.
  std::uint64_t num_rows() const;
  /// Those of the newest epoch alone.
  Selection select_newest() const;

  /// Points of the newest epoch.
  const std::shared_ptr<const region::Draw>& draw() const { return blocks_.back().draw; }

 private:
  struct Block {
    std::shared_ptr<const region::Draw> draw;
    std::vector<double> rewards;        ///< empty: not known
    std::vector<std::uint8_t> present;  ///< 1 where a row counts; empty: everywhere
  };
  static bool counts(const Block& block, std::size_t row) {
    return block.present.empty() || block.present[row] != 0;
  }
  Selection select_from(std::size_t first_block) const;
  std::uint64_t num_rows_from(std::size_t first_block) const;
  static Block remainder(const Block& block, const region::Region& region);

  DataPolicy policy_;
  std::ptrdiff_t num_recalls_;  ///< to come, where stages end
  bool recalled_ = false;       ///< all rows are in `blocks_`
  std::vector<Block> blocks_;
  std::vector<Block> past_;  ///< to be recalled: epochs as they were, in order
};

}  // namespace duets::protocol
