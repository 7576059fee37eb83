// The study that is timed: one run of the size of the paper's experiments, and the posterior of
// 2000 points. Shared by the programs that time and by the one that exports to NumPy.
#pragma once

#include <cstdint>
#include <memory>

#include "duets/base/executor.h"
#include "duets/kernel/kernel.h"
#include "duets/numeric/matrix.h"
#include "duets/problems/noise.h"
#include "duets/problems/problem.h"
#include "duets/protocol/ensemble.h"
#include "duets/protocol/study.h"
#include "duets/random/coin.h"

namespace duets::bench {

/// Seeds 1 .. kNumSeeds are run for each beta: how much survives a cut, and with it the work,
/// differs from seed to seed.
inline constexpr std::uint64_t kNumSeeds = 10;

/// N = 10, T = 50, t1 = 2, 2000 candidates of the unit square, Branin with noise 0.2, squared
/// exponential with length scale 0.2, lambda = 0.2, p0 = 10.
struct PaperStudy {
  std::shared_ptr<const protocol::Study> study;
  std::shared_ptr<const problems::Problem> problem;
  problems::Noise noise;
  random::StudySecret secret;
};

PaperStudy make_paper_study(double beta, std::uint64_t seed);

/// What is left of a run: its coordinator knows all regions, reports and digests.
struct FinishedRun {
  std::unique_ptr<protocol::Ensemble> ensemble;
  double regret = 0;  ///< against the best candidate, summed over agents and time
};

/// Runs the study to its end. The executor has one thread: answers are added up as they come.
FinishedRun run(const PaperStudy& paper, const base::Executor& executor);

/// f at the candidates.
numeric::Vector candidate_values(const PaperStudy& paper);

/// `count` points of the unit square, number i at the fractional parts of (i + 1) a and (i + 1) b
/// for the two irrational numbers that spread them best, shifted by `shift`.
numeric::Points spread_points(std::size_t count, double shift);

/// The posterior that is timed: data, where its variance is asked for, and how.
struct PosteriorCase {
  kernel::Kernel kernel;
  double lambda = 0.2;
  numeric::Points data;
  numeric::Points queries;
  numeric::Points inducing;
};

PosteriorCase make_posterior_case();

}  // namespace duets::bench
