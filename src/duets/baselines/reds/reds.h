// REDS (Salgia, Vakili, Zhao 2023): uniform draws from the remaining domain, which shrinks after
// every epoch. README.md has the equations and the choices made.
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

/// Lengths N_1 = ceil(sqrt(total)), N_{r+1} = 2 N_r, the last one cut short; they sum to `total`.
std::vector<std::uint64_t> reds_epochs(std::uint64_t total);

/// One central learner that makes all N T queries, those of all agents; nothing is sent. An oracle
/// for regret. On a continuous domain it plays on the setting's pool of arms.
class Reds : public problems::Policy {
 public:
  /// kInvalid when the setting breaks its constraints or beta is not finite and >= 0.
  Reds(const Setting& setting, const Tuning& tuning);

  numeric::Vector choose(base::AgentId agent, std::uint32_t t) override;
  /// Ends the epoch when it was its last query: O(n^2 M) for n queries.
  void learn(base::AgentId agent, std::uint32_t t, double reward) override;
  /// The survivor of the largest posterior mean given all rewards: the last epoch may be one query.
  std::optional<numeric::Vector> recommend() override;

  const Survivors& survivors() const { return survivors_; }

 private:
  Acquisition acquisition_;  // checks the setting
  std::uint32_t horizon_;
  std::shared_ptr<const gp::Arms> arms_;
  numeric::Points latents_;
  double lambda_;
  random::Coin coin_;
  double beta_;
  std::vector<std::uint64_t> lengths_;  // of the remaining epochs, the current one last
  Survivors survivors_;
  std::size_t arm_ = 0;               // of the last query
  std::vector<gp::Observation> all_;  // of all epochs
  std::size_t epoch_begin_ = 0;       // the current epoch's first
};

std::unique_ptr<problems::Policy> make_reds(const Setting& setting, const Tuning& tuning);

}  // namespace duets::baselines
