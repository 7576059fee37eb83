// Your own algorithm, compared with the others by the full command line:
//   own_algorithm compare studies/branin-finite.toml --algorithms duets,explore-then-commit
#include <algorithm>
#include <memory>
#include <vector>

#include "duets/cli/app.h"
#include "duets/gp/arm_posterior.h"

namespace {

using namespace duets;  // NOLINT: a short example

/// For a tenth of the time every agent plays arms at random; then all rewards are pooled once, and
/// every agent plays the arm of largest posterior mean from then on.
class ExploreThenCommit final : public problems::Policy {
 public:
  explicit ExploreThenCommit(const baselines::Setting& setting)
      : setting_(setting),
        exploration_(std::max(1U, setting.horizon / 10)),
        told_(setting.agents) {}

  numeric::Vector choose(base::AgentId agent, std::uint32_t t) override {
    const std::size_t arm = t < exploration_ ? random_arm(agent, t) : committed_;
    return setting_.latents.row(static_cast<Eigen::Index>(arm));
  }

  void learn(base::AgentId agent, std::uint32_t t, double reward) override {
    if (t >= exploration_) return;
    std::vector<double>& told = told_[base::value(agent)];
    told.push_back(static_cast<double>(random_arm(agent, t)));
    told.push_back(reward);
  }

  // Agents may communicate only here, and use only what comes out of the channel: it is counted.
  void end_round(std::uint32_t t, problems::Channel& channel) override {
    if (t + 1 != exploration_) return;
    gp::ArmPosterior posterior(setting_.arms, setting_.lambda);
    for (std::uint32_t a = 0; a < setting_.agents; ++a) {
      const std::vector<double> heard = channel.uplink(base::AgentId{a}, told_[a]);
      for (std::size_t i = 0; i < heard.size(); i += 2) {
        posterior.observe({static_cast<std::size_t>(heard[i]), heard[i + 1]});
      }
    }
    Eigen::Index best = 0;
    posterior.mean().maxCoeff(&best);
    committed_ = static_cast<std::size_t>(channel.broadcast({static_cast<double>(best)}).front());
  }

 private:
  // A draw is a function of its address: the same arm whenever it is asked for.
  std::size_t random_arm(base::AgentId agent, std::uint32_t t) const {
    std::uint64_t word = 0;
    setting_.coin.words(
        {.purpose = random::Purpose::kPolicy, .agent = base::value(agent), .slot = t}, {&word, 1});
    return random::index_below(word, setting_.arms->size());
  }

  baselines::Setting setting_;
  std::uint32_t exploration_;
  std::vector<std::vector<double>> told_;  // by agent: arm, reward, arm, reward, ...
  std::size_t committed_ = 0;
};

lab::Algorithm explore_then_commit() {
  lab::Algorithm algorithm;
  algorithm.key = "explore-then-commit";
  algorithm.name = "ExploreThenCommit";
  algorithm.description = "random arms for a tenth of the time, then the best of them";
  algorithm.uses_beta = false;
  algorithm.make = [](const baselines::Setting& setting, const baselines::Tuning& /*tuning*/) {
    return std::make_unique<ExploreThenCommit>(setting);
  };
  return algorithm;
}

}  // namespace

int main(int argc, char** argv) {
  return duets::cli::run_app(argc, argv, {.algorithms = {explore_then_commit()}});
}
