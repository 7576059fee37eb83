#include "duets/harness/simulate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "duets/base/error.h"
#include "duets/harness/threads.h"
#include "duets/problems/functions.h"
#include "duets/region/draw.h"

namespace duets::harness {
namespace {

using domain::Domain;
using problems::NoiseKind;
using protocol::Study;

// a f(x) + b of any function, so that two simulations can be compared exactly.
class Affine final : public problems::Problem {
 public:
  using Function = std::function<double(std::span<const double>)>;
  Affine(std::size_t dimension, Function f, double a = 1, double b = 0)
      : Problem({.name = "affine", .dimension = dimension}), f_(std::move(f)), a_(a), b_(b) {}

 private:
  double evaluate(std::span<const double> x) const override { return a_ * f_(x) + b_; }
  Function f_;
  double a_, b_;
};

// Values are multiples of 1/64 below 4: adding or subtracting 3 loses no bit.
double steps(std::span<const double> x) {
  return std::floor(64 * (x[0] * (1 - x[0]) + 2 * x[1])) / 64;
}

Domain forty_candidates(std::size_t dimension = 2) {
  return Domain::finite(region::random_candidates(random::StudySecret::from_seed(5).public_coin(),
                                                  region::CandidateShape::kCube, 40, dimension,
                                                  1.0));
}

Study small_study(Domain domain) {
  Study study;
  study.agents = 4;
  study.horizon = 11;
  study.domain = std::make_shared<const Domain>(std::move(domain));
  study.kernel.lengthscales = {0.3};
  study.beta = 0.5;
  return study;
}

Simulation simulation_of(const Study& study, std::shared_ptr<const problems::Problem> problem) {
  Simulation simulation;
  simulation.study = std::make_shared<const Study>(study);
  simulation.problem = std::move(problem);
  simulation.seed = 11;
  return simulation;
}

Simulation branin_on(Domain domain) {
  return simulation_of(small_study(std::move(domain)), problems::make_branin());
}

class Recorder final : public Observer {
 public:
  void epoch_began(std::uint32_t epoch, std::uint32_t /*length*/) override {
    calls.push_back("began " + std::to_string(epoch));
  }
  void trial(const Trial& trial) override { trials.push_back(trial); }
  void epoch_ended(const protocol::EpochEnded& ended) override {
    calls.push_back("ended " + std::to_string(base::value(ended.epoch)));
  }

