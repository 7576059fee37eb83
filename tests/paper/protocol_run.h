// A coordinator and its agents run by hand, so that a test can look inside between two epochs.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "duets/base/executor.h"
#include "duets/problems/noise.h"
#include "duets/problems/problem.h"
#include "duets/protocol/ensemble.h"
#include "duets/protocol/study.h"

namespace duets::paper {

/// What was said in an epoch, beside the reports.
struct EpochTalk {
  std::vector<numeric::Points> points;  ///< D_j^(n) as the agents planned them
  std::vector<numeric::Vector> rewards;
  std::vector<protocol::Upload> uploads;
};

/// Every agent takes part in every epoch; rewards are the noisy values of `problem`.
class ProtocolRun {
 public:
  ProtocolRun(std::shared_ptr<const protocol::Study> study, const problems::Problem& problem,
              const problems::Noise& noise, std::uint64_t seed);

  /// Runs until epoch `epoch` (from 1) is open, or the study is finished.
  void until_epoch(std::uint32_t epoch);
  void to_end() { until_epoch(static_cast<std::uint32_t>(-1)); }

  const protocol::Coordinator& coordinator() const { return ensemble_.coordinator(); }
  const protocol::PublicView& view() const { return coordinator().view(); }
  const std::vector<EpochTalk>& talk() const { return talk_; }  ///< one an epoch, from the first
  /// D_j of the open epoch as the agents plan it, in agent order.
  numeric::Points planned_points() const;

 private:
  protocol::PlanAnswers query_plan(const protocol::Agent& agent);
  void keep_uploads(const protocol::Effects& effects);

  const problems::Problem& problem_;
  problems::Noise noise_;
  base::SerialExecutor executor_;
  std::vector<EpochTalk> talk_;
  protocol::Ensemble ensemble_;
};

/// The parts one below the other.
numeric::Points stacked(const std::vector<numeric::Points>& parts);
numeric::Vector stacked(const std::vector<numeric::Vector>& parts);

}  // namespace duets::paper
