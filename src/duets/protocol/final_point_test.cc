// closing = "all": the recommendation rests on every query of the run.
#include "duets/protocol/final_point.h"

#include <gtest/gtest.h>

#include <cmath>

#include "duets/gp/exact.h"
#include "duets/protocol/preset.h"
#include "duets/protocol/run_test_support.h"
#include "duets/protocol/verify.h"

namespace duets::protocol {
namespace {

using domain::Domain;
using numeric::Points;
using numeric::Vector;

Study all_study(Domain domain) {
  Study study = small_study(std::move(domain));
  apply_preset(*find_preset("auto"), study);
  study.agents = 4;
  study.horizon = 14;
  study.t1 = 2;
  return study;
}

/// The same where later epochs, and so the last one, send projections.
Study projecting_study(Domain domain) {
  Study study = all_study(std::move(domain));
  study.raw_rewards = 8;
  study.upload = UploadRule::kAuto;
  study.numbers = Numbers::kDouble;  // short rewards would be shorter
  study.horizon = 60;
  study.t1 = 20;
  study.schedule = ScheduleRule::kExplicit;
  study.epochs = {20, 20, 20};
  study.kernel.lengthscales = {2.0};
  return study;
}

std::vector<Domain> all_domains() {
  return {Domain::finite(lattice(60, 2)), Domain::box(2), Domain::ball(2, 0.5)};
}

EpochId last_epoch(const Study& study) {
  return EpochId{static_cast<std::uint32_t>(lengths(study).size())};
}

/// Every query of a run with its reward.
struct Queries {
  std::vector<Vector> latents;
  std::vector<double> rewards;

