// Who took part, and what an epoch's posterior is then made of: compared with the posterior
// computed directly over the rows that remain.
#include <gtest/gtest.h>

#include <algorithm>

#include "duets/gp/exact.h"
#include "duets/gp/sparse.h"
#include "duets/protocol/run_test_support.h"

namespace duets::protocol {
namespace {

using domain::Domain;
using numeric::Points;
using numeric::Vector;

struct Row {
  std::uint32_t agent, epoch;
  Vector latent;
  double reward;
};

// Remembers what agents answered, without the code under test.
class Book {
 public:
  // Writes down the plan of an agent's open epoch, but for the holes.
  void note(TestRun& run, std::uint32_t agent, const std::vector<std::uint32_t>& holes = {}) {
    const Plan& plan = run.agent(agent).plan();
    for (std::uint32_t slot = 0; slot < plan.latents().rows(); ++slot) {
      if (std::count(holes.begin(), holes.end(), slot) != 0) continue;
      const std::uint32_t epoch = base::value(plan.epoch);
      const Vector latent = plan.latents().row(slot).transpose();
      rows_.push_back({agent, epoch, latent, wavy_reward({latent, agent, epoch, slot})});
    }
  }

  // The rows of an agent that count in an epoch, in epoch and slot order.
  std::vector<Row> rows(TestRun& run, std::uint32_t agent, std::uint32_t epoch) const {
    const bool surviving = run.study().data == DataPolicy::kSurviving;
    std::vector<Row> chosen;
    for (const Row& row : rows_) {
      if (row.agent != agent || row.epoch > epoch) continue;
      if (row.epoch < epoch && !surviving) continue;
      const Points point = row.latent.transpose();
      const auto& region = run.coordinator().view().region(EpochId{epoch});
      if (region.contains(point).inside[0] != 0) chosen.push_back(row);
    }
    return chosen;
  }

