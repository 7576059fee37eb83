#include "duets/baselines/dis_kernel_ucb/dis_kernel_ucb.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "duets/baselines/arm_index.h"
#include "duets/baselines/recommendation.h"
#include "duets/gp/arm_overlay.h"
#include "duets/gp/fit_parameters.h"

namespace duets::baselines {
namespace {

/// A fit uses this many of the first rewards, as DUETS does.
constexpr std::size_t kFitRewards = 256;

class DisKernelUcb final : public problems::Policy {
 public:
  DisKernelUcb(const Setting& setting, double beta, double threshold, bool fits)
      : domain_(setting.domain),
        acquisition_(setting),
        index_(acquisition_.latents()),
        horizon_(setting.horizon),
        beta_(beta),
        threshold_(threshold),
        fits_(fits),
        guess_(setting.arms->kernel()),
        pool_(setting.arms, setting.lambda),
        agents_(setting.agents, Agent{.known = gp::ArmOverlay(pool_)}) {}
  // The overlays point into this object.
  DisKernelUcb(const DisKernelUcb&) = delete;
  DisKernelUcb& operator=(const DisKernelUcb&) = delete;

  numeric::Vector choose(base::AgentId id, std::uint32_t t) override {
    Agent& agent = agents_.at(base::value(id));
    const Choice choice = t == 0 ? acquisition_.uniform(id, t)
                                 : acquisition_.maximise_bound(agent.known, beta_, id, t);
    agent.latest = {.site = acquisition_.site(choice, pool_), .reward = 0};
    agent.unsent.insert(agent.unsent.end(), choice.latent.begin(), choice.latent.end());
    return choice.latent;
  }

  void learn(base::AgentId id, std::uint32_t /*t*/, double reward) override {
    Agent& agent = agents_.at(base::value(id));
    agent.latest.reward = reward - level_;
    agent.unsent.push_back(reward);
  }

  void end_round(std::uint32_t t, problems::Channel& channel) override {
    ++rounds_;
    // After the last query a synchronisation would help none.
    if (t + 1 < horizon_ && is_due()) {
      synchronise(channel);
    } else {
      learn_alone();
    }
  }

  std::optional<numeric::Vector> recommend() override {
    std::vector<MeanView> means;
    for (const Agent& agent : agents_) {
      means.push_back(
          {&agent.known.mean(), [&](const numeric::Points& x) { return agent.known.at(x).mean; }});
    }
    return best_mean(acquisition_, horizon_, means);
  }

 private:
  struct Agent {
    gp::ArmOverlay known;
    gp::Observation latest{};      // not yet in `known`
    std::vector<double> unsent{};  // (x, y) pairs since the last synchronisation
  };

  /// n_i ln[det(I + K_i/lambda) / det(I + K_last/lambda)] > D for some agent. D = 0 is always
  /// exceeded, also where a variance has been rounded to 0.
  bool is_due() {
    bool due = threshold_ == 0;
    for (Agent& agent : agents_) {
      const double growth = agent.known.log_det_growth() +
                            std::log1p(agent.known.variance_at(agent.latest.site) / pool_.lambda());
      due = due || static_cast<double>(rounds_) * growth > threshold_;
    }
    return due;
  }

  void learn_alone() {
    std::vector<std::size_t> sites;
    for (const Agent& agent : agents_) sites.push_back(agent.latest.site);
    pool_.prepare(sites);  // many agents play the same arm, and the next pool will hold it
    for (Agent& agent : agents_) agent.known.observe(agent.latest);
  }

