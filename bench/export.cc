// Writes, as JSON on standard output, the timed cases with our answers to them: what the NumPy
// reference computes again and has to agree with.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <string>
#include <vector>

#include "duets/gp/exact.h"
#include "duets/gp/sparse.h"
#include "paper_study.h"

namespace duets::bench {
namespace {

using base::AgentId;
using base::EpochId;

template <typename Range>
std::string list(const Range& values) {
  return fmt::format("[{}]", fmt::join(values, ","));
}

std::string rows(const numeric::Points& points) {
  return list(std::vector<double>(points.data(), points.data() + points.size()));
}

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
  if (epoch > coordinator.reports().size()) return "null";
  const protocol::EpochReport& report = coordinator.reports()[epoch - 1];
  return fmt::format(
      R"({{"sigma2_max":{},"num_inducing":{},"max_mean":{},"tau":{},"survivors":{}}})",
      report.sigma2_max, report.num_inducing, report.max_mean, report.tau,
      list(coordinator.view().region(EpochId{epoch + 1}).survivors()));
}

std::string run_json(double beta, std::uint64_t seed) {
  const PaperStudy paper = make_paper_study(beta, seed);
  const base::SerialExecutor executor;
  const FinishedRun done = run(paper, executor);
  std::vector<std::string> epochs;
  std::uint32_t first_t = 0;
  for (const std::uint32_t length : protocol::lengths(*paper.study)) {
    const auto epoch = static_cast<std::uint32_t>(epochs.size() + 1);
    const Luck luck = luck_of(paper, *done.coordinator, EpochId{epoch}, first_t, length);
    epochs.push_back(fmt::format(R"({{"indices":{},"coins":{},"noise":{},"answers":{}}})",
                                 list(luck.indices), list(luck.coins), list(luck.noise),
                                 answers(*done.coordinator, epoch)));
    first_t += length;
  }
  const protocol::Study& study = *paper.study;
  return fmt::format(
      R"({{"beta":{},"seed":{},"agents":{},"lengthscale":{},"lambda":{},"p0":{},"candidates":{},"regret":{},"epochs":{}}})",
      beta, seed, study.agents, study.kernel.lengthscales[0], study.lambda, study.p0,
      rows(study.domain->candidates()), done.regret, list(epochs));
}

std::string posterior_json() {
  const PosteriorCase made = make_posterior_case();
  const base::SerialExecutor executor;
  const numeric::Vector exact =
      gp::ExactPosterior(made.kernel, made.data, {}, made.lambda).variance(made.queries).variance;
  const numeric::Vector sparse =
      gp::SparsePosterior(made.kernel, made.inducing, made.data, {}, made.lambda, executor)
          .variance(made.queries)
          .variance;
  return fmt::format(
      R"({{"lengthscale":{},"lambda":{},"data":{},"queries":{},"inducing":{},"exact":{},"sparse":{}}})",
      made.kernel.lengthscales[0], made.lambda, rows(made.data), rows(made.queries),
      rows(made.inducing), list(exact), list(sparse));
}

}  // namespace
}  // namespace duets::bench

int main() {
  std::vector<std::string> runs;
  for (const double beta : {0.2, 1.0}) {
    for (std::uint64_t seed = 1; seed <= duets::bench::kNumSeeds; ++seed) {
      runs.push_back(duets::bench::run_json(beta, seed));
    }
  }
  fmt::print("{{\"posterior\":{},\n\"runs\":[{}]}}\n", duets::bench::posterior_json(),
             fmt::join(runs, ",\n"));
}
