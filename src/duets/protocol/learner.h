// What the coordinator learns of the model from rewards that agents sent as such.
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

/// The first so many rewards are what parameters are learned from; more would tell little.
inline constexpr std::size_t kLearnedRows = 256;
/// Until so many rewards are known agents send rewards, even where a projection is shorter.
inline constexpr std::size_t kWantedRewards = 32;

class Learner {
 public:
  explicit Learner(std::shared_ptr<const Study> study) : study_(std::move(study)) {}

  /// The rewards of an epoch; instead of those it was given before for this epoch.
  void set(base::EpochId epoch, Replay::KnownRewards rewards);

  std::size_t num_rewards() const;
  bool wants_more() const { return num_rewards() < kWantedRewards; }

  /// Parameters from all rewards; none when there is no reward. Not strict: processes agree on what
  /// the first one finds.
  std::optional<gp::Parameters> fit(const base::Executor& executor) const;

  /// How plausible the rewards make these parameters, logarithm, priors included.
  double log_evidence(const gp::Parameters& parameters) const;

  /// Mean of the squared standardised residuals of an epoch's rewards, predicted from the epochs
  /// before with these parameters: near 1 when the model fits. None without both.
  std::optional<double> surprise(base::EpochId epoch, const gp::Parameters& parameters) const;

 private:
  Replay::KnownRewards before(base::EpochId epoch) const;

  std::shared_ptr<const Study> study_;
  std::map<base::EpochId, Replay::KnownRewards> rewards_;
};

}  // namespace duets::protocol
