// One run of paper size, by beta: milliseconds a run, averaged over the seeds.
#include <benchmark/benchmark.h>

#include <cmath>
#include <vector>

#include "paper_study.h"

namespace duets::bench {
namespace {

// The regret of all seeds together. Survivors, and with them every draw of later epochs, depend on
// every number computed before, so a wrong posterior does not reproduce it.
struct Expected {
  double beta;
  double regret;
};

void paper_run(benchmark::State& state, const Expected& expected) {
  std::vector<PaperStudy> studies;
  for (std::uint64_t seed = 1; seed <= kNumSeeds; ++seed) {
    studies.push_back(make_paper_study(expected.beta, seed));
  }
  const base::SerialExecutor executor;
  for (auto _ : state) {
    double regret = 0;
    for (const PaperStudy& paper : studies) regret += run(paper, executor).regret;
    if (std::abs(regret - expected.regret) > 1e-9 * expected.regret) {
      state.SkipWithError(("regret is " + std::to_string(regret)).c_str());
      break;
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kNumSeeds));
}

BENCHMARK_CAPTURE(paper_run, bold, Expected{0.2, 686.3134847687164})
    ->Name("paper_run/beta_0.2")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(paper_run, cautious, Expected{1.0, 2589.1495516825144})
    ->Name("paper_run/beta_1")
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace duets::bench