  RewardFunction recorder() {
    return [this](const Query& q) {
      latents.push_back(q.latent);
      rewards.push_back(wavy_reward(q));
      return rewards.back();
    };
  }
};

gp::ExactPosterior posterior_of(const Study& study, const Queries& queries,
                                const EpochReport& report) {
  Points latents(static_cast<Eigen::Index>(queries.latents.size()),
                 static_cast<Eigen::Index>(study.domain->dimension()));
  for (Eigen::Index i = 0; i < latents.rows(); ++i) {
    latents.row(i) = queries.latents[static_cast<std::size_t>(i)].transpose();
  }
  return {report.kernel, study.domain->features(latents), {}, report.lambda};
}

// The coordinator has all rewards, so it computes the posterior of all of them. What its inducing
// points lack is a thousandth of a reward's variance at most: far below a tenth of a deviation.
TEST(FinalPoint, RestsOnEveryReward) {
  for (const Domain& domain : all_domains()) {
    Study study = all_study(domain);
    study.numbers = Numbers::kDouble;
    Queries queries;
    TestRun run(study, queries.recorder());
    run.finish();
    const EpochReport& report = run.summary().epochs().back();
    ASSERT_EQ(queries.rewards.size(), std::size_t{study.agents} * study.horizon);
    EXPECT_EQ(report.num_points, queries.rewards.size());
    const gp::ExactPosterior exact = posterior_of(study, queries, report);
    const Vector rewards =
        Eigen::Map<const Vector>(queries.rewards.data(),
                                 static_cast<Eigen::Index>(queries.rewards.size()))
            .array() -
        report.reward_offset;
    const Points best = study.domain->features(Points(report.best_point.transpose()));
    const double stddev = std::sqrt(exact.variance(best).variance[0]);
    EXPECT_NEAR(report.best_stddev, stddev, 0.1 * stddev);
    EXPECT_NEAR(report.max_mean, exact.mean(best, rewards)[0] + report.reward_offset, 0.1 * stddev);
    // No query has a better cautious value.
    for (const Vector& latent : queries.latents) {
      const Points x = study.domain->features(Points(latent.transpose()));
      const double cautious = exact.mean(x, rewards)[0] + report.reward_offset -
                              kCaution * std::sqrt(exact.variance(x).variance[0]);
      EXPECT_LE(cautious, report.max_mean - kCaution * report.best_stddev + 0.2 * stddev);
    }
  }
}

// A machine that has taken an agent over does not have the rewards of earlier epochs, which a
// closing projection rests on: it says so, instead of counting them as 0. One that answered an
// epoch again in vain has others than those that count.
TEST(FinalPoint, AnAgentWithoutEarlierRewardsSaysSo) {
  Study study = projecting_study(Domain::box(2));
  study.data = DataPolicy::kEpoch;
  TestRun run(study);
  while (run.coordinator().epoch() != last_epoch(study)) run.run_epoch();
  const auto secret = random::StudySecret::from_seed(7);
  const auto ends = [&](bool answers, bool disowned) {
    Agent agent(share(study), base::AgentId{1}, secret.agent_coin(base::AgentId{1}),
                std::make_shared<PublicView>(share(study), secret.public_coin(), kTestExecutor));
    const auto answer_all = [&] {
      for (std::uint32_t slot = 0; slot < agent.plan().latents().rows(); ++slot) {
        agent.report(slot, 0.25);
      }
    };
    for (const base::Bytes& bytes : run.broadcast()) {
      const Message message = decode(bytes);
      if (answers && std::holds_alternative<Trim>(message)) {
        answer_all();
        if (disowned) agent.disown();
      }
      agent.receive(message);
    }
    return error_text(answer_all);
  };
  EXPECT_NE(ends(false, false).find("only with its journal"), std::string::npos);
  EXPECT_NE(ends(true, true).find("only with its journal"), std::string::npos);
  EXPECT_EQ(ends(true, false), "");
}

// Nobody but the coordinator needs inducing points, so none are sent.
TEST(FinalPoint, SendsTheLastRewardsAndNoPoints) {
  const Study study = all_study(Domain::box(2));
  TestRun run(study);
  while (run.coordinator().epoch() != last_epoch(study)) run.run_epoch();
  const InducingSet& set = run.coordinator().view().inducing(last_epoch(study)).message;
  EXPECT_EQ(set.upload, UploadKind::kRewards);
  EXPECT_TRUE(set.closing);
  EXPECT_EQ(num_reals(set), 0U);
  const auto closing = std::get<Closing>(run.query(1, {2}).value());
  EXPECT_EQ(closing.values.size(), lengths(study).back() - 1);
  Closing bad = closing;
  bad.values.push_back(0);
  EXPECT_EQ(std::get<Refusal>(run.coordinator().receive(bad).messages[0].message).reason,
            Reason::kShape);
  bad = closing;
  bad.values[0] = 2 * kLargestReward;
  EXPECT_EQ(std::get<Refusal>(run.coordinator().receive(bad).messages[0].message).reason,
            Reason::kUnusable);
}

// Where rewards stay with the agents, they project all their queries, onto points that may be those
// of earlier sets: points of the last region alone would not represent what lies outside.
TEST(FinalPoint, ProjectsEveryQueryWhereRewardsAreNotKnown) {
  for (const Domain& domain : all_domains()) {
    const Study study = projecting_study(domain);
    TestRun run(study);
    run.finish();
    const ResolvedInducing& inducing = run.coordinator().view().inducing(last_epoch(study));
    ASSERT_EQ(inducing.message.upload, UploadKind::kProjection);
    EXPECT_EQ(run.summary().epochs().back().num_points,
              std::uint64_t{study.agents} * study.horizon);
    EXPECT_TRUE(std::ranges::any_of(inducing.message.public_slots,
                                    [](std::uint32_t slot) { return slot >= kPublicPool; }));
    const Verification verification = verify(share(study), random::StudySecret::from_seed(7),
                                             encoded_records(run.records()), kTestExecutor, {});
    EXPECT_TRUE(verification.ok());
  }
}

TEST(FinalPoint, HolesAndAbsentAgentsAreLeftOut) {
  const Study study = all_study(Domain::box(2));
  TestRun run(study);
  run.run_epoch({1});
  run.run_epoch({}, {{2, {0}}});
  run.finish();
  // Agent 1 was absent in an epoch of two queries, agent 2 has a hole.
  EXPECT_EQ(run.summary().epochs().back().num_points,
            std::uint64_t{study.agents} * study.horizon - lengths(study)[0] - 1);
}

TEST(FinalPoint, TooManyQueriesAreNotKept) {
  Study study = all_study(Domain::box(2));
  EXPECT_TRUE(recalls_all(study, last_epoch(study)));
  EXPECT_FALSE(recalls_all(study, EpochId{1}));
  study.agents = kMostRecalled / study.horizon + 1;
  EXPECT_FALSE(recalls_all(study, last_epoch(study)));
}

// One reward of 1.2 says less than twenty of 1: with a noise of variance 0.1 the posterior means
// are 1.09 and 0.995, the deviations 0.30 and 0.07.
TEST(FinalPoint, PrefersWhatWasMeasured) {
  const Domain domain = Domain::finite(lattice(2, 1));
  const kernel::Kernel kernel{kernel::Family::kSquaredExponential, {0.01}, 1.0};
  ResolvedInducing inducing;
  inducing.model = {kernel, 0.0};
  inducing.latents = domain.candidates();
  inducing.features = domain.features(inducing.latents);
  Vector counts(2);
  counts << 1, 20;
  const gp::SparsePosterior posterior(kernel, inducing.features, inducing.features, counts, 0.1,
                                      kTestExecutor);
  Vector sums(2);
  sums << 1.2, 20;
  const region::Region region(std::make_shared<const Domain>(domain));
  FinalPointInput input;
  input.region = &region;
  input.inducing = &inducing;
  input.data = input.last = input.everywhere = inducing.latents;
  input.better_by = 0.05;
  const FinalPoint found =
      find_final_point(posterior, posterior.weights(sums), input,
                       random::StudySecret::from_seed(3).public_coin(), EpochId{1});
  EXPECT_EQ(found.point, domain.candidates().row(1).transpose());
  EXPECT_NEAR(found.mean, 20 / 20.1, 1e-9);
  EXPECT_NEAR(found.stddev, std::sqrt(1 - 20 / 20.1), 1e-9);
  // The other is better by 0.096 in the mean, and the two differ with a deviation of 0.31: the
  // chance of more than 0.05 is 0.56, the expected excess 0.18. 128 samples: deviations of 0.044
  // and 0.02, so five of them are off with a chance below one in a million; the coin is fixed.
  EXPECT_NEAR(found.missed, 0.56, 0.22);
  EXPECT_NEAR(found.shortfall, 0.178, 0.1);
}

// What is recorded of the answer is checked: a point that is not the best, a mean that it has not.
TEST(FinalPoint, VerifyFindsAnotherAnswer) {
  Study study = all_study(Domain::box(2));
  apply_goal(Goal::kFind, study);
  TestRun run(study);
  run.finish();
  const auto findings = [&](const std::function<void(EpochReport&)>& change) {
    std::vector<Record> records = run.records();
    change(std::get<EpochClosed>(records.back()).report);
    const Verification verification = verify(share(study), random::StudySecret::from_seed(7),
                                             encoded_records(records), kTestExecutor, {});
    std::set<std::string> names;
    for (const Finding& finding : verification.findings) {
      if (!finding.ok) names.insert(finding.what);
    }
    return names;
  };
  EXPECT_TRUE(findings([](EpochReport&) {}).empty());
  EXPECT_TRUE(findings([](EpochReport& r) {
                r.best_point[0] += r.best_point[0] < 0.5 ? 0.3 : -0.3;
              }).contains("cautious value of the best point"));
  EXPECT_TRUE(
      findings([](EpochReport& r) { r.max_mean += 1e-3; }).contains("mean at the best point"));
  EXPECT_TRUE(findings([](EpochReport& r) {
                r.best_stddev *= 1.01;
              }).contains("deviation at the best point"));
  EXPECT_TRUE(findings([](EpochReport& r) { r.shortfall += 1; }).contains("expected shortfall"));
}

}  // namespace
}  // namespace duets::protocol
