// Learns the model of the rewards from the raw rewards that agents sent.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "duets/base/executor.h"
#include "duets/base/ids.h"
#include "duets/gp/fit_parameters.h"
#include "duets/protocol/replay.h"
#include "duets/protocol/study.h"

namespace duets::protocol {

/// Parameters are learned from this many of the first rewards; more would add little.
inline constexpr std::size_t kLearnedRows = 256;

class Learner {
 public:
  explicit Learner(std::shared_ptr<const Study> study) : study_(std::move(study)) {}

  /// Sets the rewards of an epoch, replacing earlier ones of the same epoch.
  void set(base::EpochId epoch, Replay::KnownRewards rewards);

  std::size_t num_rewards() const;
  bool wants_more() const { return num_rewards() < study_->raw_rewards; }

  /// Parameters from all rewards, absurd ones limited; none when there is no reward. Not strict:
  /// all processes use what the first one finds.
  std::optional<gp::Parameters> fit(const base::Executor& executor) const;

  /// The logarithm of how plausible these parameters are given the rewards, priors included.
  double log_evidence(const gp::Parameters& parameters) const;

  /// Mean of the squared standardised residuals of an epoch's rewards, predicted from earlier
  /// epochs with these parameters: near 1 when the model fits. None when either has no rewards.
  std::optional<double> surprise(base::EpochId epoch, const gp::Parameters& parameters) const;

 private:
  Replay::KnownRewards before(base::EpochId epoch) const;
  /// Within limits that the first epochs set.
  numeric::Vector limited(numeric::Vector rewards) const;

  std::shared_ptr<const Study> study_;
  std::map<base::EpochId, Replay::KnownRewards> rewards_;
};

}  // namespace duets::protocol