  std::vector<Trial> trials;
  std::vector<std::string> calls;
};

RunResult run(const Simulation& simulation, Recorder& recorder) {
  return simulate(simulation, base::SerialExecutor(), recorder);
}

RunResult run(const Simulation& simulation) {
  Recorder recorder;
  return run(simulation, recorder);
}

TEST(Simulate, AnyNumberOfThreadsGivesTheSameRun) {
  Study many = small_study(forty_candidates());
  many.agents = 40;  // enough for replaying by agents
  const std::vector<Simulation> simulations{
      branin_on(forty_candidates()), branin_on(Domain::box(2)), branin_on(Domain::ball(2, 1.0)),
      simulation_of(many, problems::make_branin())};
  for (const Simulation& simulation : simulations) {
    const RunResult serial = run(simulation);
    for (const unsigned num_threads : {1U, 2U, 3U}) {
      const ThreadExecutor executor(num_threads);
      Recorder recorder;
      const RunResult result = simulate(simulation, executor, recorder);
      EXPECT_EQ(result.run_digest, serial.run_digest);
      EXPECT_EQ(result.state_digest, serial.state_digest);
      EXPECT_EQ(result.cumulative_regret, serial.cumulative_regret);
      EXPECT_EQ(result.recommendation->values, serial.recommendation->values);
    }
  }
}

TEST(Simulate, SeedsDiffer) {
  Simulation simulation = branin_on(Domain::box(2));
  const std::string first = run(simulation).run_digest;
  simulation.seed = 12;
  EXPECT_NE(run(simulation).run_digest, first);
}

// Every query is reported once, in order; the curve is their regret, summed by t and then by agent.
TEST(Simulate, RegretCurveIsTheSumOfTheTrials) {
  for (const Domain& domain : {forty_candidates(), Domain::box(2)}) {
    Recorder recorder;
    const RunResult result = run(branin_on(domain), recorder);
    ASSERT_EQ(recorder.trials.size(), 44U);
    ASSERT_EQ(result.cumulative_regret.size(), 11U);
    std::vector<Trial> trials = recorder.trials;
    std::sort(trials.begin(), trials.end(), [](const Trial& a, const Trial& b) {
      return std::pair(a.t, a.agent) < std::pair(b.t, b.agent);
    });
    double sum = 0;
    for (std::size_t i = 0; i < trials.size(); ++i) {
      EXPECT_EQ(trials[i].t, i / 4);
      EXPECT_EQ(trials[i].agent, i % 4);
      EXPECT_GE(trials[i].regret, 0);
      sum += trials[i].regret;
      EXPECT_TRUE(i % 4 != 3 || result.cumulative_regret[i / 4] == sum);
    }
  }
}

TEST(Simulate, TrialsAreTheFunctionAtTheirPoints) {
  Simulation simulation = branin_on(forty_candidates());
  simulation.noise.level = 0;
  Recorder recorder;
  const RunResult result = run(simulation, recorder);
  double best = -1e9;
  for (const Trial& trial : recorder.trials) {
    EXPECT_EQ(trial.value, simulation.problem->value(trial.values));
    EXPECT_EQ(trial.regret, *result.optimum - trial.value);
    best = std::max(best, trial.value);
  }
  ASSERT_TRUE(result.best_trial);
  EXPECT_EQ(result.best_trial->value, best);
  EXPECT_EQ(simulation.problem->value(result.best_trial->values), best);
}

TEST(Simulate, TheObserverGetsEventsInOrder) {
  Recorder recorder;
  const RunResult result = run(branin_on(forty_candidates()), recorder);
  EXPECT_EQ(result.lengths, (std::vector<std::uint32_t>{2, 4, 5}));
  EXPECT_EQ(recorder.calls,
            (std::vector<std::string>{"began 1", "ended 1", "began 2", "ended 2", "began 3"}));
  EXPECT_EQ(result.epochs.size(), 2U);
}

// The three ledgers of an epoch, computed from s, d, N and T_j alone.
struct Formula {
  double paper, figure, links;
};

Formula formula(const Study& study, const protocol::EpochReport& report) {
  const double n = study.agents;
  const auto s = static_cast<double>(report.num_inducing);
  const auto d = static_cast<double>(study.domain->dimension());
  const bool is_public = study.inducing == protocol::Inducing::kPublic;
  const bool raw = study.upload == protocol::UploadRule::kRewards ||
                   (study.upload == protocol::UploadRule::kAuto && report.length < s);
  const double up = raw ? report.length : s;
  const double down = (is_public ? s : s * d) + s + 1;
  return {up + down, n * up, n * up + n * down};
}

TEST(Simulate, CommunicationFollowsTheFormulas) {
  using protocol::Inducing;
  using protocol::UploadRule;
  for (const Inducing inducing : {Inducing::kCoin, Inducing::kGreedy, Inducing::kPublic}) {
    for (const UploadRule upload :
         {UploadRule::kProjection, UploadRule::kRewards, UploadRule::kAuto}) {
      Study study = small_study(forty_candidates(4));
      study.inducing = inducing;
      study.upload = upload;
      const RunResult result = run(simulation_of(study, problems::make_hartmann4()));
      ASSERT_EQ(result.communication.size(), 3U);  // two exchanges and the end
      Formula sum{};
      for (std::size_t j = 0; j < 2; ++j) {
        const Formula epoch = formula(study, result.epochs[j]);
        sum = {sum.paper + epoch.paper, sum.figure + epoch.figure, sum.links + epoch.links};
        const CommunicationPoint& point = result.communication[j];
        EXPECT_EQ(point.paper, sum.paper);
        EXPECT_EQ(point.figure, sum.figure);
        EXPECT_EQ(point.links, sum.links);
        EXPECT_EQ(point.closing, 0);
        EXPECT_EQ(point.t, j == 0 ? 2U : 6U);
      }
      const CommunicationPoint& end = result.communication[2];
      EXPECT_EQ(end.links, sum.links);  // the last epoch sends nothing
      EXPECT_EQ(end.closing, 3.0 * 4);  // except each agent's best trial: epoch, slot, value
      EXPECT_EQ(end.t, 11U);
      EXPECT_GT(end.bytes, result.communication[1].bytes);
    }
  }
}

TEST(Simulate, ClosingProjectionsHaveTheirOwnColumn) {
  Study study = small_study(forty_candidates());
  const RunResult plain = run(simulation_of(study, problems::make_branin()));
  study.closing = protocol::ClosingRule::kProjection;
  const RunResult result = run(simulation_of(study, problems::make_branin()));
  ASSERT_EQ(result.epochs.size(), 3U);
  const auto s = static_cast<double>(result.epochs[2].num_inducing);
  EXPECT_EQ(result.communication.back().closing, 4 * (3 + s) + 4 * (2 * s));
  EXPECT_EQ(result.communication.back().paper, plain.communication.back().paper);
  EXPECT_EQ(result.run_digest, plain.run_digest);  // queries and decisions are the same
  EXPECT_NE(result.state_digest, plain.state_digest);
}

// Minimising f is maximising -f when there is no noise: the same points, decisions and messages.
TEST(Simulate, MinimiseMirrorsMaximise) {
  for (const Domain& domain : {forty_candidates(), Domain::box(2)}) {
    const Study study = small_study(domain);
    Simulation down = simulation_of(study, std::make_shared<Affine>(2, steps));
    down.noise.level = 0;
    down.direction = protocol::Direction::kMinimize;
    Simulation up = simulation_of(study, std::make_shared<Affine>(2, steps, -1));
    up.noise.level = 0;
    // The box is the function's own, so its known maximum would be used: search in both cases.
    Recorder down_trials;
    Recorder up_trials;
    const RunResult low = run(down, down_trials);
    const RunResult high = run(up, up_trials);
    EXPECT_EQ(low.run_digest, high.run_digest);
    EXPECT_EQ(low.state_digest, high.state_digest);
    EXPECT_EQ(low.direction, "minimize");
    EXPECT_EQ(low.best_trial->value, -high.best_trial->value);
    EXPECT_EQ(low.recommendation->value, -high.recommendation->value);
    EXPECT_LE(low.recommendation->low, low.recommendation->value);
    EXPECT_LE(low.recommendation->value, low.recommendation->high);
    if (!domain.is_finite()) continue;
    EXPECT_EQ(*low.optimum, -*high.optimum);
    EXPECT_EQ(low.cumulative_regret, high.cumulative_regret);
  }
}

// (4 f + four times the noise) / 4 is f + noise, bit by bit.
TEST(Simulate, ScaleUndoesAScaledFunction) {
  const Study study = small_study(forty_candidates());
  Simulation plain = simulation_of(study, std::make_shared<Affine>(2, steps));
  Simulation scaled = simulation_of(study, std::make_shared<Affine>(2, steps, 4));
  scaled.scale = 4;
  scaled.noise.level = 4 * plain.noise.level;
  const RunResult a = run(plain);
  const RunResult b = run(scaled);
  EXPECT_EQ(a.run_digest, b.run_digest);
  EXPECT_EQ(a.state_digest, b.state_digest);
  EXPECT_EQ(4 * a.cumulative_regret.back(), b.cumulative_regret.back());
  EXPECT_EQ(4 * a.recommendation->value, b.recommendation->value);
  EXPECT_EQ(4 * a.best_trial->value, b.best_trial->value);
}

TEST(Simulate, OffsetUndoesAShiftedFunction) {
  const Study study = small_study(forty_candidates());
  Simulation plain = simulation_of(study, std::make_shared<Affine>(2, steps));
  Simulation shifted = simulation_of(study, std::make_shared<Affine>(2, steps, 1, 3));
  shifted.offset = 3;
  plain.noise.level = shifted.noise.level = 0;
  const RunResult a = run(plain);
  const RunResult b = run(shifted);
  EXPECT_EQ(a.run_digest, b.run_digest);
  EXPECT_EQ(a.state_digest, b.state_digest);
  EXPECT_EQ(a.cumulative_regret, b.cumulative_regret);
  EXPECT_EQ(a.best_trial->value + 3, b.best_trial->value);
}

// The posterior is linear in the rewards, and scaling by a power of two is exact: rewards and beta
// that are four times as large give the same decisions.
TEST(Simulate, RewardsAndBetaScaleTogether) {
  Study study = small_study(forty_candidates());
  const RunResult a = run(simulation_of(study, std::make_shared<Affine>(2, steps)));
  study.beta *= 4;
  Simulation large = simulation_of(study, std::make_shared<Affine>(2, steps, 4));
  large.noise.level *= 4;
  const RunResult b = run(large);
  EXPECT_EQ(a.run_digest, b.run_digest);
  EXPECT_NE(a.state_digest, b.state_digest);
  for (std::size_t j = 0; j < a.epochs.size(); ++j) EXPECT_EQ(4 * a.epochs[j].tau, b.epochs[j].tau);
}

TEST(Simulate, AbsencesAndHoles) {
  Simulation simulation = branin_on(Domain::box(2));
  simulation.participation[1].excluded = {2};
  simulation.participation[2].holes[0] = {1, 3};
  simulation.participation[3].excluded = {0, 1};
  Recorder recorder;
  const RunResult result = run(simulation, recorder);
  std::size_t num_holes = 0;
  for (const Trial& trial : recorder.trials) {
    EXPECT_FALSE(trial.epoch == 1 && trial.agent == 2);
    EXPECT_FALSE(trial.epoch == 3 && trial.agent < 2);
    const bool hole = trial.epoch == 2 && trial.agent == 0 && (trial.slot == 1 || trial.slot == 3);
    EXPECT_EQ(trial.hole, hole);
    if (!hole) continue;
    ++num_holes;
    EXPECT_EQ(trial.regret, 0);
    EXPECT_EQ(trial.value, 0);
  }
  EXPECT_EQ(num_holes, 2U);
  EXPECT_EQ(recorder.trials.size(), 4U * 11 - 2 - 2 * 5);
  EXPECT_EQ(result.epochs[0].num_participants, 3U);
  EXPECT_EQ(result.epochs[0].num_points, 6U);
  EXPECT_EQ(result.epochs[1].num_holes, 2U);
  EXPECT_EQ(result.epochs[1].num_points, 14U);
  // Uplink of epoch 1: three agents; the trim names the absent one. Epoch 2: two more holes.
  const auto s = static_cast<double>(result.epochs[0].num_inducing);
  const double up = 3 * std::min(2.0, s);
  EXPECT_EQ(result.communication[0].figure, up);
  EXPECT_EQ(result.communication[0].links, up + 4 * (2 * s + s + 1 + 1));
  EXPECT_EQ(result.communication.back().closing, 3.0 * 2);
  EXPECT_EQ(result.cumulative_regret.size(), 11U);
}

TEST(Simulate, AbsenceEndsTheGuarantee) {
  Study study = small_study(forty_candidates());
  study.mode = protocol::Mode::kTheory;
  Simulation simulation = simulation_of(study, problems::make_branin());
  EXPECT_NE(run(simulation).guarantee.find("probability at least 0.9"), std::string::npos);
  simulation.participation[2].holes[3] = {0};
  EXPECT_EQ(run(simulation).guarantee.substr(0, 5), "None:");
  simulation.participation = {{3, {{1}, {}}}};
  EXPECT_EQ(run(simulation).guarantee.substr(0, 5), "None:");
}

TEST(Simulate, OneEpochHasNoRecommendation) {
  Simulation simulation = branin_on(forty_candidates());
  Study study = *simulation.study;
  study.horizon = 2;
  simulation.study = std::make_shared<const Study>(study);
  const RunResult result = run(simulation);
  EXPECT_FALSE(result.recommendation);
  EXPECT_TRUE(result.best_trial);
  EXPECT_TRUE(result.epochs.empty());
  EXPECT_EQ(result.communication.back().paper, 0);
}

TEST(Simulate, RefusesABadScaleOrOffset) {
  for (const double bad : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    Simulation simulation = branin_on(forty_candidates());
    simulation.scale = bad;
    EXPECT_THROW(run(simulation), base::Error);
  }
  Simulation simulation = branin_on(forty_candidates());
  simulation.offset = std::numeric_limits<double>::infinity();
  EXPECT_THROW(run(simulation), base::Error);
}

TEST(BestValue, FiniteSetByBruteForce) {
  for (const auto direction : {protocol::Direction::kMaximize, protocol::Direction::kMinimize}) {
    Simulation simulation = branin_on(forty_candidates());
    simulation.direction = direction;
    double best = -1e9;
    const numeric::Points& candidates = simulation.study->domain->candidates();
    for (Eigen::Index i = 0; i < candidates.rows(); ++i) {
      const double value = simulation.problem->value({candidates.row(i).data(), 2});
      best = std::max(best, simulation.upward(value));
    }
    EXPECT_EQ(best_value(simulation, base::SerialExecutor()), best);
    EXPECT_EQ(*run(simulation).optimum, simulation.upward(best));
  }
}

TEST(BestValue, KnownMaximumOnTheFunctionsOwnDomain) {
  const Simulation simulation = branin_on(Domain::box(2));
  EXPECT_EQ(best_value(simulation, base::SerialExecutor()), simulation.problem->maximum());
}

// h2 = (z - 1)^3 + 4 on the ball of radius 2: -23 at z = -2, on the surface. The search ends with
// steps of 1e-5 of the width, which costs the square of the angle.
TEST(BestValue, BySearchOtherwise) {
  Simulation simulation =
      simulation_of(small_study(Domain::ball(3, 2.0)), problems::make_h2({0.6, 0.0, -0.8}));
  simulation.direction = protocol::Direction::kMinimize;
  EXPECT_NEAR(best_value(simulation, base::SerialExecutor()), 23, 1e-5);
}

// A deployment's secret changes the agents' points; the problem and its noise remain the seed's.
TEST(Simulate, SecretOfADeployment) {
  Simulation simulation = branin_on(forty_candidates());
  simulation.noise = {NoiseKind::kGaussian, 0.1};
  const base::SerialExecutor executor;
  Recorder plain;
  const RunResult by_seed = simulate(simulation, executor, plain);
  simulation.secret = random::StudySecret::from_seed(simulation.seed);
  Recorder same;
  EXPECT_EQ(simulate(simulation, executor, same).state_digest, by_seed.state_digest);
  simulation.secret = random::StudySecret::from_seed(99);
  Recorder other;
  const RunResult deployed = simulate(simulation, executor, other);
  EXPECT_NE(deployed.run_digest, by_seed.run_digest);
  EXPECT_EQ(deployed.optimum, by_seed.optimum);
  ASSERT_EQ(other.trials.size(), plain.trials.size());
  for (std::size_t i = 0; i < plain.trials.size(); ++i) {
    ASSERT_EQ(other.trials[i].t, plain.trials[i].t);
    const auto noise = [&](const Trial& t) { return t.value - (*by_seed.optimum - t.regret); };
    EXPECT_NEAR(noise(other.trials[i]), noise(plain.trials[i]), 1e-12);  // sums of numbers near 1
  }
}

}  // namespace
}  // namespace duets::harness
