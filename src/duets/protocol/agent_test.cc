#include "duets/protocol/agent.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "duets/gp/sparse.h"
#include "duets/protocol/run_test_support.h"

namespace duets::protocol {
namespace {

constexpr double kAgentNan = std::numeric_limits<double>::quiet_NaN();

// One agent of a study, with the broadcasts that a coordinator gave out in a whole run.
class AgentTest : public ::testing::Test {
 protected:
  explicit AgentTest(const Study& study = small_study()) : run_(study) {
    run_.finish();
    for (const Record& record : run_.records()) {
      const auto* opened = std::get_if<EpochOpened>(&record);
      if (opened != nullptr && opened->has_inducing) sets_.push_back(opened->inducing);
      const auto* closed = std::get_if<EpochClosed>(&record);
      if (closed != nullptr && closed->has_trim) trims_.push_back(closed->trim);
    }
  }

  std::shared_ptr<PublicView> make_view() const {
    return std::make_shared<PublicView>(study_, secret_.public_coin(), executor_);
  }
  Agent make_agent(std::uint32_t id = 1) const {
    return {study_, AgentId{id}, secret_.agent_coin(AgentId{id}), make_view()};
  }

  // Answers the slots in the given order with wavy_reward; the last answer's message.
  static std::optional<Message> answer(Agent& agent, const std::vector<std::uint32_t>& slots) {
    std::optional<Message> message;
    for (const std::uint32_t slot : slots) {
      const Query query{agent.plan().latents().row(slot).transpose(), base::value(agent.id()),
                        base::value(agent.plan().epoch), slot};
      message = agent.report(slot, wavy_reward(query));
    }
    return message;
  }

  // What the agent sends from here to the end, with the broadcasts it does not have yet.
  std::vector<base::Bytes> rest_of(Agent agent) const {
    std::vector<base::Bytes> sent;
    for (std::size_t epoch = base::value(agent.plan().epoch) - 1; epoch <= trims_.size(); ++epoch) {
      if (epoch < sets_.size()) agent.receive(sets_[epoch]);
      for (std::uint32_t slot = 0; slot < agent.plan().latents().rows(); ++slot) {
        // What was answered before stands.
        error_kind([&] { agent.report(slot, 0.125); });
      }
      sent.push_back(encode(agent.outstanding().value()));
      if (epoch < trims_.size()) agent.receive(trims_[epoch]);
    }
    return sent;
  }