  void synchronise(problems::Channel& channel) {
    std::vector<double> pooled;
    std::size_t held = 0;
    for (std::size_t i = 0; i < agents_.size(); ++i) {
      std::vector<double>& unsent = agents_[i].unsent;
      const std::size_t points = unsent.size() / pair_size();
      const std::vector<double> arrived =
          channel.uplink(base::AgentId{static_cast<std::uint32_t>(i)}, std::move(unsent), points);
      pooled.insert(pooled.end(), arrived.begin(), arrived.end());
      held = arrived.size();  // every agent has made as many queries
    }
    const std::size_t points = pooled.size() / pair_size();
    const std::vector<double> news = channel.broadcast(std::move(pooled), held, points);
    if (fits_) {
      pairs_.insert(pairs_.end(), news.begin(), news.end());
      if (is_fit_due()) fit();
    }
    // A fitted pool is empty, and observes everything again.
    pool_.observe(decode(pool_.num_observations() == 0 && fits_ ? pairs_ : news));
    for (Agent& agent : agents_) {
      agent.known = gp::ArmOverlay(pool_);
      agent.unsent.clear();
    }
    rounds_ = 0;
  }

  std::size_t num_pairs() const { return pairs_.size() / pair_size(); }
  std::size_t pair_size() const {
    return static_cast<std::size_t>(acquisition_.latents().cols()) + 1;
  }

  /// Another fit when there are half as many rewards again, until all that it uses are there.
  bool is_fit_due() const {
    return fitted_ < kFitRewards && 2 * num_pairs() >= 3 * fitted_ && num_pairs() > 0;
  }

  /// Every agent has the same pool and finds the same parameters: nothing is sent.
  void fit() {
    const auto rows = static_cast<Eigen::Index>(std::min(num_pairs(), kFitRewards));
    const auto columns = static_cast<Eigen::Index>(pair_size());
    const numeric::Points pairs = Eigen::Map<const numeric::Points>(pairs_.data(), rows, columns);
    const gp::Parameters found =
        gp::fit_parameters(guess_, domain_->features(pairs.leftCols(columns - 1)),
                           pairs.col(columns - 1),
                           {.relevance = true, .family = true, .max_rows = kFitRewards})
            .parameters;
    fitted_ = num_pairs();
    level_ = found.offset;
    pool_ = gp::ArmPosterior(
        std::make_shared<const gp::Arms>(found.kernel, pool_.arms().features()), found.lambda);
  }

  std::vector<gp::Observation> decode(std::span<const double> pairs) {
    const std::size_t d = pair_size() - 1;
    std::vector<gp::Observation> out;
    for (std::size_t first = 0; first < pairs.size(); first += d + 1) {
      const std::span<const double> latent = pairs.subspan(first, d);
      const Choice choice{
          .latent = Eigen::Map<const numeric::Vector>(latent.data(), static_cast<Eigen::Index>(d)),
          .arm = index_.find(latent)};
      out.push_back(
          {.site = acquisition_.site(choice, pool_), .reward = pairs[first + d] - level_});
    }
    return out;
  }

  std::shared_ptr<const domain::Domain> domain_;
  Acquisition acquisition_;
  ArmIndex index_;
  std::uint32_t horizon_;
  double beta_;
  double threshold_;
  bool fits_;
  kernel::Kernel guess_;
  double level_ = 0;           // of the rewards; 0 unless it fits
  std::vector<double> pairs_;  // that it fits to: all that were pooled
  std::size_t fitted_ = 0;     // pairs there were at the last fit
  gp::ArmPosterior pool_;      // every agent holds the same one
  std::vector<Agent> agents_;
  std::uint32_t rounds_ = 0;  // since the last synchronisation
};

std::unique_ptr<problems::Policy> make_one(const Setting& setting, const Tuning& tuning,
                                           bool fits) {
  require_beta(tuning.beta);
  const double threshold = checked_threshold(tuning.threshold, kDisKernelUcbThreshold);
  return std::make_unique<DisKernelUcb>(setting, tuning.beta, threshold, fits);
}

}  // namespace

std::unique_ptr<problems::Policy> make_dis_kernel_ucb(const Setting& setting,
                                                      const Tuning& tuning) {
  return make_one(setting, tuning, false);
}

std::unique_ptr<problems::Policy> make_fitting_dis_kernel_ucb(const Setting& setting,
                                                              const Tuning& tuning) {
  return make_one(setting, tuning, true);
}

}  // namespace duets::baselines
