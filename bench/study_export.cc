// Writes, as JSON on standard output, the instances of the timed study, what chance decided in
// them, and the arms that our algorithms played: what NumPy computes again and has to agree with.
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "duets/baselines/approx_dis_kernel_ucb/approx_dis_kernel_ucb.h"
#include "duets/baselines/arm_index.h"
#include "duets/baselines/dis_kernel_ucb/dis_kernel_ucb.h"
#include "duets_json.h"
#include "study_case.h"

namespace duets::bench {
namespace {

using base::AgentId;
using lab::Instance;

// Writes down the arms that another policy plays, round after round.
class Recorder final : public problems::Policy {
 public:
  Recorder(std::unique_ptr<problems::Policy> policy, const numeric::Points& latents)
      : policy_(std::move(policy)), index_(latents) {}

  numeric::Vector choose(AgentId agent, std::uint32_t t) override {
    numeric::Vector latent = policy_->choose(agent, t);
    arms_.push_back(index_.find({latent.data(), static_cast<std::size_t>(latent.size())}).value());
    return latent;
  }
  void learn(AgentId agent, std::uint32_t t, double reward) override {
    policy_->learn(agent, t, reward);
  }
  void end_round(std::uint32_t t, problems::Channel& channel) override {
    policy_->end_round(t, channel);
  }

  const std::vector<std::size_t>& arms() const { return arms_; }

 private:
  std::unique_ptr<problems::Policy> policy_;
  baselines::ArmIndex index_;
  std::vector<std::size_t> arms_;
};

std::string run_json(const Instance& instance, const lab::Algorithm& algorithm, double beta) {
  Recorder policy(algorithm.make(instance.setting, {.beta = beta}), instance.setting.latents);
  const lab::Curves curves = lab::play(instance, policy);
  return fmt::format(R"({{"algorithm":"{}","beta":{},"arms":{},"regret":{},"paper":{}}})",
                     algorithm.key, beta, json_list(policy.arms()), curves.regret.back(),
                     curves.paper.back());
}

std::string duets_json(const Instance& instance, double beta) {
  auto study = std::make_shared<protocol::Study>(*instance.simulation.study);
  study->beta = beta;
  return duets_run_json({study, instance.simulation.problem, instance.simulation.noise,
                         random::StudySecret::from_seed(instance.simulation.seed)},
                        instance.simulation.seed);
}

// What the policies' coin decides when all arms are equal, and the noise; round after round.
struct Luck {
  std::vector<std::uint64_t> uniform_arms;
  std::vector<double> noise;
  std::vector<double> coins;  ///< of the dictionaries: synchronisation, agent, query
};

Luck luck_of(const Instance& instance) {
  const baselines::Setting& setting = instance.setting;
  const random::Coin problem_coin =
      random::StudySecret::from_seed(instance.simulation.seed).problem_coin();
  Luck luck;
  for (std::uint32_t t = 0; t < setting.horizon; ++t) {
    for (std::uint32_t a = 0; a < setting.agents; ++a) {
      std::uint64_t word = 0;
      setting.coin.words({.purpose = random::Purpose::kPolicy, .agent = a, .slot = t}, {&word, 1});
      luck.uniform_arms.push_back(random::index_below(word, setting.arms->size()));
      luck.noise.push_back(
          problems::draw_noise(instance.simulation.noise, problem_coin, AgentId{a}, t));
    }
  }
  // A synchronisation ends a round, so there are at most as many.
  for (std::uint32_t sync = 1; sync <= setting.horizon; ++sync) {
    for (std::uint32_t a = 0; a < setting.agents; ++a) {
      for (std::uint32_t t = 0; t < setting.horizon; ++t) {
        double u = 0;
        setting.coin.uniforms(
            {.purpose = random::Purpose::kPolicy, .agent = a, .epoch = sync, .slot = t}, {&u, 1});
        luck.coins.push_back(u);
      }
    }
  }
  return luck;
}

std::string instance_json(std::string_view function, const Instance& instance) {
  const baselines::Setting& setting = instance.setting;
  std::vector<double> values(setting.arms->size());
  instance.simulation.problem->values(setting.latents, values);
  const Luck luck = luck_of(instance);
  std::vector<std::string> runs;
  std::vector<std::string> duets;
  const std::vector<lab::Algorithm> algorithms = lab::builtin_algorithms();
  for (const double beta : kStudyBetas) {
    for (const std::string_view key : lab::paper_algorithms()) {
      const lab::Algorithm& algorithm = lab::find_algorithm(algorithms, std::string(key));
      if (algorithm.make) {
        runs.push_back(run_json(instance, algorithm, beta));
      } else {
        duets.push_back(duets_json(instance, beta));
      }
    }
  }
  return fmt::format(
      R"({{"function":"{}","seed":{},"agents":{},"horizon":{},"dimension":{},"lengthscale":{},)"
      R"("lambda":{},"dis_threshold":{},"approx_threshold":{},"candidates":{},"values":{},)"
      R"("uniform_arms":{},"noise":{},"coins":{},"runs":{},"duets":{}}})",
      function, instance.simulation.seed, setting.agents, setting.horizon, setting.latents.cols(),
      setting.arms->kernel().lengthscales[0], setting.lambda, baselines::kDisKernelUcbThreshold,
      baselines::kApproxDisThreshold, json_rows(setting.latents), json_list(values),
      json_list(luck.uniform_arms), json_list(luck.noise), json_list(luck.coins), json_list(runs),
      json_list(duets));
}

}  // namespace
}  // namespace duets::bench

int main() {
  std::vector<std::string> instances;
  for (const std::string_view function : duets::bench::kStudyFunctions) {
    for (const duets::lab::Instance& instance : duets::bench::study_instances(function)) {
      instances.push_back(duets::bench::instance_json(function, instance));
    }
  }
  fmt::print("{}\n", duets::bench::json_list(instances));
}
