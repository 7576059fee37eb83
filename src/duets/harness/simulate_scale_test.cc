// Tests simulations with many units of agents: threads, processes, waves and thinning do not
// matter.
#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <thread>
#include <tuple>

#include "duets/base/rank_test_support.h"
#include "duets/harness/simulate.h"
#include "duets/harness/threads.h"
#include "duets/problems/functions.h"
#include "duets/protocol/replay.h"
#include "duets/region/draw.h"

namespace duets::harness {
namespace {

using domain::Domain;
using protocol::Study;

Domain forty_scale_candidates() {
  return Domain::finite(region::random_candidates(random::StudySecret::from_seed(5).public_coin(),
                                                  region::CandidateShape::kCube, 40, 2, 1.0));
}

// A long last epoch, which sends nothing, makes each agent a unit; the two epochs before it are
// short and cheap.
Simulation many_units(Domain domain, std::uint32_t agents) {
  Study study;
  study.agents = agents;
  study.schedule = protocol::ScheduleRule::kExplicit;
  study.epochs = {5, 7, 8200};
  study.horizon = 8212;
  study.domain = std::make_shared<const Domain>(std::move(domain));
  study.kernel.lengthscales = {0.3};
  study.beta = 0.5;
  EXPECT_EQ(protocol::num_units(study), agents);
  Simulation simulation;
  simulation.study = std::make_shared<const Study>(study);
  simulation.problem = problems::make_branin();
  simulation.seed = 11;
  return simulation;
}

bool same(const Trial& a, const Trial& b) {
  return a.agent == b.agent && a.epoch == b.epoch && a.slot == b.slot && a.t == b.t &&
         a.values == b.values && a.hole == b.hole && a.value == b.value && a.regret == b.regret;
}

class ScaleRecorder final : public Observer {
 public:
  void epoch_began(std::uint32_t epoch, std::uint32_t length) override {
    calls.push_back("began " + std::to_string(epoch) + " " + std::to_string(length));
  }
  void trial(const Trial& trial) override { trials.push_back(trial); }
  void queries_done(std::uint64_t count) override { num_queries += count; }
  void exchange_began(std::uint32_t epoch) override {
    calls.push_back("exchange " + std::to_string(epoch) + " " + std::to_string(num_queries));
  }
  void epoch_ended(const protocol::EpochEnded& ended) override {
    calls.push_back("ended " + std::to_string(base::value(ended.epoch)));
  }

