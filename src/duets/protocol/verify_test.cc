// An honest run passes on the machine that made it; whatever is changed in its records is found and
// named.
#include "duets/protocol/verify.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "duets/protocol/run_test_support.h"

namespace duets::protocol {
namespace {

using domain::Domain;

const auto kVerifySecret = random::StudySecret::from_seed(7);

Verification verified(const Study& study, const std::vector<Record>& records,
                      const std::vector<Answer>& answers = {}) {
  return verify(share(study), kVerifySecret, encoded_records(records), kTestExecutor, answers);
}

// What is wrong: "epoch what", each once.
std::set<std::string> wrong(const Verification& verification) {
  std::set<std::string> names;
  for (const Finding& finding : verification.findings) {
    if (!finding.ok) names.insert(std::to_string(base::value(finding.epoch)) + " " + finding.what);
  }
  return names;
}

void play_verified(TestRun& run) {
  run.run_epoch({1});
  run.run_epoch({}, {{2, {0, 3}}});
  run.finish();
}

Study verified_study_of(Domain domain, kernel::Family family) {
  Study study = small_study(std::move(domain));
  study.kernel.family = family;
  return study;
}

std::vector<Study> verified_studies() {
  using kernel::Family;
  std::vector<Study> all;
  for (const Family family :
       {Family::kSquaredExponential, Family::kMatern12, Family::kMatern32, Family::kMatern52}) {
    all.push_back(verified_study_of(Domain::finite(lattice(40, 2)), family));
    all.push_back(verified_study_of(Domain::box(2), family));
    all.push_back(verified_study_of(Domain::ball(3, 1.0), family));
  }
  return all;
}

TEST(Verify, AnHonestRunPasses) {
  for (Study study : verified_studies()) {
    for (const ClosingRule closing :
         {ClosingRule::kBest, ClosingRule::kProjection, ClosingRule::kAll}) {
      study.closing = closing;
      TestRun run(study);
      play_verified(run);
      const Verification result = verified(study, run.records());
      EXPECT_EQ(wrong(result), std::set<std::string>{});
      EXPECT_TRUE(result.ok());
      EXPECT_TRUE(result.finished);
      EXPECT_EQ(result.num_checked, run.records().size());
    }
  }
}

TEST(Verify, EveryVariantPasses) {
  for (Study study : {small_study(), small_study(Domain::box(2))}) {
    for (const Inducing inducing : {Inducing::kCoin, Inducing::kGreedy, Inducing::kPublic}) {
      for (const DataPolicy data : {DataPolicy::kEpoch, DataPolicy::kSurviving}) {
        study.inducing = inducing;
        study.data = data;
        TestRun run(study);
        play_verified(run);
        EXPECT_EQ(wrong(verified(study, run.records())), std::set<std::string>{});
      }
    }
  }
  Study theory = small_study();
  theory.mode = Mode::kTheory;
  theory.closing = ClosingRule::kProjection;
  TestRun run(theory);
  run.finish();
  EXPECT_EQ(wrong(verified(theory, run.records())), std::set<std::string>{});
}

// Walks start from points of the public stream or from the trim; covers from the cut alone.
TEST(Verify, WalksAndCoversPass) {
  for (const bool walks : {true, false}) {
    const Study study = small_region_study(walks);
    TestRun run(study);
    run.finish();
    ASSERT_EQ(run.trim(1).sampler.method, walks ? region::Method::kWalk : region::Method::kCover);
    EXPECT_EQ(wrong(verified(study, run.records())), std::set<std::string>{});
  }
}

TEST(Verify, AnUnfinishedRunPassesAsFarAsItGoes) {
  TestRun run(small_study());
  run.run_epoch();
  run.deliver(run.query(0).value());
  const Verification result = verified(run.study(), run.records());
  EXPECT_TRUE(result.ok());
  EXPECT_FALSE(result.finished);
  EXPECT_TRUE(verified(run.study(), {}).ok());
}

// The records of a run with one thing changed.
class Tampered : public ::testing::TestWithParam<domain::Shape> {
 protected:
  Tampered() {
    play_verified(run_);
    records_ = run_.records();
  }

  static Study study_on(domain::Shape shape) {
    Study study = shape == domain::Shape::kFinite ? small_study()
                  : shape == domain::Shape::kBox  ? small_study(Domain::box(2))
                                                  : small_study(Domain::ball(3, 1.0));
    study.upload = UploadRule::kProjection;
    return study;
  }

  template <typename R>
  R& nth(std::size_t n) {
    for (Record& record : records_) {
      auto* found = std::get_if<R>(&record);
      if (found != nullptr && n-- == 0) return *found;
    }
    throw std::out_of_range("no such record");
  }

