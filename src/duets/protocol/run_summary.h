// A run as its records tell it: the closed epochs, what was sent, what was found, who took part.
//
// A run is a fold over records. Simulated, local and deployed runs leave the same records, so this
// is the one place where any of them is summed up.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "duets/base/ledger.h"
#include "duets/protocol/participation.h"
#include "duets/protocol/records.h"
#include "duets/protocol/study.h"

namespace duets::protocol {

/// Cumulative communication after an exchange, in real numbers, in the three ledgers of
/// docs/guide.md, the closing messages apart.
struct CommunicationPoint {
  std::uint32_t epoch = 0;
  std::uint32_t t = 0;      ///< queries made by each agent when it was sent
  double paper = 0;         ///< mean uplink per agent + broadcast counted once
  double figure = 0;        ///< total uplink
  double links = 0;         ///< every link, unicast
  double closing = 0;       ///< closing messages, every link
  std::uint64_t bytes = 0;  ///< encoded size on every link, closing included
};

/// Posterior deviations on either side of the recommendation's mean where the model is learned.
inline constexpr double kLearnedInterval = 4;

/// What posterior samples say of the rest of the last region and, with cut = "decision", of what
/// the cuts removed. True only of the model (docs/self-tuning.md).
struct Missed {
  double expected = 0;  ///< how much better the best point is than the recommended one; model units
  double better_by = 0;  ///< model units
  double chance = 0;     ///< that one is better by more than that
};

/// What is recommended and how far to trust it; never confused with the best reward observed.
struct Recommendation {
  base::EpochId epoch{};
  numeric::Vector point;  ///< latent
  double mean = 0;        ///< model units
  double half_width = 0;  ///< posterior deviations at the point: width, or kLearnedInterval
  std::optional<Missed> missed{};  ///< nothing where no samples were drawn
};

class RunSummary {
 public:
  explicit RunSummary(const Study& study);

  /// The next record of the run. Records are those of one run, in order, as a coordinator checks
  /// them; the end may be missing. kInvalid for an agent, kDecode for an epoch that the study does
  /// not have.
  void add(const Record& record);

  std::size_t num_closed() const { return num_closed_; }
  /// Every epoch is closed.
  bool finished() const { return num_closed_ == lengths_.size(); }
  /// Reports of the closed epochs: all, but for those in which agents sent no values.
  const std::vector<EpochReport>& epochs() const { return epochs_; }
  /// One point for each closed epoch.
  const std::vector<CommunicationPoint>& communication() const { return communication_; }
  /// What has been sent so far, messages of the open epoch included.
  base::LedgerTotals sent() const { return ledger_.totals(); }
  /// Of the closed epochs. A simulation with it, the same secret and the same rewards is the same
  /// run.
  const Participation& participation() const { return participation_; }
  /// Nothing before an epoch with a report is closed.
  std::optional<Recommendation> recommendation() const;
  /// The best reward that an agent reported at the end of a stage; of equal ones the first
  /// agent's. Nothing before a stage is finished.
  const std::optional<BestTrial>& best_trial() const { return best_; }
  const base::Digest& run_digest() const { return run_digest_; }
  const base::Digest& state_digest() const { return state_digest_; }
  /// Of all decisions, and the estimated rounding error beside it.
  double smallest_margin() const;
  double mean_error() const;

 private:
  void add_broadcast(const Message& message, bool closing);
  void add_taken(const Message& message);
  void add_closed(const EpochClosed& closed);
  EpochAbsence absence(const EpochClosed& closed) const;
  void mark();

  Study study_;
  std::vector<std::uint32_t> lengths_;
  std::size_t num_closed_ = 0;
  base::Ledger ledger_;
  std::vector<EpochReport> epochs_;
  std::vector<CommunicationPoint> communication_;
  Participation participation_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> open_holes_;  ///< of the open epoch
  std::map<std::uint32_t, BestTrial> closing_bests_;                ///< by agent
  std::optional<BestTrial> best_;
  base::Digest run_digest_;
  base::Digest state_digest_;
};

/// Of encoded records. Throws kDecode for bytes that are no record.
RunSummary summarise(const Study& study, std::span<const base::Bytes> records);

}  // namespace duets::protocol
