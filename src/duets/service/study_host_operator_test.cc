#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "duets/service/lease_table.h"
#include "duets/service/server_test_support.h"
#include "duets/service/study_journal.h"

namespace duets::service {
namespace {

using grpc::StatusCode;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class OperatorDecisionTest : public ServerTest {
 protected:
  using Agents = std::vector<std::unique_ptr<RawAgent>>;

  static void upload(RawAgent& agent, std::uint32_t epoch) {
    agent.reach(epoch);
    agent.query();
    agent.upload();
  }
  // Agents 0 and 1 remain, and are connected again when this returns.
  void restart(Agents& agents) {
    start();
    v1::BeatReply beat;
    for (const std::size_t i : {0U, 1U}) {
      ASSERT_TRUE(eventually([&] { return agents[i]->beat(1, beat).ok(); }));
    }
    ASSERT_TRUE(eventually([&] { return server_->is_ready("study"); }));
  }
  void finish_without_last(Agents& agents, std::uint32_t from) {
    for (std::uint32_t epoch = from; epoch <= 3; ++epoch) {
      upload(*agents[0], epoch);
      upload(*agents[1], epoch);
    }
    ASSERT_TRUE(is(v1::STUDY_STATE_FINISHED));
  }
  // Compares with a simulation in which agent 2 takes part in the first `epochs` epochs only.
  void expect_run_without_last_after(std::uint32_t epochs) {
    auto run = test_run();
    for (std::uint32_t epoch = 1; epoch <= 3; ++epoch) {
      run.run_epoch(epoch <= epochs ? std::set<std::uint32_t>{} : std::set<std::uint32_t>{2});
    }
    EXPECT_EQ(from_wire(status().run_digest()), run.coordinator().summary().run_digest());
    EXPECT_EQ(from_wire(status().state_digest()), run.coordinator().summary().state_digest());
  }
  std::string refused(std::uint32_t agent) {
    EXPECT_EQ(protocol::error_kind([&] { retire_agent(*server_, agent); }),
              base::ErrorKind::kInvalid);
    return protocol::error_text([&] { retire_agent(*server_, agent); });
  }
};

TEST_F(OperatorDecisionTest, ARetiredAgentIsExcludedFromTheOpenEpochOn) {
  create();
  auto agents = fleet();
  run_epoch(agents, 1);
  upload(*agents[0], 2);
  upload(*agents[1], 2);
  EXPECT_EQ(status().epoch(), 2U) << "waits for agent 2";
  retire_agent(*server_, 2);
  EXPECT_EQ(status().epoch(), 3U) << "all remaining agents have uploaded";
  EXPECT_THAT(status().closed_epochs(1).excluded(), ElementsAre(2U));
  EXPECT_EQ(status().closed_epochs(1).why(), "retired");
  EXPECT_TRUE(status().agent_status(2).retired());
  EXPECT_THAT(status().waiting_for(), ElementsAre(0U, 1U)) << "nobody waits for agent 2";
  EXPECT_EQ(status().quorum(), 2U) << "all remaining agents";
  finish_without_last(agents, 3);
  expect_run_without_last_after(1);
}

TEST_F(OperatorDecisionTest, TheUploadOfARetiredAgentForTheOpenEpochCounts) {
  create();
  auto agents = fleet();
  upload(*agents[2], 1);
  retire_agent(*server_, 2);
  upload(*agents[0], 1);
  EXPECT_EQ(status().epoch(), 1U) << "agent 1 is missing";
  EXPECT_TRUE(status().agent_status(2).uploaded());
  upload(*agents[1], 1);
  ASSERT_TRUE(eventually([&] { return status().epoch() == 2; }));
  EXPECT_EQ(status().closed_epochs(0).why(), "complete");
  EXPECT_THAT(status().closed_epochs(0).excluded(), IsEmpty());
  finish_without_last(agents, 2);
  expect_run_without_last_after(1);
}

TEST_F(OperatorDecisionTest, EveryCallOfARetiredAgentIsRefused) {
  create();
  auto agents = fleet();
  agents[2]->query();
  v1::FetchReply fetched;
  while (!agents[2]->agent().outstanding()) ASSERT_TRUE(agents[2]->fetch(5, fetched).ok());
  retire_agent(*server_, 2);
  retire_agent(*server_, 2);  // a second time: no effect
  v1::SendReply sent;
  const auto expect_refused = [](const grpc::Status& status) {
    EXPECT_EQ(status.error_code(), StatusCode::ABORTED);
    EXPECT_THAT(status.error_message(), HasSubstr("agent 2 was retired by an operator"));
  };
  expect_refused(agents[2]->send(to_wire(*agents[2]->agent().outstanding()), sent));
  expect_refused(agents[2]->fetch(0, fetched));
  expect_refused(agents[2]->join());
  RawAgent other(server_->address(), 2, 'o');
  other.request().set_take_over(true);
  expect_refused(other.join());
  v1::BeatReply beat;
  ASSERT_TRUE(agents[2]->beat(1, beat).ok());
  EXPECT_THAT(beat.fenced(), ElementsAre(2U));
  EXPECT_FALSE(status().agent_status(2).uploaded());
}

TEST_F(OperatorDecisionTest, RetirementSurvivesARestart) {
  create();
  auto agents = fleet();
  run_epoch(agents, 1);
  retire_agent(*server_, 2);
  restart(agents);
  EXPECT_TRUE(status().agent_status(2).retired());
  EXPECT_EQ(RawAgent(server_->address(), 2).join().error_code(), StatusCode::ABORTED);
  finish_without_last(agents, 2);
  expect_run_without_last_after(1);
  const v1::StudyStatus stored = stored_status(scratch_.path(), "study");
  EXPECT_TRUE(stored.agent_status(2).retired());
}

// The coordinator stopped between the operator's decision and the end of the epoch.
TEST_F(OperatorDecisionTest, AnEpochWithOnlyARetiredAgentMissingClosesAfterARestart) {
  create();
  auto agents = fleet();
  upload(*agents[0], 1);
  upload(*agents[1], 1);
  server_.reset();
  {
    const auto store = storage::open_store(store_path(scratch_.path()), storage::Access::kWrite);
    StudyJournal journal(*store, "study");
    LeaseTable leases(3, 60);
    leases.load(journal.load().leases, 0);
    leases.retire(2);
    journal.set_leases(leases.save());
  }
  restart(agents);
  ASSERT_TRUE(eventually([&] { return status().epoch() == 2; }));
  EXPECT_EQ(status().closed_epochs(0).why(), "retired");
  finish_without_last(agents, 2);
  expect_run_without_last_after(0);
}

TEST_F(OperatorDecisionTest, TheQuorumAndTheLastAgentAreProtected) {
  create();
  ASSERT_TRUE(eventually([&] { return server_->is_ready("study"); }));
  EXPECT_THAT(refused(3), HasSubstr("agent = 3: study \"study\" has agents 0 to 2"));
  set_policy(*server_, {2, 4.0});
  retire_agent(*server_, 0);
  EXPECT_THAT(
      refused(1),
      HasSubstr("1 agent would be left, but the quorum is 2; lower it with `duets study set "
                "study --quorum 1`"));
  set_policy(*server_, {1, 4.0});
  retire_agent(*server_, 1);
  EXPECT_THAT(refused(2), HasSubstr("is the last one; use `duets study stop study`"));
  operators_of(*server_)->stop("study");
  EXPECT_THAT(refused(2), HasSubstr("is stopped, not running"));
}

TEST_F(OperatorDecisionTest, QuorumAndDeadlineChangeWhileTheStudyRunsAndSurviveARestart) {
  create();
  auto agents = fleet();
  v1::BeatReply beat;
  for (auto& agent : agents) ASSERT_TRUE(agent->beat(1e-3, beat).ok());
  upload(*agents[0], 1);
  upload(*agents[1], 1);
  EXPECT_FALSE(status().has_deadline_seconds());
  set_policy(*server_, {2, 1.0});
  ASSERT_TRUE(eventually([&] { return status().epoch() == 2; })) << "the deadline is over";
  EXPECT_EQ(status().closed_epochs(0).why(), "deadline");
  EXPECT_FALSE(server_->create(test_definition(), kTestSecret)) << "the study file still matches";
  start();
  EXPECT_EQ(status().quorum(), 2U);
  EXPECT_EQ(status().deadline(), 1.0);
  EXPECT_EQ(stored_status(scratch_.path(), "study").deadline(), 1.0);
  ASSERT_TRUE(eventually([&] { return server_->is_ready("study"); }));
  set_policy(*server_, {0, 0});
  EXPECT_EQ(status().quorum(), 3U);
  EXPECT_FALSE(status().has_deadline());
}

TEST_F(OperatorDecisionTest, InvalidPoliciesAreRefused) {
  create();
  ASSERT_TRUE(eventually([&] { return server_->is_ready("study"); }));
  const auto text = [&](const ClosePolicy& policy) {
    EXPECT_EQ(protocol::error_kind([&] { set_policy(*server_, policy); }),
              base::ErrorKind::kInvalid);
    return protocol::error_text([&] { set_policy(*server_, policy); });
  };
  EXPECT_THAT(text({4, 1}), HasSubstr("coordinator.quorum = 4"));
  EXPECT_THAT(text({2, std::nan("")}), HasSubstr("coordinator.deadline"));
  EXPECT_THAT(text({0, 2}), HasSubstr("deadline = 2: needs a quorum"));
  retire_agent(*server_, 1);
  EXPECT_THAT(text({3, 2}), HasSubstr("quorum = 3: must be at most 2"));
  EXPECT_EQ(status().quorum(), 2U);
}

// With an upload, a retired agent would otherwise count towards the quorum.
TEST_F(OperatorDecisionTest, AQuorumCountsRemainingAgents) {
  create();
  auto agents = fleet();
  upload(*agents[2], 1);
  retire_agent(*server_, 2);
  set_policy(*server_, {2, 1.0});
  upload(*agents[0], 1);
  v1::BeatReply beat;
  ASSERT_TRUE(agents[0]->beat(1e-4, beat).ok());
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  EXPECT_EQ(status().epoch(), 1U) << "one of the two remaining agents";
  upload(*agents[1], 1);
  EXPECT_TRUE(eventually([&] { return status().epoch() == 2; }));
}

}  // namespace
}  // namespace duets::service
