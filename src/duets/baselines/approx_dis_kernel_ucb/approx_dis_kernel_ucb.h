// ApproxDisKernelUCB (Li, Wang, Wang, Wang 2022): agents that share a dictionary and the moments of
// its features. README.md has the equations, the choices made and the cost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "duets/baselines/acquisition.h"
#include "duets/baselines/approx_dis_kernel_ucb/dictionary.h"
#include "duets/baselines/approx_dis_kernel_ucb/pooled_model.h"
#include "duets/baselines/setting.h"
#include "duets/problems/policy.h"

namespace duets::baselines {

/// D when the tuning gives none.
inline constexpr double kApproxDisThreshold = 20;

/// Each agent plays argmax mu + beta s_R of its local model. At the end of a round in which some
/// agent's own points have gathered more than D of the leverage of the last synchronisation, all
/// agents synchronise.
class ApproxDisKernelUcb : public problems::Policy {
 public:
  /// kInvalid when the setting or beta, threshold (>= 0; infinity: never) or oversampling (finite,
  /// > 0) break their constraint.
  ApproxDisKernelUcb(const Setting& setting, const Tuning& tuning);

  numeric::Vector choose(base::AgentId agent, std::uint32_t t) override;
  void learn(base::AgentId agent, std::uint32_t t, double reward) override;
  void end_round(std::uint32_t t, problems::Channel& channel) override;
  std::optional<numeric::Vector> recommend() override;

  std::uint32_t num_syncs() const { return num_syncs_; }
  /// As it was last broadcast; empty before the first synchronisation.
  const Dictionary& dictionary() const { return *dictionary_; }
  /// The model that the agent plays by.
  const LocalModel& model(base::AgentId agent) const { return agents_.at(value(agent)).local; }
  /// Leverage that the agent's own points have gathered since the last synchronisation.
  double gathered(base::AgentId agent) const { return agents_.at(value(agent)).gathered; }

 private:
  // A point in the pooled model: its w, and its covariances with the arms once an agent has to add
  // it.
  struct Column {
    numeric::Vector white{};
    numeric::Vector covariance{};
  };
  // The distinct points that any agent has queried. A cache of functions that every agent could
  // compute for its own points; it has no rewards.
  struct PointTable {
    std::map<std::vector<double>, std::size_t> ids{};  // by features
    numeric::Points latents{};
    numeric::Points features{};
    std::vector<double> leverage{};  // at the last synchronisation
    std::unordered_map<std::size_t, Column> columns{};
  };
  // A point an agent has queried: how often, and the sum of its rewards.
  struct Tally {
    std::size_t point = 0;
    double count = 0;
    double sum = 0;
  };
  struct Agent {
    LocalModel local;
    Choice choice{};
    std::size_t point = 0;  // of the last query
    double reward = 0;
    double gathered = 0;
    std::vector<Tally> tallies{};
    std::vector<std::size_t> queries{};  // the tally of each query since t = 0
    std::unordered_map<std::size_t, std::size_t> tally_of{};
  };

  std::size_t enter(const Choice& choice);
  void absorb_round();
  void synchronise(problems::Channel& channel);
  std::vector<double> kept_points(std::uint32_t agent) const;
  numeric::Points merged(const std::vector<double>& uploads) const;
  std::vector<double> projections(const Agent& agent, const numeric::Matrix& features) const;
  void restart(const numeric::Matrix& features, const std::vector<double>& sums);

  Acquisition acquisition_;
  std::shared_ptr<const domain::Domain> domain_;
  std::shared_ptr<const gp::Arms> arms_;
  double lambda_;
  std::uint32_t horizon_;
  random::Coin coin_;
  double beta_;
  double threshold_;
  double oversampling_;

  std::uint32_t num_syncs_ = 0;
  std::shared_ptr<const Dictionary> dictionary_;
  std::shared_ptr<const PooledModel> pooled_;
  PointTable points_;
  std::vector<Agent> agents_;
};

std::unique_ptr<problems::Policy> make_approx_dis_kernel_ucb(const Setting& setting,
                                                             const Tuning& tuning);

}  // namespace duets::baselines
