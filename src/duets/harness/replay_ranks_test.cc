// Tests a coordinator spread over several processes: it gives the same bytes as one process.
#include <gtest/gtest.h>

#include <numeric>
#include <thread>

#include "duets/base/rank_test_support.h"
#include "duets/harness/threads.h"
#include "duets/protocol/run_test_support.h"

namespace duets::protocol {
namespace {

using base::RankExecutor;

// Seven agents, each its own unit: the last epoch, which costs only draws, is long enough.
Study seven_units(domain::Domain domain) {
  Study study = small_study(std::move(domain));
  study.agents = 7;
  study.schedule = ScheduleRule::kExplicit;
  study.epochs = {2, 4, 9, 8200};
  study.horizon = std::accumulate(study.epochs.begin(), study.epochs.end(), 0U);
  return study;
}

std::vector<std::pair<const char*, Study>> studies() {
  std::vector<std::pair<const char*, Study>> all;
  all.emplace_back("finite", seven_units(domain::Domain::finite(lattice(40, 2))));
  all.emplace_back("box", seven_units(domain::Domain::box(2)));
  Study greedy = seven_units(domain::Domain::ball(2, 1.0));
  greedy.inducing = Inducing::kGreedy;
  greedy.upload = UploadRule::kRewards;
  all.emplace_back("ball, greedy, raw rewards", greedy);
  Study surviving = seven_units(domain::Domain::box(1));
  surviving.data = DataPolicy::kSurviving;
  surviving.upload = UploadRule::kProjection;
  all.emplace_back("surviving data", surviving);
  // The last epoch of a box has too many slots for strata, that of a finite set does not.
  for (const domain::Domain& domain :
       {domain::Domain::finite(lattice(40, 2)), domain::Domain::box(2)}) {
    Study stratified = seven_units(domain);
    stratified.coins = Coins::kStratified;
    all.emplace_back("stratified coins", stratified);
  }
  return all;
}

std::vector<base::Bytes> transcript(const Study& study, const base::Executor& executor) {
  TestRun run(study, wavy_reward, false, random::StudySecret::from_seed(7), executor);
  run.run_epoch({}, {{2, {1}}});
  run.run_epoch({3});
  run.finish();
  return run.transcript();
}

TEST(ReplayRanks, GivesTheSameBytesAsOneProcess) {
  for (const auto& [name, study] : studies()) {
    ASSERT_EQ(num_units(study), 7U);
    const std::vector<base::Bytes> alone = transcript(study, base::SerialExecutor());
    EXPECT_EQ(transcript(study, harness::ThreadExecutor(3)), alone) << name;
    for (const std::size_t ranks : {2U, 3U, 9U}) {
      std::vector<std::vector<base::Bytes>> each(ranks);
      base::run_ranks<std::thread>(ranks, [&](const RankExecutor& executor) {
        each[executor.rank()] = transcript(study, executor);
      });
      for (const auto& one : each) EXPECT_EQ(one, alone) << name << ", " << ranks << " ranks";
    }
  }
}

// Larger than a dense matrix: pivots on a sample, a sweep over all rows, greedy rows outside the
// sample. 7 x 1300 rows are more than the sample of 8192.
TEST(ReplayRanks, PivotsAndSweepsAreTheSameAsInOneProcess) {
  Study study = seven_units(domain::Domain::box(2));
  study.epochs = {1300, 8200};
  study.horizon = 9500;
  study.kernel.lengthscales = {0.2};
  for (const Inducing inducing : {Inducing::kCoin, Inducing::kGreedy}) {
    study.inducing = inducing;
    const auto first_epoch = [&](const base::Executor& executor) {
      TestRun run(study, wavy_reward, false, random::StudySecret::from_seed(7), executor);
      run.run_epoch();
      EXPECT_EQ(run.coordinator().summary().epochs().front().variance_path, VariancePath::kLowRank);
      return run.transcript();
    };
    const std::vector<base::Bytes> alone = first_epoch(base::SerialExecutor());
    EXPECT_EQ(first_epoch(harness::ThreadExecutor(2)), alone);
    std::vector<std::vector<base::Bytes>> each(3);
    base::run_ranks<std::thread>(
        3, [&](const RankExecutor& executor) { each[executor.rank()] = first_epoch(executor); });
    for (const auto& one : each) EXPECT_EQ(one, alone);
  }
}

// A process replays only its own agents, and all know every agent's digest.
TEST(ReplayRanks, AProcessHoldsItsShare) {
  const Study study = seven_units(domain::Domain::box(2));
  const auto secret = random::StudySecret::from_seed(7);
  const PublicView view(share(study), secret.public_coin(), kTestExecutor);
  Replay alone(share(study), secret, kTestExecutor);
  const Replay::Opening expected = alone.open(EpochId{1}, 2, view);
  std::vector<int> holders(study.agents, 0);
  std::mutex mutex;
  base::run_ranks<std::thread>(3, [&](const RankExecutor& executor) {
    Replay replay(share(study), secret, executor);
    const Replay::Opening opening = replay.open(EpochId{1}, 2, view);
    const std::lock_guard lock(mutex);
    EXPECT_EQ(opening.digests, expected.digests);
    EXPECT_EQ(opening.tests, expected.tests);
    for (std::uint32_t a = 0; a < study.agents; ++a) {
      if (replay.draw(AgentId{a}) != nullptr) ++holders[a];
    }
  });
  EXPECT_EQ(holders, std::vector<int>(study.agents, 1));
}

TEST(ReplayRanks, UnitsCoverAllAgentsOnce) {
  for (const std::uint32_t agents : {1U, 7U, 1000U, 100000U}) {
    Study study = small_study();
    study.agents = agents;
    study.horizon = 10000;
    const std::size_t units = num_units(study);
    std::size_t next = 0;
    for (std::size_t unit = 0; unit < units; ++unit) {
      const base::UnitRange range = agents_of_units(study, {unit, unit + 1});
      EXPECT_EQ(range.begin, next);
      EXPECT_GT(range.end, range.begin);
      next = range.end;
    }
    EXPECT_EQ(next, agents);
  }
}

}  // namespace
}  // namespace duets::protocol
