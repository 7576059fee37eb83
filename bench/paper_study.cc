#include "paper_study.h"

#include <cmath>
#include <utility>
#include <vector>

#include "duets/gp/sparse.h"
#include "duets/numeric/rows.h"
#include "duets/region/draw.h"

namespace duets::bench {
namespace {

using numeric::Points;
using numeric::Vector;

constexpr std::size_t kNumCandidates = 2000;

}  // namespace

PaperStudy make_paper_study(double beta, std::uint64_t seed) {
  const random::StudySecret secret = random::StudySecret::from_seed(seed);
  auto study = std::make_shared<protocol::Study>();
  study->name = "paper";
  study->agents = 10;
  study->horizon = 50;
  study->domain =
      std::make_shared<const domain::Domain>(domain::Domain::finite(region::random_candidates(
          secret.public_coin(), region::CandidateShape::kCube, kNumCandidates, 2, 1.0)));
  study->kernel.lengthscales = {0.2};
  study->lambda = 0.2;
  study->beta = beta;
  study->p0 = 10;
  study->t1 = 2;
  return {std::move(study),
          problems::make_problem("branin", {}, secret.problem_coin()),
          {problems::NoiseKind::kGaussian, 0.2},
          secret};
}

Vector candidate_values(const PaperStudy& paper) {
  const Points& candidates = paper.study->domain->candidates();
  Vector values(candidates.rows());
  paper.problem->values(candidates, {values.data(), static_cast<std::size_t>(values.size())});
  return values;
}

FinishedRun run(const PaperStudy& paper, const base::Executor& executor) {
  FinishedRun done;
  done.ensemble = std::make_unique<protocol::Ensemble>(paper.study, paper.secret, executor);
  const random::Coin problem_coin = paper.secret.problem_coin();
  const double best = candidate_values(paper).maxCoeff();
  done.ensemble->start();
  done.ensemble->run([&](const protocol::Agent& agent) {
    const protocol::Plan& plan = agent.plan();
    std::vector<double> rewards(static_cast<std::size_t>(plan.latents().rows()));
    paper.problem->values(plan.latents(), rewards);
    for (std::uint32_t slot = 0; slot < rewards.size(); ++slot) {
      done.regret += best - rewards[slot];
      rewards[slot] +=
          problems::draw_noise(paper.noise, problem_coin, agent.id(), plan.first_t + slot);
    }
    return protocol::PlanAnswers{std::move(rewards), {}};
  });
  return done;
}

Points spread_points(std::size_t count, double shift) {
  constexpr double kA = 0.7548776662466927;  // 1/g and 1/g^2, g^3 = g + 1
  constexpr double kB = 0.5698402909980532;
  Points points(static_cast<Eigen::Index>(count), 2);
  for (std::size_t i = 0; i < count; ++i) {
    const double n = static_cast<double>(i + 1);
    points.row(static_cast<Eigen::Index>(i)) << std::fmod(shift + n * kA, 1.0),
        std::fmod(shift + n * kB, 1.0);
  }
  return points;
}

PosteriorCase make_posterior_case() {
  constexpr std::size_t kPoints = 2000;
  // About the tenth of the largest variance that `inducing = "greedy"` stops at.
  constexpr double kResidual = 1e-4;
  PosteriorCase made;
  made.kernel.lengthscales = {0.2};
  made.data = spread_points(kPoints, 0.0);
  made.queries = spread_points(kPoints, 0.5);
  made.inducing = numeric::select_rows(
      made.data, gp::greedy_pivots(made.kernel, made.data, kResidual, kPoints));
  return made;
}

}  // namespace duets::bench