  std::vector<Trial> trials;
  std::vector<std::string> calls;
  std::uint64_t num_queries = 0;
};

struct Outcome {
  RunResult result;
  ScaleRecorder told;
};

Outcome run_at_scale(const Simulation& simulation,
                     const base::Executor& executor = base::SerialExecutor()) {
  Outcome outcome;
  outcome.result = simulate(simulation, executor, outcome.told);
  return outcome;
}

void expect_same(const Outcome& a, const Outcome& b) {
  EXPECT_EQ(a.result.run_digest, b.result.run_digest);
  EXPECT_EQ(a.result.state_digest, b.result.state_digest);
  EXPECT_EQ(a.result.cumulative_regret, b.result.cumulative_regret);
  ASSERT_TRUE(a.result.best_trial && b.result.best_trial);
  EXPECT_EQ(a.result.best_trial->agent, b.result.best_trial->agent);
  EXPECT_EQ(a.result.best_trial->values, b.result.best_trial->values);
  EXPECT_EQ(a.result.best_trial->value, b.result.best_trial->value);
  ASSERT_EQ(a.result.communication.size(), b.result.communication.size());
  EXPECT_EQ(a.result.communication.back().links, b.result.communication.back().links);
  EXPECT_EQ(a.result.communication.back().bytes, b.result.communication.back().bytes);
  ASSERT_TRUE(a.result.picture && b.result.picture);
  EXPECT_EQ(a.result.picture->point_x, b.result.picture->point_x);
  EXPECT_EQ(a.result.picture->mean, b.result.picture->mean);
  EXPECT_EQ(a.told.calls, b.told.calls);
  EXPECT_TRUE(std::equal(a.told.trials.begin(), a.told.trials.end(), b.told.trials.begin(),
                         b.told.trials.end(), same));
}

Simulation with_absences(Simulation simulation) {
  simulation.participation[1].excluded = {2};
  simulation.participation[1].holes[3] = {0, 4};
  simulation.participation[3].holes[5] = {17, 8199};
  simulation.participation[3].excluded = {0, 1};
  return simulation;
}

// More units than a wave has, so that there is a second wave.
TEST(SimulateManyUnits, ThreadsDoNotMatter) {
  const Simulation simulation = many_units(forty_scale_candidates(), 18);
  const Outcome serial = run_at_scale(simulation);
  EXPECT_EQ(serial.told.num_queries, 18U * 8212);
  expect_same(run_at_scale(simulation, ThreadExecutor(3)), serial);
}

TEST(SimulateManyUnits, TrialsComeInAgentOrder) {
  const Outcome serial = run_at_scale(many_units(forty_scale_candidates(), 18), ThreadExecutor(2));
  ASSERT_EQ(serial.told.trials.size(), 18U * 8212);
  EXPECT_TRUE(std::is_sorted(
      serial.told.trials.begin(), serial.told.trials.end(), [](const Trial& a, const Trial& b) {
        return std::tuple(a.epoch, a.agent, a.slot) < std::tuple(b.epoch, b.agent, b.slot);
      }));
  EXPECT_EQ(serial.told.calls, (std::vector<std::string>{"began 1 5", "exchange 1 90", "ended 1",
                                                         "began 2 7", "exchange 2 216", "ended 2",
                                                         "began 3 8200", "exchange 3 147816"}));
}

// Each rank has some of the agents and gets the answers of the others; all end with the same
// result, absences included, also with more ranks than agents.
TEST(SimulateManyUnits, ProcessesDoNotMatter) {
  for (const Domain& domain : {forty_scale_candidates(), Domain::box(2)}) {
    for (const bool absences : {false, true}) {
      Simulation simulation = many_units(domain, 7);
      if (absences) simulation = with_absences(simulation);
      const Outcome alone = run_at_scale(simulation);
      for (const std::size_t num_ranks : {2U, 3U, 9U}) {
        std::mutex mutex;
        std::vector<Outcome> runs;
        base::run_ranks<std::thread>(num_ranks, [&](const base::RankExecutor& executor) {
          Outcome mine = run_at_scale(simulation, executor);
          const std::lock_guard lock(mutex);
          runs.push_back(std::move(mine));
        });
        ASSERT_EQ(runs.size(), num_ranks);
        for (const Outcome& rank : runs) expect_same(rank, alone);
      }
    }
  }
}

// When agents draw their own points, uploads have digests of them: the same run digest shows that
// the replay is the same.
TEST(SimulateManyUnits, SharedAndSeparatePointsGiveTheSameRun) {
  for (const Domain& domain : {forty_scale_candidates(), Domain::box(2), Domain::ball(2, 1.0)}) {
    Simulation simulation = with_absences(many_units(domain, 7));
    const Outcome shared = run_at_scale(simulation);
    simulation.sharing = protocol::Sharing::kRegions;
    expect_same(run_at_scale(simulation), shared);
    expect_same(run_at_scale(simulation, ThreadExecutor(2)), shared);
  }
}

// Points of an earlier epoch remain in use.
TEST(SimulateManyUnits, SharedPointsWorkWithSurvivingData) {
  Simulation simulation = many_units(forty_scale_candidates(), 5);
  Study study = *simulation.study;
  study.epochs = {5, 7, 6, 20};
  study.horizon = 38;
  study.data = protocol::DataPolicy::kSurviving;
  simulation.study = std::make_shared<const Study>(study);
  const Outcome shared = run_at_scale(simulation);
  simulation.sharing = protocol::Sharing::kRegions;
  expect_same(run_at_scale(simulation), shared);
}

TEST(SimulateThinned, TheObserverGetsOnlyTheKeptQueries) {
  Simulation simulation = with_absences(many_units(forty_scale_candidates(), 7));
  const Outcome all = run_at_scale(simulation);
  for (const std::uint64_t stride : {0U, 3U, 100U, 1'000'000U}) {
    simulation.trials.stride = stride;
    const Outcome thinned = run_at_scale(simulation, ThreadExecutor(2));
    std::vector<Trial> wanted;
    for (const Trial& trial : all.told.trials) {
      if (stride != 0 && (trial.agent + trial.t) % stride == 0) wanted.push_back(trial);
    }
    EXPECT_TRUE(std::equal(wanted.begin(), wanted.end(), thinned.told.trials.begin(),
                           thinned.told.trials.end(), same));
    EXPECT_EQ(thinned.told.num_queries, all.told.num_queries);
    EXPECT_EQ(thinned.result.state_digest, all.result.state_digest);
    EXPECT_EQ(thinned.result.cumulative_regret, all.result.cumulative_regret);
    EXPECT_EQ(thinned.result.picture->point_y, all.result.picture->point_y);
  }
}

TEST(SimulateThinned, ThePictureHasAnEvenSample) {
  const Outcome large = run_at_scale(many_units(Domain::box(2), 7));
  const Picture& picture = *large.result.picture;
  EXPECT_EQ(picture.point_stride, 3U);  // 57484 queries, 20000 points
  EXPECT_NEAR(static_cast<double>(picture.point_x.size()), 7 * 8212 / 3.0, 7);
  EXPECT_EQ(picture.point_epoch.size(), picture.point_x.size());
}

TEST(SimulateEdges, OneAgentOneQuery) {
  Simulation simulation = many_units(forty_scale_candidates(), 3);
  Study study = *simulation.study;
  study.agents = 1;
  study.horizon = 1;
  study.epochs = {1};
  simulation.study = std::make_shared<const Study>(study);
  const Outcome one = run_at_scale(simulation);
  EXPECT_EQ(one.told.trials.size(), 1U);
  EXPECT_EQ(one.result.cumulative_regret.size(), 1U);
  EXPECT_FALSE(one.result.recommendation);
  EXPECT_TRUE(one.result.best_trial);
}

// Thousands of agents in a unit, each with a few queries.
TEST(SimulateEdges, ManyAgentsFewQueries) {
  Simulation simulation = many_units(forty_scale_candidates(), 3);
  Study study = *simulation.study;
  study.agents = 10'000;
  study.horizon = 6;
  study.epochs = {2, 4};
  simulation.study = std::make_shared<const Study>(study);
  EXPECT_EQ(protocol::num_units(study), 3U);
  const Outcome shared = run_at_scale(simulation, ThreadExecutor(2));
  EXPECT_EQ(shared.told.trials.size(), 60'000U);
  simulation.sharing = protocol::Sharing::kRegions;
  expect_same(run_at_scale(simulation), shared);
}

}  // namespace
}  // namespace duets::harness
