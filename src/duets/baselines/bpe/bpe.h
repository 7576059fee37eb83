// BPE, batched pure exploration (Li, Scarlett 2022): batches of maximum-variance queries among the
// arms that are left, cut after every batch. README.md has the equations and the choices made.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "duets/baselines/acquisition.h"
#include "duets/baselines/setting.h"
#include "duets/baselines/survivors.h"
#include "duets/gp/arm_posterior.h"
#include "duets/problems/policy.h"

namespace duets::baselines {

/// Lengths N_i = ceil(sqrt(total N_{i-1})) with N_0 = 1, the last one cut short; they sum to
/// `total`.
std::vector<std::uint64_t> bpe_batches(std::uint64_t total);

/// One central learner that makes all N T queries, those of all agents; nothing is sent. An oracle
/// for regret. On a continuous domain it plays on the setting's pool of arms.
class Bpe : public problems::Policy {
 public:
  /// kInvalid when the setting breaks its constraints or beta is not finite and >= 0.
  Bpe(const Setting& setting, const Tuning& tuning);

  numeric::Vector choose(base::AgentId agent, std::uint32_t t) override;
  /// O(u M) after u queries of the batch.
  void learn(base::AgentId agent, std::uint32_t t, double reward) override;
  /// The survivor of the largest posterior mean given all rewards: the last batch may be one query.
  std::optional<numeric::Vector> recommend() override;

  const Survivors& survivors() const { return survivors_; }

 private:
  Acquisition acquisition_;  // over the arms
  std::uint32_t horizon_;
  std::shared_ptr<const gp::Arms> arms_;
  double lambda_;
  double beta_;
  std::vector<std::uint64_t> lengths_;  // of the remaining batches, the current one last
  Survivors survivors_;
  gp::ArmPosterior posterior_;  // of the current batch
  std::uint64_t num_learnt_ = 0;
  std::size_t arm_ = 0;               // of the last query
  std::vector<gp::Observation> all_;  // of all batches
};

std::unique_ptr<problems::Policy> make_bpe(const Setting& setting, const Tuning& tuning);

}  // namespace duets::baselines
