#include "duets/lab/experiment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <thread>

#include "duets/base/error.h"
#include "duets/base/rank_test_support.h"
#include "duets/harness/threads.h"
#include "duets/problems/functions.h"

namespace duets::lab {
namespace {

const std::atomic<bool> kGoOn = false;

Instance tiny_instance(std::uint64_t seed) {
  protocol::Study study;
  study.agents = 2;
  study.horizon = 5;
  study.domain = std::make_shared<const domain::Domain>(
      domain::Domain::finite(numeric::Points::Constant(1, 2, 0.5)));
  harness::Simulation simulation;
  simulation.study = std::make_shared<const protocol::Study>(study);
  simulation.problem = problems::make_branin();
  simulation.seed = seed;
  return make_instance(std::move(simulation));
}

// The curves say who ran and with which seed.
Contender marked(double mark, std::atomic<int>& count) {
  return {
      .algorithm = "marked", .beta = mark, .variant = {}, .run = [mark, &count](const Instance& i) {
        ++count;
        Curves curves;
        curves.t = {1};
        curves.regret = {100 * mark + static_cast<double>(i.simulation.seed)};
        return curves;
      }};
}

Experiment two_by_three(std::atomic<int>& count) {
  Experiment experiment;
  experiment.seeds = {4, 5, 6};
  for (const char* function : {"f", "g"}) {
    experiment.tasks.push_back({.preset = "p",
                                .function = function,
                                .make = tiny_instance,
                                .contenders = {marked(1, count), marked(2, count)}});
  }
  return experiment;
}

class MapStore final : public UnitStore {
 public:
  std::optional<Unit> load(const Task& task, std::uint64_t seed) override {
    const std::lock_guard lock(mutex_);
    const auto found = units.find({task.function, seed});
    if (found == units.end()) return std::nullopt;
    return found->second;
  }
  void save(const Task& task, std::uint64_t seed, const Unit& unit) override {
    const std::lock_guard lock(mutex_);
    units[{task.function, seed}] = unit;
  }
  void received(const Task& task, std::uint64_t seed, const Unit& unit) override {
    others[{task.function, seed}] = unit;
  }
  std::map<std::pair<std::string, std::uint64_t>, Unit> units;
  std::map<std::pair<std::string, std::uint64_t>, Unit> others;  // that other processes ran