  std::set<std::string> found() { return wrong(verified(run_.study(), records_)); }

  TestRun run_{study_on(GetParam())};
  std::vector<Record> records_;
};

TEST_P(Tampered, Weight) {
  nth<EpochClosed>(0).trim.weights[1] += 1e-6;
  EXPECT_TRUE(found().contains("1 weights (as the mean they give)"));
}

TEST_P(Tampered, InducingPoint) {
  double& x = nth<EpochOpened>(1).inducing.points(2, 0);
  x = std::nextafter(x, 2.0);
  EXPECT_TRUE(found().contains("2 inducing set"));
}

TEST_P(Tampered, OrderOfInducingPoints) {
  auto& points = nth<EpochOpened>(0).inducing.points;
  points.row(0).swap(points.row(1));
  EXPECT_TRUE(found().contains("1 inducing set"));
}

TEST_P(Tampered, Participant) {
  nth<EpochClosed>(1).participants = {0, 1};
  const auto names = found();
  EXPECT_TRUE(names.contains("2 excluded agents"));
  EXPECT_TRUE(names.contains("2 run digest"));
  EXPECT_TRUE(names.contains("2 weights (as the mean they give)"));
}

TEST_P(Tampered, ParticipantWithoutMessage) {
  nth<EpochClosed>(0).participants = {0, 1, 2};
  EXPECT_EQ(found(), std::set<std::string>{"1 records"});
}

TEST_P(Tampered, PointsDigest) {
  std::get<Upload>(nth<MessageTaken>(2).message).points_digest ^= 1;
  EXPECT_EQ(found(), std::set<std::string>{"2 points of agent 0"});
}

TEST_P(Tampered, RunAndStateDigest) {
  nth<EpochClosed>(1).run_digest.low ^= 1;
  nth<EpochClosed>(2).state_digest.high ^= 1;
  const auto names = found();
  EXPECT_TRUE(names.contains("2 run digest"));
  EXPECT_TRUE(names.contains("3 state digest"));
}

TEST_P(Tampered, Tau) {
  double& tau = nth<EpochClosed>(0).trim.tau;
  tau = std::nextafter(tau, -100.0);
  EXPECT_TRUE(found().contains("1 tau"));
}

TEST_P(Tampered, LargestVariance) {
  nth<EpochClosed>(0).report.sigma2_max *= 1 + 1e-4;
  nth<EpochOpened>(1).report.sigma2_max_open *= 1 + 1e-4;
  const auto names = found();
  EXPECT_TRUE(names.contains("1 largest variance"));
  EXPECT_TRUE(names.contains("2 largest variance at the start"));
}

TEST_P(Tampered, LargestDeviation) {
  nth<EpochClosed>(0).report.max_stddev *= 1 + 1e-4;
  EXPECT_TRUE(found().contains("1 largest deviation"));
}

TEST_P(Tampered, BestPoint) {
  nth<EpochClosed>(0).report.best_point[0] -= 0.25;
  EXPECT_EQ(found(), std::set<std::string>{"1 best point"});
}

TEST_P(Tampered, UploadedValue) {
  std::get<Upload>(nth<MessageTaken>(0).message).values[0] += 1e-3;
  const auto names = found();
  EXPECT_TRUE(names.contains("1 weights (as the mean they give)"));
  EXPECT_TRUE(names.contains("1 state digest"));
}

TEST_P(Tampered, AnythingElseInTheReport) {
  nth<EpochClosed>(0).report.membership_tests += 1;
  EXPECT_TRUE(found().contains("1 other numbers of the report"));
}

// The table of epochs shows the closing's copy of what its opening decided.
TEST_P(Tampered, WhatAClosingRepeatsOfItsOpening) {
  double& p = nth<EpochClosed>(0).report.p_unclipped;
  p = std::nextafter(p, 100.0);
  double& variance = nth<EpochClosed>(1).report.sigma2_max_open;
  variance = std::nextafter(variance, 100.0);
  EXPECT_EQ(found(), (std::set<std::string>{"1 other numbers of the report",
                                            "2 other numbers of the report"}));
}

TEST_P(Tampered, ProbabilityBeforeItIsCut) {
  nth<EpochOpened>(1).report.p_unclipped *= 1 + 1e-6;
  EXPECT_TRUE(found().contains("2 that probability before it is cut at 1"));
}

TEST_P(Tampered, EstimatedErrorOfAMean) {
  nth<EpochClosed>(1).report.mean_error *= 1 + 1e-6;
  EXPECT_EQ(found(), std::set<std::string>{"2 estimated error of a mean"});
}

TEST_P(Tampered, EveryMissingRecordIsFound) {
  const std::vector<Record> whole = records_;
  ASSERT_GE(whole.size(), 6U);  // three epochs opened and closed
  for (std::size_t i = 0; i < whole.size(); ++i) {
    records_ = whole;
    records_.erase(records_.begin() + static_cast<std::ptrdiff_t>(i));
    // Without its last record a run may still be going on; the end of an absence is the host's
    // decision.
    EXPECT_FALSE(found().empty()) << i;
  }
}

TEST_P(Tampered, AnotherSecret) {
  const Verification result = verify(share(run_.study()), random::StudySecret::from_seed(8),
                                     encoded_records(records_), kTestExecutor);
  EXPECT_TRUE(wrong(result).contains("1 inducing set"));
}

INSTANTIATE_TEST_SUITE_P(Shapes, Tampered,
                         ::testing::Values(domain::Shape::kFinite, domain::Shape::kBox,
                                           domain::Shape::kBall));

TEST(Verify, LastEpochWithProjection) {
  Study study = small_study(Domain::box(2));
  study.closing = ClosingRule::kProjection;
  TestRun run(study);
  run.finish();
  std::vector<Record> records = run.records();
  auto& closed = std::get<EpochClosed>(records.back());
  closed.report.max_mean += 1e-6;
  closed.report.best_point[0] -= 0.25;
  const auto names = wrong(verified(study, records));
  EXPECT_TRUE(names.contains("3 largest mean"));
  EXPECT_TRUE(names.contains("3 mean at the best point"));
}

// The share of a decision is recomputed, and the threshold follows from the one recorded.
TEST(Verify, DecidedShare) {
  Study study = small_study(Domain::box(2));
  study.cut = CutRule::kDecision;
  study.epoch_cap = 0.6;
  study.volume_floor = 0.01;
  TestRun run(study);
  play_verified(run);
  EXPECT_EQ(wrong(verified(study, run.records())), std::set<std::string>{});
  const auto change = [&](double EpochReport::*field, double by) {
    std::vector<Record> records = run.records();
    for (Record& record : records) {
      auto* closed = std::get_if<EpochClosed>(&record);
      if (closed == nullptr) continue;
      closed->report.*field += by;
      break;
    }
    return wrong(verified(study, records));
  };
  const auto other_share = change(&EpochReport::kept_share, -0.1);
  EXPECT_TRUE(other_share.contains("1 share that the cut keeps"));
  EXPECT_TRUE(other_share.contains("1 tau"));
  EXPECT_TRUE(change(&EpochReport::shortfall, 0.01).contains("1 expected shortfall"));
  EXPECT_TRUE(change(&EpochReport::lost, 0.01).contains("1 expected loss of the cut"));
}

TEST(Verify, BytesThatAreNoRecordAreRefused) {
  const std::vector<base::Bytes> junk{{9, 9, 9}};
  EXPECT_EQ(error_kind([&] { verify(share(small_study()), kVerifySecret, junk, kTestExecutor); }),
            base::ErrorKind::kDecode);
}

// Any byte of any record may be wrong: it is no record, or the verdict is a list, never a crash.
TEST(Verify, DamagedRecordsNeverEndOtherwise) {
  TestRun run(small_study(Domain::finite(lattice(5, 1))));
  run.run_epoch();
  run.deliver(run.query(1, {2}).value());
  const std::vector<base::Bytes> whole = encoded_records(run.records());
  ASSERT_EQ(whole.size(), 7U);  // an opening, three uploads, a closing, an opening, an upload
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (std::size_t byte = 0; byte < whole[i].size(); ++byte) {
      std::vector<base::Bytes> damaged = whole;
      damaged[i][byte] ^= 0xFF;
      const auto kind =
          error_kind([&] { verify(share(run.study()), kVerifySecret, damaged, kTestExecutor); });
      EXPECT_TRUE(!kind || kind == base::ErrorKind::kDecode);
    }
  }
}

// Answers of a run as agents keep them, with the reward that TestRun gives.
std::vector<Answer> answers_of(const Study& study, const std::vector<Record>& records) {
  std::vector<Answer> answers;
  Coordinator coordinator(share(study), kVerifySecret, kTestExecutor);
  for (const Record& record : records) {
    const auto* taken = std::get_if<MessageTaken>(&record);
    if (taken != nullptr) {
      const auto* upload = std::get_if<Upload>(&taken->message);
      const AgentId agent =
          upload != nullptr ? upload->agent : std::get<Closing>(taken->message).agent;
      const auto& holes =
          upload != nullptr ? upload->holes : std::get<Closing>(taken->message).holes;
      const EpochId epoch = coordinator.epoch();
      const std::uint32_t length = lengths(study)[base::value(epoch) - 1];
      const numeric::Points points =
          coordinator.view()
              .sampler(epoch)
              .draw(kVerifySecret.agent_coin(agent), region::Lane::kPrivate, {epoch, 0, length},
                    kTestExecutor)
              .latents;
      for (std::uint32_t slot = 0; slot < length; ++slot) {
        const bool hole = std::count(holes.begin(), holes.end(), slot) != 0;
        const Query query{points.row(slot).transpose(), base::value(agent), base::value(epoch),
                          slot};
        const numeric::Vector latent = points.row(slot).transpose();
        answers.push_back({agent, epoch, slot,
                           hole ? std::nullopt : std::optional<double>(wavy_reward(query)),
                           study.domain->values({latent.data(), study.domain->dimension()})});
      }
    }
    coordinator.follow(record);
  }
  return answers;
}

TEST(VerifyAnswers, MessagesAreRecomputed) {
  for (Study study : {small_study(), small_study(Domain::box(2))}) {
    for (const DataPolicy data : {DataPolicy::kEpoch, DataPolicy::kSurviving}) {
      study.data = data;
      study.closing = ClosingRule::kProjection;
      TestRun run(study);
      play_verified(run);
      const std::vector<Answer> answers = answers_of(study, run.records());
      const Verification honest = verified(study, run.records(), answers);
      EXPECT_EQ(wrong(honest), std::set<std::string>{});
      const auto made_again =
          std::count_if(honest.findings.begin(), honest.findings.end(), [](const Finding& f) {
            return f.what.starts_with("message of agent") && f.recomputed.size() == 32;
          });
      EXPECT_EQ(made_again, 2 + 3 + 3);
      EXPECT_EQ(honest.made_again.size(), honest.num_messages);
      EXPECT_EQ(honest.num_messages, 2U + 3U + 3U);
      EXPECT_EQ(honest.num_points, answers.size());
      EXPECT_TRUE(std::all_of(honest.made_again.begin(), honest.made_again.end(),
                              [](const MadeAgain& message) { return message.has_rewards; }));

      std::vector<Answer> changed = answers;
      ASSERT_EQ(changed[0].agent, AgentId{0});
      *changed[0].reward += 1e-12;
      EXPECT_TRUE(wrong(verified(study, run.records(), changed))
                      .contains("1 message of agent 0, from its answers"));
    }
  }
}

TEST(VerifyAnswers, PointsAreThoseOfTheirSlots) {
  const Study study = small_study(Domain::box(2));
  TestRun run(study);
  play_verified(run);
  std::vector<Answer> answers = answers_of(study, run.records());
  double& x = answers[3].values[1];
  x = std::nextafter(x, 2.0);
  const Verification result = verified(study, run.records(), answers);
  EXPECT_EQ(wrong(result).size(), 1U);
  for (const Finding& finding : result.findings) {
    if (finding.ok) continue;
    EXPECT_TRUE(finding.from_answers);
    EXPECT_TRUE(finding.what.starts_with("point of trial ")) << finding.what;
  }
  // The last message carries the best trial only.
  EXPECT_TRUE(
      std::any_of(result.made_again.begin(), result.made_again.end(),
                  [](const MadeAgain& m) { return m.epoch == EpochId{3} && !m.has_rewards; }));
}

// What is not given is not checked, and nothing is wrong because of it.
TEST(VerifyAnswers, SomeAreEnough) {
  for (const DataPolicy data : {DataPolicy::kEpoch, DataPolicy::kSurviving}) {
    Study study = small_study();
    study.data = data;
    TestRun run(study);
    play_verified(run);
    std::vector<Answer> some;
    for (const Answer& answer : answers_of(study, run.records())) {
      if (answer.agent == AgentId{2} && answer.epoch > EpochId{1}) some.push_back(answer);
    }
    EXPECT_EQ(wrong(verified(study, run.records(), some)), std::set<std::string>{});
  }
}

TEST(VerifyAnswers, ThatDoNotFitTheStudyAreNamed) {
  TestRun run(small_study());
  run.finish();
  const std::vector<Answer> bad{{AgentId{1}, EpochId{1}, 77, 1.0}};
  EXPECT_EQ(wrong(verified(run.study(), run.records(), bad)),
            std::set<std::string>{"1 message of agent 1, from its answers"});
  const std::vector<Answer> foreign{{AgentId{9}, EpochId{1}, 0, 1.0}};
  EXPECT_EQ(error_kind([&] { verified(run.study(), run.records(), foreign); }),
            base::ErrorKind::kInvalid);
}

}  // namespace
}  // namespace duets::protocol