  random::StudySecret secret_ = random::StudySecret::from_seed(7);
  base::SerialExecutor executor_;
  TestRun run_;
  std::shared_ptr<const Study> study_ = share(run_.study());
  std::vector<InducingSet> sets_;
  std::vector<Trim> trims_;
};

TEST_F(AgentTest, PlanIsKnownAtTheStartOfAnEpoch) {
  Agent agent = make_agent();
  EXPECT_EQ(agent.plan().epoch, EpochId{1});
  EXPECT_EQ(agent.plan().first_t, 0U);
  EXPECT_EQ(agent.plan().latents().rows(), 2);
  agent.receive(sets_[0]);
  agent.receive(trims_[0]);
  EXPECT_EQ(agent.plan().epoch, EpochId{2});
  EXPECT_EQ(agent.plan().first_t, 2U);
  EXPECT_EQ(agent.plan().latents().rows(), 4);
  EXPECT_FALSE(agent.finished());
}

// Two slots and S_1 in all six orders: the third event gives the upload, always the same one.
TEST_F(AgentTest, OrderOfReportsAndOfTheInducingSetIsIrrelevant) {
  std::vector<int> events{0, 1, 2};
  std::vector<base::Bytes> sent;
  do {
    Agent agent = make_agent();
    for (std::size_t i = 0; i < events.size(); ++i) {
      const auto message = events[i] == 2 ? agent.receive(sets_[0])
                                          : answer(agent, {static_cast<std::uint32_t>(events[i])});
      ASSERT_EQ(message.has_value(), i == 2);
      if (message) sent.push_back(encode(*message));
    }
  } while (std::next_permutation(events.begin(), events.end()));
  ASSERT_EQ(sent.size(), 6U);
  for (const base::Bytes& bytes : sent) EXPECT_EQ(bytes, sent.front());
}

TEST_F(AgentTest, SendsOnceAndKeepsTheMessageUntilTheEpochEnds) {
  Agent agent = make_agent();
  agent.receive(sets_[0]);
  EXPECT_FALSE(answer(agent, {0}));
  const auto message = answer(agent, {1});
  ASSERT_TRUE(message);
  EXPECT_FALSE(answer(agent, {0, 1}));    // the same again
  EXPECT_FALSE(agent.receive(sets_[0]));  // the same broadcast again
  ASSERT_TRUE(agent.outstanding());
  EXPECT_EQ(encode(*agent.outstanding()), encode(*message));
  agent.receive(trims_[0]);
  EXPECT_FALSE(agent.outstanding());
}

TEST_F(AgentTest, ConflictingAnswersAreRefusedAndChangeNothing) {
  const auto answered = [this] {
    Agent agent = make_agent();
    agent.report(0, 1.5);
    agent.report_hole(1);
    return agent;
  };
  Agent agent = answered();
  EXPECT_EQ(error_kind([&] { agent.report(0, 1.25); }), base::ErrorKind::kInvalid);
  EXPECT_EQ(error_kind([&] { agent.report_hole(0); }), base::ErrorKind::kInvalid);
  EXPECT_EQ(error_kind([&] { agent.report(1, 0.0); }), base::ErrorKind::kInvalid);
  EXPECT_EQ(error_kind([&] { agent.report(2, 0.0); }), base::ErrorKind::kInvalid);
  EXPECT_NO_THROW(agent.report(0, 1.5));
  EXPECT_NO_THROW(agent.report_hole(1));
  EXPECT_EQ(rest_of(agent), rest_of(answered()));
}

TEST_F(AgentTest, NumbersThatAreNotFiniteAreRefused) {
  Agent agent = make_agent();
  for (const double bad : {kAgentNan, std::numeric_limits<double>::infinity(),
                           -std::numeric_limits<double>::infinity()}) {
    EXPECT_EQ(error_kind([&] { agent.report(0, bad); }), base::ErrorKind::kInvalid);
  }
  EXPECT_EQ(rest_of(agent), rest_of(make_agent()));
}

// The zeros are equal, so the second answer is the same one; the first one's bits stand.
TEST_F(AgentTest, NegativeZeroRepeatsZero) {
  Agent agent = make_agent();
  agent.report(0, 0.0);
  EXPECT_NO_THROW(agent.report(0, -0.0));
  Agent once = make_agent();
  once.report(0, 0.0);
  EXPECT_EQ(rest_of(agent), rest_of(once));
}

TEST_F(AgentTest, UploadIsTheProjectionOfWhatWasAnswered) {
  Study study = small_study();
  study.upload = UploadRule::kProjection;
  TestRun run(study);
  const auto upload = std::get<Upload>(run.query(1, {1}).value());
  EXPECT_EQ(upload.holes, std::vector<std::uint32_t>{1});
  const Plan& plan = run.agent(1).plan();
  EXPECT_EQ(upload.points_digest, points_digest(plan.latents()));
  const auto& inducing = run.coordinator().view().inducing(EpochId{1});
  const numeric::Vector reward =
      numeric::Vector::Constant(1, wavy_reward({plan.latents().row(0).transpose(), 1, 1, 0}));
  const numeric::Vector expected =
      gp::project(study.kernel, inducing.features, plan.latents().topRows(1), reward);
  EXPECT_EQ(upload.values, std::vector(expected.data(), expected.data() + expected.size()));
}

TEST_F(AgentTest, TrimEndsAnUnfinishedEpoch) {
  Agent agent = make_agent();
  agent.receive(sets_[0]);
  answer(agent, {0});
  EXPECT_FALSE(agent.receive(trims_[0]));
  EXPECT_EQ(agent.plan().epoch, EpochId{2});
  EXPECT_FALSE(agent.outstanding());
  // Late answers have no place any more: slot numbers now mean the new epoch's.
  EXPECT_EQ(agent.plan().first_t, 2U);
}

TEST_F(AgentTest, StaleBroadcastsAreIgnored) {
  const auto in_epoch_two = [this] {
    Agent agent = make_agent();
    agent.receive(sets_[0]);
    agent.receive(trims_[0]);
    agent.receive(sets_[1]);
    answer(agent, {0, 2});
    return agent;
  };
  Agent agent = in_epoch_two();
  EXPECT_FALSE(agent.receive(sets_[0]));
  EXPECT_FALSE(agent.receive(trims_[0]));
  EXPECT_EQ(rest_of(agent), rest_of(in_epoch_two()));
}

TEST_F(AgentTest, AnotherInducingSetOfTheSameEpochIsIgnored) {
  Agent agent = make_agent();
  agent.receive(sets_[0]);
  InducingSet other = sets_[0];
  other.upload =
      other.upload == UploadKind::kRewards ? UploadKind::kProjection : UploadKind::kRewards;
  EXPECT_FALSE(agent.receive(other));
  EXPECT_EQ(rest_of(agent), rest_of(make_agent()));
}

TEST_F(AgentTest, BroadcastsTooEarlyAreRefused) {
  Agent agent = make_agent();
  EXPECT_EQ(error_kind([&] { agent.receive(sets_[1]); }), base::ErrorKind::kProtocol);
  EXPECT_EQ(error_kind([&] { agent.receive(trims_[1]); }), base::ErrorKind::kProtocol);
  EXPECT_EQ(error_kind([&] { agent.receive(trims_[0]); }), base::ErrorKind::kProtocol);  // no S_1
  EXPECT_EQ(agent.plan().epoch, EpochId{1});
  EXPECT_NO_THROW(agent.receive(sets_[0]));
  EXPECT_NO_THROW(agent.receive(trims_[0]));
}

// Agents of one process may share their view. The slower one must not lose S_2 because the view
// knows it already.
TEST_F(AgentTest, SharedViewHidesNoBroadcast) {
  const auto view = make_view();
  Agent fast(study_, AgentId{0}, secret_.agent_coin(AgentId{0}), view);
  Agent slow(study_, AgentId{1}, secret_.agent_coin(AgentId{1}), view);
  fast.receive(sets_[0]);
  fast.receive(trims_[0]);
  fast.receive(sets_[1]);
  EXPECT_EQ(error_kind([&] { slow.receive(sets_[1]); }), base::ErrorKind::kProtocol);
  slow.receive(sets_[0]);
  slow.receive(trims_[0]);
  EXPECT_FALSE(answer(slow, {0, 1, 2, 3}));
  EXPECT_TRUE(slow.receive(sets_[1]));
}

TEST_F(AgentTest, MessagesThatDoNotFitAreRefused) {
  Agent agent = make_agent();
  agent.receive(sets_[0]);
  EXPECT_EQ(error_kind([&] { agent.receive(Upload{}); }), base::ErrorKind::kProtocol);
  EXPECT_EQ(error_kind([&] { agent.receive(Closing{}); }), base::ErrorKind::kProtocol);
  std::vector<Trim> bad(6, trims_[0]);
  bad[0].weights.conservativeResize(bad[0].weights.size() - 1);
  bad[1].weights[0] = kAgentNan;
  bad[2].tau = kAgentNan;
  bad[3].tau = 1e6;  // nothing survives
  bad[4].sampler.method = region::Method::kRejection;
  bad[5].sampler.method = region::Method::kWalk;
  for (const Trim& trim : bad) {
    EXPECT_EQ(error_kind([&] { agent.receive(trim); }), base::ErrorKind::kProtocol);
  }
  EXPECT_EQ(rest_of(agent), rest_of(make_agent()));
  EXPECT_NO_THROW(agent.receive(trims_[0]));
}

// A walk that starts outside the region would never come in.
TEST(AgentStarts, OutsideTheRegionAreRefused) {
  TestRun run(small_study(domain::Domain::box(2)));
  run.run_epoch();
  const random::StudySecret secret = random::StudySecret::from_seed(7);
  Agent agent(
      share(run.study()), AgentId{0}, secret.agent_coin(AgentId{0}),
      std::make_shared<PublicView>(share(run.study()), secret.public_coin(), kTestExecutor));
  agent.receive(run.coordinator().view().inducing(EpochId{1}).message);
  Trim trim = run.trim(1);
  trim.sampler = {.method = region::Method::kWalk, .max_shrinks = 100};
  for (const double bad : {kAgentNan, 1e6}) {
    trim.starts = numeric::Points::Constant(1, 2, bad);
    EXPECT_EQ(error_kind([&] { agent.receive(trim); }), base::ErrorKind::kProtocol);
  }
  trim.starts = run.coordinator().summary().epochs()[0].best_point.transpose();
  EXPECT_NO_THROW(agent.receive(trim));
}

TEST_F(AgentTest, InducingSetsThatDoNotFitAreRefused) {
  std::vector<InducingSet> bad(4, sets_[0]);
  bad[0].points = lattice(3, 3);
  bad[1].points(0, 0) = kAgentNan;
  bad[2].points = {};
  bad[3].points = {};
  bad[3].public_slots = {kPublicPool};
  for (const InducingSet& set : bad) {
    Agent agent = make_agent();
    EXPECT_EQ(error_kind([&] { agent.receive(set); }), base::ErrorKind::kProtocol);
    EXPECT_NO_THROW(agent.receive(sets_[0]));
  }
}

TEST_F(AgentTest, Refusals) {
  Agent agent = make_agent(1);
  for (const Reason reason :
       {Reason::kForeign, Reason::kStale, Reason::kConflict, Reason::kShape, Reason::kUnusable}) {
    EXPECT_FALSE(agent.receive(Refusal{AgentId{1}, EpochId{1}, reason}));
  }
  EXPECT_EQ(rest_of(agent), rest_of(make_agent(1)));
  const Refusal diverged{AgentId{1}, EpochId{1}, Reason::kDiverged};
  EXPECT_EQ(error_kind([&] { agent.receive(diverged); }), base::ErrorKind::kDiverged);
  const Refusal foreign{AgentId{2}, EpochId{1}, Reason::kDiverged};
  EXPECT_EQ(error_kind([&] { agent.receive(foreign); }), base::ErrorKind::kProtocol);
}

TEST_F(AgentTest, ClosingNamesTheBestTrial) {
  Agent agent = make_agent();
  agent.receive(sets_[0]);
  agent.report(0, 1.0);
  agent.report(1, 3.0);
  agent.receive(trims_[0]);
  agent.receive(sets_[1]);
  for (const std::uint32_t slot : {3U, 2U, 1U, 0U}) agent.report(slot, 3.0);  // equal: later epoch
  agent.receive(trims_[1]);
  agent.report(0, -1.0);
  agent.report_hole(1);
  const auto closing = std::get<Closing>(agent.report(2, 0.0).value());
  EXPECT_TRUE(agent.finished());
  EXPECT_TRUE(closing.has_best);
  EXPECT_EQ(closing.best.epoch, EpochId{1});
  EXPECT_EQ(closing.best.slot, 1U);
  EXPECT_EQ(closing.best.reward, 3.0);
  EXPECT_EQ(closing.holes, std::vector<std::uint32_t>{1});
  EXPECT_TRUE(closing.values.empty());
  Trim beyond;
  beyond.epoch = EpochId{3};
  EXPECT_EQ(error_kind([&] { agent.receive(beyond); }), base::ErrorKind::kProtocol);
}

// Whether an agent got far in an epoch that closed without it is not to be seen in the result.
TEST_F(AgentTest, BestTrialIsOfEpochsItTookPartIn) {
  Trim without = trims_[0];
  without.excluded = {1};
  std::vector<base::Bytes> closings;
  for (const std::uint32_t answered : {0U, 1U, 2U}) {
    Agent agent = make_agent(1);
    agent.receive(sets_[0]);
    for (std::uint32_t slot = 0; slot < answered; ++slot) agent.report(slot, 9.0);
    agent.receive(without);
    agent.receive(sets_[1]);
    for (std::uint32_t slot = 0; slot < 4; ++slot) agent.report(slot, 1.0 + slot);
    agent.receive(trims_[1]);
    for (std::uint32_t slot = 0; slot < 3; ++slot) agent.report(slot, 2.0);
    const auto& closing = std::get<Closing>(*agent.outstanding());
    EXPECT_EQ(closing.best.epoch, EpochId{2});
    EXPECT_EQ(closing.best.slot, 3U);
    closings.push_back(encode(closing));
  }
  EXPECT_EQ(closings[0], closings[1]);
  EXPECT_EQ(closings[0], closings[2]);
}

// Another machine finished the epoch: the half that is here is not what was uploaded.
TEST_F(AgentTest, BestTrialIsOfEpochsThisMachineUploaded) {
  Agent agent = make_agent(1);
  agent.receive(sets_[0]);
  agent.report(0, 9.0);
  agent.receive(trims_[0]);
  agent.receive(sets_[1]);
  agent.receive(trims_[1]);
  for (std::uint32_t slot = 0; slot < 3; ++slot) agent.report(slot, -1.0);
  EXPECT_EQ(std::get<Closing>(*agent.outstanding()).best.epoch, EpochId{3});
}

// The coordinator took another machine's upload: the complete one that is here counts for nothing.
TEST_F(AgentTest, BestTrialIsNotOfAnEpochThatWasDisowned) {
  for (const bool disowned : {false, true}) {
    Agent agent = make_agent(1);
    agent.receive(sets_[0]);
    agent.report(0, 9.0);
    agent.report(1, 9.0);
    if (disowned) agent.disown();
    agent.receive(trims_[0]);
    agent.receive(sets_[1]);
    agent.receive(trims_[1]);
    for (std::uint32_t slot = 0; slot < 3; ++slot) agent.report(slot, -1.0);
    EXPECT_EQ(std::get<Closing>(*agent.outstanding()).best.epoch, EpochId{disowned ? 3U : 1U});
  }
}

TEST_F(AgentTest, EqualRewardsGoToTheLowestSlotInAnyOrder) {
  std::vector<std::uint32_t> order{0, 1, 2};
  do {
    Agent agent = make_agent();
    agent.receive(sets_[0]);
    agent.receive(trims_[0]);
    agent.receive(sets_[1]);
    agent.receive(trims_[1]);
    for (const std::uint32_t slot : order) agent.report(slot, slot == 0 ? -2.0 : 5.0);
    EXPECT_EQ(std::get<Closing>(*agent.outstanding()).best.slot, 1U);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_F(AgentTest, NoBestTrialWhenEveryQueryFailed) {
  Agent agent = make_agent();
  agent.receive(sets_[0]);
  agent.receive(trims_[0]);
  agent.receive(sets_[1]);
  agent.receive(trims_[1]);
  agent.report_hole(0);
  agent.report_hole(1);
  EXPECT_FALSE(std::get<Closing>(agent.report_hole(2).value()).has_best);
}

}  // namespace
}  // namespace duets::protocol