 private:
  std::mutex mutex_;
};

class Counter final : public ExperimentObserver {
 public:
  void begins(std::size_t runs) override { announced = static_cast<int>(runs); }
  void run_done(bool was_loaded) override { ++(was_loaded ? loaded : computed); }
  int announced = -1;
  std::atomic<int> loaded = 0, computed = 0;
};

TEST(RunExperiment, EveryRunStandsInItsPlaceOnAnyNumberOfThreads) {
  for (const unsigned threads : {1U, 2U, 5U}) {
    std::atomic<int> count = 0;
    const Experiment experiment = two_by_three(count);
    MapStore store;
    Counter counter;
    const ExperimentResult result =
        run_experiment(experiment, harness::ThreadExecutor(threads), store, counter, kGoOn);
    EXPECT_FALSE(result.stopped);
    EXPECT_EQ(num_runs(experiment), 12U);
    EXPECT_EQ(count, 12);
    EXPECT_EQ(counter.computed, 12);
    for (std::size_t task = 0; task < 2; ++task) {
      for (std::size_t seed = 0; seed < 3; ++seed) {
        for (std::size_t c = 0; c < 2; ++c) {
          EXPECT_EQ(result.units[task][seed][c].regret.back(),
                    100.0 * static_cast<double>(c + 1) + 4 + static_cast<double>(seed));
        }
      }
    }
  }
}

TEST(RunExperiment, ATaskMayHaveFewerSeeds) {
  std::atomic<int> count = 0;
  Experiment experiment = two_by_three(count);
  experiment.tasks[0].max_runs = 1;
  experiment.tasks[1].max_runs = 7;  // more than there are
  EXPECT_EQ(num_units(experiment), 4U);
  EXPECT_EQ(num_runs(experiment), 8U);
  NoStore store;
  Counter counter;
  const ExperimentResult result =
      run_experiment(experiment, harness::ThreadExecutor(2), store, counter, kGoOn);
  EXPECT_EQ(count, 8);
  EXPECT_EQ(result.num_units, 4U);
  ASSERT_EQ(result.units[0].size(), 1U);
  ASSERT_EQ(result.units[1].size(), 3U);
  EXPECT_EQ(result.units[0][0][1].regret.back(), 204);
  EXPECT_EQ(result.units[1][2][0].regret.back(), 106);
}

TEST(RunExperiment, RunsOnlyWhatTheStoreLacks) {
  std::atomic<int> count = 0;
  const Experiment experiment = two_by_three(count);
  MapStore store;
  Counter counter;
  const auto whole = run_experiment(experiment, base::SerialExecutor(), store, counter, kGoOn);
  store.units.erase({"g", 5});
  count = 0;
  Counter second;
  const auto resumed = run_experiment(experiment, base::SerialExecutor(), store, second, kGoOn);
  EXPECT_EQ(count, 2);
  EXPECT_EQ(second.computed, 2);
  EXPECT_EQ(second.loaded, 10);
  EXPECT_EQ(resumed.units, whole.units);
}

// The first process has a store with one unit; the others start with nothing.
TEST(RunExperiment, ProcessesShareTheUnitsThatTheFirstLacks) {
  std::atomic<int> count = 0;
  const Experiment experiment = two_by_three(count);
  MapStore whole;
  Counter ignored;
  const auto expected =
      run_experiment(experiment, base::SerialExecutor(), whole, ignored, kGoOn).units;
  for (const std::size_t num_ranks : {1U, 2U, 3U, 4U, 9U}) {
    count = 0;
    base::run_ranks<std::thread>(num_ranks, [&](const base::RankExecutor& executor) {
      MapStore store;
      if (executor.rank() == 0) store.units[{"f", 5}] = whole.units[{"f", 5}];
      const std::size_t stored = store.units.size();
      Counter counter;
      const auto result = run_experiment(experiment, executor, store, counter, kGoOn);
      EXPECT_FALSE(result.stopped);
      EXPECT_EQ(result.units, expected);
      EXPECT_EQ(counter.announced, counter.loaded + counter.computed);
      EXPECT_EQ(counter.loaded, 2);
      // Each of the five missing units is this process's own or another's, never both.
      EXPECT_EQ(static_cast<std::size_t>(counter.computed), 2 * (store.units.size() - stored));
      EXPECT_EQ(store.units.size() - stored + store.others.size(), 5U);
    });
    EXPECT_EQ(count, 10) << "no unit is run twice by " << num_ranks;
  }
}

// Tasks are ordered by size where sizes differ: a process that did the first ones only would be the
// last to end.
TEST(RunExperiment, EveryProcessGetsUnitsFromTheWholeRange) {
  std::atomic<int> count = 0;
  Experiment experiment = two_by_three(count);
  experiment.seeds.resize(32);
  for (std::size_t i = 0; i < 32; ++i) experiment.seeds[i] = i;
  for (const std::size_t num_ranks : {2U, 3U, 4U}) {
    base::run_ranks<std::thread>(num_ranks, [&](const base::RankExecutor& executor) {
      MapStore store;
      Counter counter;
      run_experiment(experiment, executor, store, counter, kGoOn);
      const auto of_first_task = static_cast<std::size_t>(
          std::count_if(store.units.begin(), store.units.end(),
                        [](const auto& e) { return e.first.first == "f"; }));
      const std::size_t fair = store.units.size() / 2;
      EXPECT_NEAR(static_cast<double>(of_first_task), static_cast<double>(fair), 2) << num_ranks;
    });
  }
}

TEST(RunExperiment, WhenOneProcessIsAskedToStopAllDo) {
  std::atomic<int> count = 0;
  const Experiment experiment = two_by_three(count);
  base::run_ranks<std::thread>(3, [&](const base::RankExecutor& executor) {
    MapStore store;
    Counter counter;
    const std::atomic<bool> stop = executor.rank() == 1;
    const auto result = run_experiment(experiment, executor, store, counter, stop);
    EXPECT_TRUE(result.stopped);
    EXPECT_TRUE(result.units.empty());
    // What the other two finished is known everywhere.
    EXPECT_EQ(store.units.size() + store.others.size(), 4U);
    EXPECT_EQ(result.num_units, 4U);
  });
}

TEST(RunExperiment, StopsBetweenRunsAndKeepsWholeUnits) {
  std::atomic<int> count = 0;
  Experiment experiment = two_by_three(count);
  std::atomic<bool> stop = false;
  // The first contender of g asks to stop: f is whole, g has none.
  experiment.tasks[1].contenders[0].run = [&](const Instance&) {
    stop = true;
    return Curves{};
  };
  MapStore store;
  Counter counter;
  const auto result = run_experiment(experiment, base::SerialExecutor(), store, counter, stop);
  EXPECT_TRUE(result.stopped);
  EXPECT_TRUE(result.units.empty());
  EXPECT_EQ(store.units.size(), 3U);
}

TEST(RunExperiment, AnErrorEndsItAndFinishedUnitsStay) {
  std::atomic<int> count = 0;
  Experiment experiment = two_by_three(count);
  experiment.tasks[1].contenders[1].run = [](const Instance&) -> Curves {
    throw base::Error(base::ErrorKind::kNumeric, "broken");
  };
  MapStore store;
  Counter counter;
  EXPECT_THROW(run_experiment(experiment, harness::ThreadExecutor(2), store, counter, kGoOn),
               base::Error);
  EXPECT_EQ(store.units.count({"f", 4}), 1U);
  EXPECT_EQ(store.units.count({"g", 4}), 0U);
}

}  // namespace
}  // namespace duets::lab