 private:
  std::vector<Row> rows_;
};

Points latents_of(const std::vector<Row>& rows, std::size_t dimension) {
  Points points(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(dimension));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    points.row(static_cast<Eigen::Index>(i)) = rows[i].latent.transpose();
  }
  return points;
}

Vector rewards_of(const std::vector<Row>& rows) {
  Vector rewards(static_cast<Eigen::Index>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rewards[static_cast<Eigen::Index>(i)] = rows[i].reward;
  }
  return rewards;
}

// w of an epoch, directly: the Gram over the rows of the agents that took part, and the sum of
// their projections.
Vector direct_weights(TestRun& run, const Book& book, std::uint32_t epoch,
                      const std::vector<std::uint32_t>& participants) {
  const Study& study = run.study();
  const Points& inducing = run.coordinator().view().inducing(EpochId{epoch}).features;
  Vector u = Vector::Zero(inducing.rows());
  std::vector<Row> all;
  for (const std::uint32_t agent : participants) {
    const std::vector<Row> rows = book.rows(run, agent, epoch);
    u += gp::project(study.kernel, inducing, latents_of(rows, study.domain->dimension()),
                     rewards_of(rows));
    all.insert(all.end(), rows.begin(), rows.end());
  }
  const base::SerialExecutor executor;
  return gp::SparsePosterior(study.kernel, inducing, latents_of(all, study.domain->dimension()),
                             Vector(), study.lambda, executor)
      .weights(u);
}

// Both solve the same system; the data are added in another order on finite sets, where repeated
// points collapse. The ridge is at least lambda = 0.2, so rounding is amplified by less than 1e4.
void expect_same_weights(const Vector& actual, const Vector& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  EXPECT_LE((actual - expected).norm(), 1e-9 * (1 + expected.norm()));
}

std::vector<Study> attended_studies() {
  return {small_study(), small_study(Domain::box(2)), small_study(Domain::ball(3, 1.0))};
}

TEST(Participation, CompleteEpoch) {
  for (const Study& study : attended_studies()) {
    TestRun run(study);
    Book book;
    for (std::uint32_t a = 0; a < 3; ++a) book.note(run, a);
    run.run_epoch();
    expect_same_weights(run.trim(1).weights, direct_weights(run, book, 1, {0, 1, 2}));
    EXPECT_TRUE(run.trim(1).excluded.empty());
  }
}

// The data of an absent agent and of a hole never existed: the sparse posterior over what remains,
// and the largest variance of what remains, give the cut.
TEST(Participation, AbsentAgentAndHoles) {
  for (const Study& study : attended_studies()) {
    TestRun run(study);
    Book book;
    book.note(run, 0);
    book.note(run, 2, {0});
    run.run_epoch({1}, {{2, {0}}});
    EXPECT_EQ(run.trim(1).excluded, std::vector<std::uint32_t>{1});
    expect_same_weights(run.trim(1).weights, direct_weights(run, book, 1, {0, 2}));
    const EpochReport& report = run.coordinator().summary().epochs().at(0);
    EXPECT_EQ(report.num_points, 3U);
    EXPECT_EQ(report.num_holes, 1U);
    EXPECT_EQ(report.num_participants, 2U);
    EXPECT_GE(report.sigma2_max, report.sigma2_max_open);  // fewer data, more variance
    EXPECT_EQ(report.tau, report.max_mean - 2 * study.beta * std::sqrt(report.sigma2_max));
  }
}

TEST(Participation, LargestVarianceIsThatOfTheRemainingPoints) {
  TestRun run(small_study());
  Book book;
  book.note(run, 0);
  book.note(run, 2);
  run.run_epoch({1});
  std::vector<Row> rows = book.rows(run, 0, 1);
  for (const Row& row : book.rows(run, 2, 1)) rows.push_back(row);
  const gp::ExactPosterior exact(run.study().kernel, latents_of(rows, 2), Vector(), 0.2);
  const double expected = exact.variance(run.study().domain->candidates()).variance.maxCoeff();
  // Repeated points collapse in the coordinator: the same matrix up to a rotation.
  EXPECT_NEAR(run.coordinator().summary().epochs()[0].sigma2_max, expected, 1e-12);
}

// Under the surviving policy an absent agent's older rows leave for that epoch too (its projection,
// which holds them, is missing) and come back with it; what it missed never existed.
TEST(Participation, AbsentAgentUnderSurvivingData) {
  for (Study study : attended_studies()) {
    study.data = DataPolicy::kSurviving;
    study.upload = UploadRule::kProjection;
    study.beta = 2;
    study.horizon = 14;
    study.schedule = ScheduleRule::kExplicit;
    study.epochs = {3, 4, 4, 3};
    TestRun run(study);
    Book book;
    for (std::uint32_t a = 0; a < 3; ++a) book.note(run, a);
    run.run_epoch();
    book.note(run, 0);
    book.note(run, 2, {1, 3});
    run.run_epoch({1}, {{2, {1, 3}}});
    expect_same_weights(run.trim(2).weights, direct_weights(run, book, 2, {0, 2}));
    for (std::uint32_t a = 0; a < 3; ++a) book.note(run, a);
    run.run_epoch();
    expect_same_weights(run.trim(3).weights, direct_weights(run, book, 3, {0, 1, 2}));
    ASSERT_GT(book.rows(run, 1, 3).size(), 4U);  // something of epoch 1 survived: the test bites
    run.finish();
  }
}

// An agent whose upload was taken may still be left out by the host; it learns so from the trim.
TEST(Participation, UploadTakenButLeftOut) {
  Study study = small_study();
  study.data = DataPolicy::kSurviving;
  study.upload = UploadRule::kProjection;
  study.beta = 2;
  TestRun run(study);
  Book book;
  book.note(run, 0);
  run.deliver(run.query(0).value());
  run.deliver(run.query(1).value());
  run.close(1, {AgentId{0}});
  for (std::uint32_t a = 0; a < 3; ++a) book.note(run, a);
  run.run_epoch();
  expect_same_weights(run.trim(2).weights, direct_weights(run, book, 2, {0, 1, 2}));
}

// The coordinator projects raw rewards itself, to the same bits: nothing that is decided differs.
TEST(Participation, RawRewardsAndProjectionsDecideTheSame) {
  for (Study study : attended_studies()) {
    study.upload = UploadRule::kProjection;
    TestRun projected(study);
    study.upload = UploadRule::kRewards;
    TestRun raw(study);
    for (TestRun* run : {&projected, &raw}) {
      run->run_epoch({0}, {{1, {0}}});
      run->run_epoch({}, {{2, {1, 3}}});
      run->finish();
    }
    for (const std::uint32_t epoch : {1U, 2U}) {
      EXPECT_EQ(encode(raw.trim(epoch)), encode(projected.trim(epoch)));
    }
    EXPECT_EQ(raw.coordinator().summary().run_digest(),
              projected.coordinator().summary().run_digest());
    EXPECT_NE(raw.coordinator().summary().state_digest(),
              projected.coordinator().summary().state_digest());
  }
}

TEST(Participation, RawRewardsUnderSurvivingDataWhileTheyLast) {
  for (Study study : attended_studies()) {
    study.data = DataPolicy::kSurviving;
    study.beta = 2;
    study.p0 = 1e6;
    study.horizon = 10;
    study.schedule = ScheduleRule::kExplicit;
    study.epochs = {2, 3, 5};
    study.upload = UploadRule::kProjection;
    TestRun projected(study);
    study.upload = UploadRule::kAuto;
    TestRun raw(study);
    for (TestRun* run : {&projected, &raw}) {
      run->run_epoch();
      run->run_epoch({0}, {{1, {0}}});
      run->finish();
    }
    ASSERT_EQ(raw.coordinator().view().inducing(EpochId{2}).message.upload, UploadKind::kRewards);
    EXPECT_EQ(encode(raw.trim(1)), encode(projected.trim(1)));
    EXPECT_EQ(encode(raw.trim(2)), encode(projected.trim(2)));
    EXPECT_EQ(raw.coordinator().summary().run_digest(),
              projected.coordinator().summary().run_digest());
  }
}

// Once rewards were projected the coordinator does not know them: raw uploads are over, however
// short they would be. Under the epoch policy they are not.
TEST(Participation, NoRawRewardsAfterAProjection) {
  for (const DataPolicy data : {DataPolicy::kEpoch, DataPolicy::kSurviving}) {
    Study study = small_study();
    study.data = data;
    study.inducing = Inducing::kGreedy;
    study.beta = 5;
    study.horizon = 32;
    study.schedule = ScheduleRule::kExplicit;
    study.epochs = {30, 1, 1};
    study.kernel.lengthscales = {0.8};
    TestRun run(study);
    run.run_epoch();
    const auto set = [&](std::uint32_t epoch) -> const ResolvedInducing& {
      return run.coordinator().view().inducing(EpochId{epoch});
    };
    ASSERT_EQ(set(1).message.upload, UploadKind::kProjection);
    ASSERT_GT(set(2).latents.rows(), 1);
    EXPECT_EQ(set(2).message.upload,
              data == DataPolicy::kEpoch ? UploadKind::kRewards : UploadKind::kProjection);
    run.finish();
  }
}

// When closing fails, the host may leave agents out; the result is as if they had been left out at
// once.
TEST(Participation, CloseAgainAfterAnError) {
  Study study = small_study();
  study.upload = UploadRule::kProjection;
  FailingExecutor executor;
  TestRun run(study, wavy_reward, false, random::StudySecret::from_seed(7), executor);
  run.deliver(run.query(0).value());
  run.deliver(run.query(1).value());
  const Message last = run.query(2, {1}).value();
  executor.fails = true;
  EXPECT_TRUE(error_kind([&] { run.coordinator().receive(last); }));
  EXPECT_TRUE(error_kind([&] { run.close(1, {AgentId{0}, AgentId{1}}); }));
  executor.fails = false;
  run.close(1, {AgentId{2}});
  TestRun plain(study);
  plain.run_epoch({0, 1}, {{2, {1}}});
  EXPECT_EQ(encode(run.trim(1)), encode(plain.trim(1)));
  EXPECT_EQ(run.coordinator().summary().run_digest(), plain.coordinator().summary().run_digest());
}

// Nothing was observed: the mean is 0, the deviation is the prior's, everything stays.
TEST(Participation, AllSlotsAreHoles) {
  for (const Study& study : attended_studies()) {
    TestRun run(study);
    run.run_epoch({}, {{0, {0, 1}}, {1, {0, 1}}, {2, {0, 1}}});
    const EpochReport& report = run.coordinator().summary().epochs().at(0);
    EXPECT_EQ(report.num_points, 0U);
    EXPECT_EQ(report.sigma2_max, 1.0);
    EXPECT_EQ(run.trim(1).weights.norm(), 0);
    EXPECT_EQ(run.trim(1).tau, -2 * study.beta);
    EXPECT_EQ(report.cut_acceptance, 1.0);
    run.finish();
  }
}

// A machine without any answers takes over an agent: from the broadcasts alone it makes the uploads
// of the open epoch that the first machine would have made.
TEST(Participation, TakeOverFromTheBroadcastsAlone) {
  for (Study study : attended_studies()) {
    study.closing = ClosingRule::kProjection;
    const auto secret = random::StudySecret::from_seed(7);
    TestRun run(study);
    ASSERT_EQ(lengths(study).size(), 3U);
    while (!run.coordinator().finished()) {
      const auto view =
          std::make_shared<PublicView>(share(study), secret.public_coin(), kTestExecutor);
      Agent fresh(share(study), AgentId{1}, secret.agent_coin(AgentId{1}), view);
      for (const base::Bytes& message : run.broadcast()) fresh.receive(decode(message));
      const Plan plan = run.agent(1).plan();
      ASSERT_EQ(fresh.plan().epoch, plan.epoch);
      EXPECT_EQ(fresh.plan().first_t, plan.first_t);
      EXPECT_EQ(fresh.plan().latents(), plan.latents());
      for (std::uint32_t slot = 0; slot < plan.latents().rows(); ++slot) {
        fresh.report(slot, wavy_reward({plan.latents().row(slot).transpose(), 1,
                                        base::value(plan.epoch), slot}));
      }
      run.run_epoch();
      Message theirs = *fresh.outstanding();
      const auto is_ours = [&](const base::Bytes& bytes) { return bytes == encode(theirs); };
      if (auto* closing = std::get_if<Closing>(&theirs)) {
        // The best trial of earlier epochs is not known to the new machine; all else is.
        closing->best = std::get<Closing>(*run.agent(1).outstanding()).best;
      }
      EXPECT_TRUE(std::any_of(run.transcript().begin(), run.transcript().end(), is_ours));
    }
  }
}

// Where later uploads need earlier rewards, that would be a wrong upload.
TEST(Participation, NoTakeOverWithoutAnswersUnderSurvivingData) {
  Study study = small_study();
  study.data = DataPolicy::kSurviving;
  const auto secret = random::StudySecret::from_seed(7);
  TestRun run(study);
  run.run_epoch({1});
  run.run_epoch();
  for (const std::uint32_t a : {0U, 1U}) {
    const auto view =
        std::make_shared<PublicView>(share(study), secret.public_coin(), kTestExecutor);
    Agent fresh(share(study), AgentId{a}, secret.agent_coin(AgentId{a}), view);
    std::uint32_t taken = 0;
    const auto catch_up = [&] {
      for (const base::Bytes& message : run.broadcast()) {
        fresh.receive(decode(message));
        ++taken;
      }
    };
    EXPECT_EQ(error_kind(catch_up), base::ErrorKind::kProtocol);
    EXPECT_EQ(taken, a == 0 ? 1U : 3U);  // agent 1 was absent in epoch 1: nothing of it is missing
  }
}

// Whoever is absent in the last epoch has no closing message in the result.
TEST(Participation, BestTrialOfThoseThatClosed) {
  const auto reward = [](const Query& q) { return q.agent == 1 ? 100.0 : wavy_reward(q); };
  TestRun run(small_study(), reward);
  run.run_epoch();
  run.run_epoch();
  run.run_epoch({1});
  ASSERT_TRUE(run.coordinator().summary().best_trial());
  EXPECT_NE(run.coordinator().summary().best_trial()->agent, AgentId{1});
  EXPECT_FALSE(run.coordinator().summary().participation().empty());
}

}  // namespace
}  // namespace duets::protocol
