#include "duets_json.h"

namespace duets::bench {
namespace {

using base::AgentId;
using base::EpochId;

// Everything that chance decided in an epoch, agent after agent, slot after slot.
struct Luck {
  std::vector<std::uint32_t> indices;  ///< of the candidate queried
  std::vector<double> coins;           ///< of the inducing set
  std::vector<double> noise;
};

Luck luck_of(const PaperStudy& paper, const protocol::Coordinator& coordinator, EpochId epoch,
             std::uint32_t first_t, std::uint32_t length) {
  const base::SerialExecutor executor;
  const random::Coin problem_coin = paper.secret.problem_coin();
  Luck luck;
  for (std::uint32_t a = 0; a < paper.study->agents; ++a) {
    const random::Coin coin = paper.secret.agent_coin(AgentId{a});
    const region::Draw draw = coordinator.view().sampler(epoch).draw(coin, region::Lane::kPrivate,
                                                                     {epoch, 0, length}, executor);
    luck.indices.insert(luck.indices.end(), draw.indices.begin(), draw.indices.end());
    for (std::uint32_t slot = 0; slot < length; ++slot) {
      double u = 0;
      coin.uniforms(
          {.purpose = random::Purpose::kInducing, .epoch = base::value(epoch), .slot = slot},
          std::span(&u, 1));
      luck.coins.push_back(u);
      luck.noise.push_back(
          problems::draw_noise(paper.noise, problem_coin, AgentId{a}, first_t + slot));
    }
  }
  return luck;
}

// Our answers to a closed epoch; nothing for the last one, which is not closed.
std::string answers(const protocol::Coordinator& coordinator, std::uint32_t epoch) {
  if (epoch > coordinator.summary().epochs().size()) return "null";
  const protocol::EpochReport& report = coordinator.summary().epochs()[epoch - 1];
  return fmt::format(
      R"({{"sigma2_max":{},"num_inducing":{},"max_mean":{},"tau":{},"survivors":{}}})",
      report.sigma2_max, report.num_inducing, report.max_mean, report.tau,
      json_list(coordinator.view().region(EpochId{epoch + 1}).survivors()));
}

}  // namespace

std::string duets_run_json(const PaperStudy& paper, std::uint64_t seed) {
  const base::SerialExecutor executor;
  const FinishedRun done = run(paper, executor);
  std::vector<std::string> epochs;
  std::uint32_t first_t = 0;
  for (const std::uint32_t length : protocol::lengths(*paper.study)) {
    const auto epoch = static_cast<std::uint32_t>(epochs.size() + 1);
    const Luck luck = luck_of(paper, done.ensemble->coordinator(), EpochId{epoch}, first_t, length);
    epochs.push_back(fmt::format(R"({{"indices":{},"coins":{},"noise":{},"answers":{}}})",
                                 json_list(luck.indices), json_list(luck.coins),
                                 json_list(luck.noise),
                                 answers(done.ensemble->coordinator(), epoch)));
    first_t += length;
  }
  const protocol::Study& study = *paper.study;
  return fmt::format(
      R"({{"beta":{},"seed":{},"agents":{},"lengthscale":{},"lambda":{},"p0":{},"regret":{},"epochs":{}}})",
      study.beta, seed, study.agents, study.kernel.lengthscales[0], study.lambda, study.p0,
      done.regret, json_list(epochs));
}

}  // namespace duets::bench
