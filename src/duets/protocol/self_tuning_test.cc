// A study that learns its model, keeps a floor and spreads its coins: what holds of it whatever the
// rewards are.
#include <gtest/gtest.h>

#include <cmath>

#include "duets/gp/fit_parameters.h"
#include "duets/protocol/preset.h"
#include "duets/protocol/run_test_support.h"
#include "duets/protocol/verify.h"

namespace duets::protocol {
namespace {

using domain::Domain;

Study tuning_study(Domain domain) {
  Study study = small_study(std::move(domain));
  study.agents = 5;
  study.horizon = 30;
  study.schedule = ScheduleRule::kPairedDoubling;
  study.t1 = 1;
  study.beta = 0.2;
  study.inducing = Inducing::kPublic;
  study.data = DataPolicy::kSurviving;
  study.volume_floor = 1e-3;
  study.parameters = Parameters::kLearned;
  study.coins = Coins::kStratified;
  return study;
}

std::vector<Study> tuning_studies() {
  std::vector<Study> all{tuning_study(Domain::finite(lattice(300, 2))),
                         tuning_study(Domain::box(2)), tuning_study(Domain::ball(3, 1.0))};
  for (const Study& study : {all[0], all[1]}) {
    all.push_back(study);
    apply_goal(Goal::kFind, all.back());
  }
  return all;
}

RewardFunction scaled(double a, double c) {
  return [a, c](const Query& q) { return a * wavy_reward(q) + c; };
}

// The rewards' unit and zero do not matter: every point, every cut and every survivor is the same.
// Powers of two change no bit of any decision; other factors change the last bits of
// means and thresholds, and no point is so close to a threshold.
TEST(SelfTuning, TheSamePointsUnderAffineRewards) {
  for (const Study& study : tuning_studies()) {
    TestRun run(study);
    run.finish();
    for (const auto& [a, c] : {std::pair{1024.0, 0.0}, {0.37, -12.0}, {2.5e4, 3.0}}) {
      TestRun other(study, scaled(a, c));
      other.finish();
      EXPECT_EQ(other.coordinator().summary().run_digest(),
                run.coordinator().summary().run_digest())
          << a << " " << c;
      EXPECT_EQ(other.coordinator().summary().recommendation()->point,
                run.coordinator().summary().recommendation()->point);
    }
  }
}

TEST(SelfTuning, OtherRewardsGiveOtherPoints) {
  for (const Study& study : tuning_studies()) {
    TestRun run(study);
    TestRun other(study, [](const Query& q) { return -wavy_reward(q); });
    run.finish();
    other.finish();
    EXPECT_NE(other.coordinator().summary().run_digest(), run.coordinator().summary().run_digest());
  }
}

TEST(SelfTuning, CutsKeepTheFloor) {
  for (Study study : tuning_studies()) {
    study.beta = 1e-6;  // without a floor a single point would be left
    TestRun run(study);
    run.finish();
    const double share = kept_share(study);
    EXPECT_GT(share, 0);
    EXPECT_LE(share, 0.5);  // above it one point may go all the same, see below
    const EpochReport& first = run.coordinator().summary().epochs().front();
    EXPECT_LT(first.tau, first.printed_tau);
    for (const EpochReport& report : run.coordinator().summary().epochs()) {
      if (base::value(report.epoch) == lengths(study).size()) continue;  // no cut follows it
      EXPECT_LE(report.tau, report.printed_tau);  // equal where a single point may be left
      if (study.domain->is_finite()) {
        EXPECT_GE(static_cast<double>(report.survivors),
                  share * static_cast<double>(report.region_points) - 1e-9);
      } else {
        EXPECT_GE(report.cut_acceptance, 0.5 * share);  // estimated on a pool, or on cells
      }
    }
  }
}

// Of two candidates a share above a half is both: a floor that is rounded up would keep a loser for
// the rest of a long run.
TEST(SelfTuning, TheFloorAllowsDroppingOneCandidateAtATime) {
  Study study = tuning_study(Domain::finite(lattice(4, 2)));
  study.beta = 1e-6;
  study.volume_floor = 0.9;
  TestRun run(study);
  run.finish();
  std::vector<std::uint64_t> survivors;
  for (const EpochReport& report : run.coordinator().summary().epochs()) {
    survivors.push_back(report.survivors);
  }
  ASSERT_GE(survivors.size(), 4U);
  survivors.resize(4);
  EXPECT_EQ(survivors, (std::vector<std::uint64_t>{3, 2, 1, 1}));
}

TEST(SelfTuning, AWideCutIsNotTouchedByTheFloor) {
  Study study = tuning_study(Domain::finite(lattice(300, 2)));
  study.beta = 100;
  TestRun run(study);
  run.finish();
  ASSERT_EQ(run.coordinator().summary().epochs().size() + 1, lengths(study).size());
  for (const EpochReport& report : run.coordinator().summary().epochs()) {
    EXPECT_EQ(report.tau, report.printed_tau);
  }
}

// What is learned travels once, with the cut that first uses it, and counts; agents that start from
// the broadcasts know it.
TEST(SelfTuning, TheModelTravelsWhenItChanges) {
  const Study study = tuning_study(Domain::finite(lattice(300, 2)));
  TestRun run(study);
  run.finish();
  Model known{study.kernel, 0};
  bool learned_once = false;
  for (const EpochReport& report : run.coordinator().summary().epochs()) {
    const Trim& trim = run.trim(base::value(report.epoch));
    const bool rewards =
        run.coordinator().view().inducing(report.epoch).message.upload == UploadKind::kRewards;
    EXPECT_TRUE(rewards || !trim.learned);
    if (trim.learned) {
      learned_once = true;
      EXPECT_TRUE(trim.learned->kernel != known.kernel ||
                  trim.learned->reward_offset != known.reward_offset);
      known = *trim.learned;
    }
    EXPECT_EQ(report.kernel, known.kernel);
    EXPECT_EQ(report.reward_offset, known.reward_offset);
    EXPECT_GT(report.lambda, 0);
  }
  EXPECT_TRUE(learned_once);
  EXPECT_NE(known.kernel, study.kernel);
}

// More agents than rewards are learned from: those of every part of the region, not of a corner.
TEST(SelfTuning, ManyAgentsAreAllHeard) {
  Study study = tuning_study(Domain::finite(lattice(1600, 2)));
  study.agents = 800;
  study.horizon = 2;
  for (const Eigen::Index axis : {0, 1}) {
    TestRun run(study, [axis](const Query& q) { return q.latent[axis]; });
    run.run_epoch();
    // 200 of 800 stratified points: independent ones would have a mean of 1/2 up to 0.29 /
    // sqrt(200) = 0.02, and strata make a third of that (strata.h). The first 256 of 800 strata are
    // a third of the square, to one side: 0.05 and 0.06 off here.
    EXPECT_NEAR(run.trim(1).learned->reward_offset, 0.5, 0.03) << axis;
  }
}

// The host leaves out agents whose rewards are there already: the model is what the others' rewards
// say, all 199 of them. Were the 300 counted, every second would be passed over (kLearnedRows).
TEST(SelfTuning, AnExcludedAgentTeachesNothing) {
  Study study = tuning_study(Domain::finite(lattice(1600, 2)));
  study.agents = 300;
  study.horizon = 2;
  const auto reward = [](const Query& q) { return wavy_reward(q) + (q.agent < 100 ? 1000 : 0); };
  TestRun run(study, reward);
  numeric::Points latents(199, 2);
  numeric::Vector rewards(199);
  std::vector<AgentId> participants;
  for (std::uint32_t a = 0; a < 299; ++a) {
    const numeric::Vector latent = run.agent(a).plan().latents().row(0).transpose();
    if (a >= 100) {
      latents.row(a - 100) = latent.transpose();
      rewards[a - 100] = reward({latent, a, 1, 0});
      participants.push_back(AgentId{a});
    }
    run.deliver(run.query(a).value());
  }
  run.close(1, participants);
  ASSERT_TRUE(run.trim(1).learned);
  const gp::Parameters expected =
      gp::fit_parameters(study.kernel, study.domain->features(latents), rewards,
                         {.relevance = study.relevance, .max_rows = kLearnedRows})
          .parameters;
  EXPECT_EQ(run.trim(1).learned->kernel, expected.kernel);
  EXPECT_EQ(run.trim(1).learned->reward_offset, expected.offset);
  EXPECT_EQ(run.coordinator().summary().epochs().at(0).lambda, expected.lambda);
}

// The first epoch sends rewards although a projection would be as short.
TEST(SelfTuning, RewardsComeUntilThereAreEnough) {
  Study study = tuning_study(Domain::finite(lattice(300, 2)));
  study.kernel.lengthscales = {50.0};  // one inducing point is enough for it
  TestRun run(study);
  run.finish();
  std::uint64_t known = 0;
  for (const EpochReport& report : run.coordinator().summary().epochs()) {
    const UploadKind kind = run.coordinator().view().inducing(report.epoch).message.upload;
    if (known < study.raw_rewards) {
      EXPECT_EQ(kind, UploadKind::kRewards);
    }
    if (kind == UploadKind::kRewards) known += std::uint64_t{study.agents} * report.length;
  }
  EXPECT_GE(known, study.raw_rewards);
}

TEST(SelfTuning, RestartedAfterEveryInputGoesOnAlike) {
  for (Study study : tuning_studies()) {
    for (const DataPolicy data : {DataPolicy::kSurviving, DataPolicy::kEpoch}) {
      study.data = data;
      study.horizon = 12;
      TestRun run(study);
      TestRun restarted(study, wavy_reward, true);
      run.finish();
      restarted.finish();
      EXPECT_EQ(restarted.transcript(), run.transcript());
    }
  }
}

TEST(SelfTuning, AnHonestRunIsVerifiedAndAChangedModelIsNot) {
  const auto secret = random::StudySecret::from_seed(7);
  const auto failures = [&](const Study& study, const std::vector<Record>& records) {
    std::vector<base::Bytes> bytes;
    for (const Record& record : records) bytes.push_back(encode_record(record));
    std::string names;
    for (const Finding& finding : verify(share(study), secret, bytes, kTestExecutor, {}).findings) {
      if (!finding.ok) names += finding.what + ";";
    }
    return names;
  };
  for (const Study& study : tuning_studies()) {
    TestRun run(study);
    run.run_epoch({}, {{2, {0}}});
    run.run_epoch();
    run.finish();
    std::vector<Record> records = run.records();
    EXPECT_EQ(failures(study, records), "");
    for (Record& record : records) {
      auto* closed = std::get_if<EpochClosed>(&record);
      if (closed == nullptr || !closed->trim.learned) continue;
      closed->trim.learned->kernel.lengthscales[0] *= 3;
      break;
    }
    EXPECT_NE(failures(study, records).find("evidence of the learned model"), std::string::npos);
    // Too few rewards for a choice of length scales: another variance is not as good as any.
    records = run.records();
    for (Record& record : records) {
      auto* closed = std::get_if<EpochClosed>(&record);
      if (closed == nullptr || !closed->trim.learned) continue;
      closed->trim.learned->kernel.variance *= 1.01;
      closed->report.kernel.variance *= 1.01;
      break;
    }
    EXPECT_NE(failures(study, records).find("evidence of the learned model"), std::string::npos);
    records = run.records();
    for (Record& record : records) {
      auto* closed = std::get_if<EpochClosed>(&record);
      if (closed != nullptr && closed->report.surprise > 0) closed->report.surprise *= 1.5;
    }
    EXPECT_NE(failures(study, records).find("surprise"), std::string::npos);
  }
}

// Rewards that come at the end cut nothing, but say whether the model predicted them.
TEST(SelfTuning, RewardsOfTheLastEpochCheckTheModel) {
  Study study = small_study(Domain::box(2));
  study.horizon = 20;
  apply_preset(*find_preset("auto"), study);
  TestRun run(study);
  run.finish();
  const std::vector<EpochReport>& epochs = run.summary().epochs();
  ASSERT_GT(epochs.size(), 2U);
  EXPECT_EQ(epochs.front().surprise, 0) << "nothing predicted the first rewards";
  for (std::size_t j = 1; j < epochs.size(); ++j) {
    EXPECT_GT(epochs[j].surprise, 0) << "epoch " << j + 1;
  }
}

// How many queries of the open epoch are in each of n equal cells of a coordinate.
std::vector<std::size_t> queries_in_cells(TestRun& run, Eigen::Index coordinate, int n) {
  std::vector<std::size_t> counts(static_cast<std::size_t>(n), 0);
  for (std::uint32_t a = 0; a < run.study().agents; ++a) {
    const numeric::Points latents = run.agent(a).plan().latents();
    for (Eigen::Index i = 0; i < latents.rows(); ++i) {
      ++counts[static_cast<std::size_t>(latents(i, coordinate) * n)];
    }
  }
  return counts;
}

// A category leads by a third of the noise after the first epoch, an int's value likewise: with the
// goal find the others are queried again, since so few rewards cannot exclude them. (Without parts
// some are dropped: the mutation protocol-cuts-do-not-know-parts.)
TEST(SelfTuning, PartsOfAMixedSpaceStayWhileLittleIsKnown) {
  using domain::Parameter;
  using domain::ParameterType;
  const Domain mixed = Domain::box(
      {Parameter{.name = "x"},
       Parameter{.name = "n", .type = ParameterType::kInt, .low = 1, .high = 4},
       Parameter{.name = "c", .type = ParameterType::kCategorical, .choices = {"a", "b", "d"}}});
  Study study = small_study(mixed);
  study.agents = 8;
  study.horizon = 25;
  apply_preset(*find_preset("auto"), study);
  apply_goal(Goal::kFind, study);
  std::size_t dropped = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const RewardFunction reward = [seed](const Query& q) {
      const double lead = (q.latent[1] < 0.25 ? 0.3 : 0) + (q.latent[2] < 1.0 / 3 ? 0.3 : 0);
      const double place =
          static_cast<double>(seed) + 5.3 * q.agent + 7.1 * q.epoch + 11.7 * q.slot;
      return lead + 0.2 * std::cos(3 * q.latent[0]) + std::sin(place * place);
    };
    TestRun run(study, reward, false, random::StudySecret::from_seed(seed));
    run.run_epoch();
    for (const auto& [coordinate, cells] : {std::pair{1, 4}, {2, 3}}) {
      for (const std::size_t count : queries_in_cells(run, coordinate, cells)) {
        dropped += count == 0 ? 1 : 0;
      }
    }
  }
  EXPECT_EQ(dropped, 0U);
}

TEST(SelfTuning, EdgeCases) {
  const auto finishes = [](const Study& study, const RewardFunction& reward) {
    TestRun run(study, reward);
    run.finish();
    return run.coordinator().finished();
  };
  const RewardFunction flat = [](const Query&) { return 3.0; };
  for (Study study : tuning_studies()) {
    EXPECT_TRUE(finishes(study, flat));
    study.agents = 1;
    EXPECT_TRUE(finishes(study, wavy_reward));
    study.horizon = 1;
    EXPECT_TRUE(finishes(study, wavy_reward));
    study.horizon = 2;
    EXPECT_TRUE(finishes(study, flat));
  }
  Study large = tuning_study(Domain::box(50));
  large.horizon = 6;
  EXPECT_TRUE(finishes(large, wavy_reward));
  Study zero = tuning_study(Domain::finite(lattice(300, 2)));
  zero.beta = 0;
  EXPECT_TRUE(finishes(zero, wavy_reward));
}

// Nobody of the first epoch had a reward: the model stays the guess until there is one.
TEST(SelfTuning, AnEpochOfHolesTeachesNothing) {
  const Study study = tuning_study(Domain::finite(lattice(300, 2)));
  TestRun run(study);
  run.run_epoch({}, {{0, {0}}, {1, {0}}, {2, {0}}, {3, {0}}, {4, {0}}});
  EXPECT_FALSE(run.trim(1).learned);
  run.finish();
  EXPECT_TRUE(run.trim(2).learned);
}

}  // namespace
}  // namespace duets::protocol
