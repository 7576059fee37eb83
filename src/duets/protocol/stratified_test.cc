// Runs with stratified coins: agents and coordinator draw the same points, each for itself, and
// nothing shows of an interruption.
#include <gtest/gtest.h>

#include <utility>

#include "duets/protocol/run_test_support.h"

namespace duets::protocol {
namespace {

using domain::Domain;

const auto kStratifiedSecret = random::StudySecret::from_seed(7);

Study stratified(Study study) {
  study.coins = Coins::kStratified;
  return study;
}

Study with_size(Study study, std::uint32_t agents, std::uint32_t horizon) {
  study.agents = agents;
  study.horizon = horizon;
  return stratified(std::move(study));
}

// Wide length scales and small beta leave few of the candidates.
Study few_survivors() {
  Study study = stratified(small_study());
  study.beta = 0.01;
  study.lambda = 0.01;
  return study;
}

std::vector<std::pair<const char*, Study>> stratified_studies() {
  Study high = stratified(small_study(Domain::box(50)));
  high.kernel.lengthscales = {3};
  Study surviving = stratified(small_study(Domain::box(2)));
  surviving.data = DataPolicy::kSurviving;
  Study scales = stratified(small_study(Domain::box(3)));
  scales.kernel.lengthscales = {0.4, 0.2, 5};
  return {{"finite", stratified(small_study())},
          {"a length scale for each coordinate", scales},
          {"box", stratified(small_study(Domain::box(2)))},
          {"ball", stratified(small_study(Domain::ball(3, 1.0)))},
          {"interval", stratified(small_study(Domain::box(1)))},
          {"fifty dimensions", high},
          {"cover", stratified(small_region_study(false))},
          {"walk", stratified(small_region_study(true))},
          {"surviving data", surviving},
          {"few survivors", few_survivors()},
          {"one agent", with_size(small_study(Domain::box(2)), 1, 9)},
          {"one query", with_size(small_study(Domain::box(2)), 3, 1)},
          {"one agent, one query", with_size(small_study(), 1, 1)}};
}

// Every agent has its own view here, and the coordinator refuses points that differ from its
// replay: a run that ends shows that all agree.
TEST(Stratified, AgentsAndCoordinatorAgree) {
  for (const auto& [name, study] : stratified_studies()) {
    TestRun run(study);
    run.finish();
    EXPECT_TRUE(run.coordinator().summary().participation().empty()) << name;
    EXPECT_NE(run.coordinator().view().strata(EpochId{1}), nullptr) << name;
    EXPECT_NE(run.coordinator().view().strata(run.coordinator().epoch()), nullptr) << name;
  }
}

TEST(Stratified, RestartingChangesNothing) {
  for (const auto& [name, study] : stratified_studies()) {
    TestRun plain(study);
    plain.finish();
    TestRun restarted(study, wavy_reward, true);
    restarted.finish();
    EXPECT_EQ(restarted.transcript(), plain.transcript()) << name;
  }
}

TEST(Stratified, AJournalIsReplayed) {
  for (const auto& [name, study] : stratified_studies()) {
    TestRun run(study);
    if (study.horizon > 1 && study.agents > 1) run.run_epoch({1}, {{0, {0}}});
    run.finish();
    std::vector<base::Bytes> journal;
    for (const Record& record : run.records()) journal.push_back(encode_record(record));
    const Coordinator replayed =
        Coordinator::replay(share(study), kStratifiedSecret, kTestExecutor, journal);
    EXPECT_EQ(replayed.summary().run_digest(), run.summary().run_digest()) << name;
    EXPECT_EQ(replayed.summary().state_digest(), run.summary().state_digest()) << name;
  }
}

TEST(Stratified, FewerSurvivorsThanStrata) {
  TestRun run(few_survivors());
  run.finish();
  const PublicView& view = run.coordinator().view();
  const region::Strata* last = view.strata(run.coordinator().epoch());
  ASSERT_NE(last, nullptr);
  EXPECT_LT(last->num_points(), last->num_strata());
}

// A single slot drawn later, as for the best trial, is the agent's own point.
TEST(Stratified, OneSlotIsThatOfThePlan) {
  TestRun run(stratified(small_study(Domain::box(2))));
  run.run_epoch();
  const Plan plan = run.agent(2).plan();
  ASSERT_EQ(plan.epoch, EpochId{2});
  const region::Draw draw = run.coordinator().view().private_points(
      AgentId{2}, kStratifiedSecret.agent_coin(AgentId{2}), {EpochId{2}, 1, 1}, kTestExecutor);
  EXPECT_EQ(draw.latents.row(0), plan.latents().row(1));
}

// The tests of the public points are counted, once.
TEST(Stratified, TestsAreCounted) {
  const Study study = stratified(small_study(Domain::box(2)));
  TestRun run(study);
  run.finish();
  const region::Strata* first = run.coordinator().view().strata(EpochId{1});
  EXPECT_EQ(first->tests(), 6 * region::kPointsPerStratum);
  EXPECT_EQ(run.coordinator().summary().epochs().front().membership_tests, first->tests());
}

// 3 x 11000 slots are too many: their points are those of independent coins.
TEST(Stratified, TooManySlotsAreIndependent) {
  Study study = with_size(small_study(Domain::box(2)), 3, 11000);
  study.schedule = ScheduleRule::kExplicit;
  study.epochs = {11000};
  const auto points = [&](Coins coins) {
    study.coins = coins;
    const auto shared = share(study);
    const auto view =
        std::make_shared<PublicView>(shared, kStratifiedSecret.public_coin(), kTestExecutor);
    EXPECT_EQ(view->strata(EpochId{1}), nullptr);
    return Agent(shared, AgentId{1}, kStratifiedSecret.agent_coin(AgentId{1}), view)
        .plan()
        .latents();
  };
  EXPECT_EQ(points(Coins::kStratified), points(Coins::kIndependent));
}

TEST(Stratified, PointsAreNotThoseOfIndependentCoins) {
  for (const Domain& domain : {Domain::finite(lattice(40, 2)), Domain::box(2)}) {
    TestRun independent(small_study(domain));
    TestRun run(stratified(small_study(domain)));
    EXPECT_NE(run.agent(0).plan().latents(), independent.agent(0).plan().latents());
  }
}

}  // namespace
}  // namespace duets::protocol
