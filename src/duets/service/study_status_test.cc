#include "duets/service/study_status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "duets/protocol/run_test_support.h"
#include "duets/v1/duets.pb.h"

namespace duets::service {
namespace {

using protocol::error_kind;
using protocol::error_text;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Four working agents in the second of three epochs: 2, 4 and 6 queries.
v1::StudyStatus at_work() {
  v1::StudyStatus status;
  status.set_state(v1::STUDY_STATE_RUNNING);
  status.set_agents(4);
  status.set_horizon(12);
  status.set_epoch(2);
  status.set_epochs(3);
  status.set_epoch_length(4);
  status.set_epoch_seconds(12.5);
  for (std::uint32_t a = 0; a < 4; ++a) {
    v1::AgentStatus& agent = *status.add_agent_status();
    agent.set_agent(a);
    agent.set_presence(v1::PRESENCE_LIVE);
    agent.set_answered(1);
    agent.set_seconds_per_query(10);
  }
  v1::EpochStatus& epoch = *status.add_closed_epochs();
  epoch.set_epoch(1);
  epoch.set_length(2);
  return status;
}

v1::AgentStatus& agent(v1::StudyStatus& status, int a) { return *status.mutable_agent_status(a); }

v1::StudyStatus derived(v1::StudyStatus status) {
  derive(status);
  return status;
}

double seconds_left(const v1::StudyStatus& status) { return derived(status).seconds_left(); }
bool can_tell(const v1::StudyStatus& status) { return derived(status).has_seconds_left(); }
double progress(const v1::StudyStatus& status) { return derived(status).progress(); }

TEST(StatusProgress, CountsClosedEpochsAndTheAnswersOfTheOpenOne) {
  v1::StudyStatus status = at_work();
  EXPECT_DOUBLE_EQ(progress(status), (2 + 1) / 12.0);
  agent(status, 0).set_answered(0);
  agent(status, 0).set_uploaded(true);
  EXPECT_DOUBLE_EQ(progress(status), (2 + (4 + 1 + 1 + 1) / 4.0) / 12.0);
  EXPECT_EQ(derived(status).agent_status(0).answered(), 4U) << "no heartbeat came to say so";
  agent(status, 1).set_answered(1000);
  EXPECT_DOUBLE_EQ(progress(status), (2 + (4 + 4 + 1 + 1) / 4.0) / 12.0)
      << "no agent answers more than there are queries";
  status.set_state(v1::STUDY_STATE_FINISHED);
  EXPECT_EQ(progress(status), 1);
  EXPECT_EQ(progress({}), 0) << "without agents or epochs";
}

TEST(StatusProgress, ARetiredAgentDoesNotReduceTheProgress) {
  v1::StudyStatus status = at_work();
  for (const int a : {0, 1, 2}) agent(status, a).set_uploaded(true);
  agent(status, 3).set_answered(0);
  EXPECT_DOUBLE_EQ(progress(status), (2 + 3) / 12.0);
  agent(status, 3).set_retired(true);
  EXPECT_DOUBLE_EQ(progress(status), (2 + 4) / 12.0);
  EXPECT_EQ(num_active(status), 3U);
}

TEST(StatusProgress, TimeLeftIsThatOfTheSlowest) {
  v1::StudyStatus status = at_work();
  EXPECT_DOUBLE_EQ(seconds_left(status), 3 * 10 + 6 * 10);
  agent(status, 2).set_seconds_per_query(20);
  EXPECT_DOUBLE_EQ(seconds_left(status), 3 * 20 + 6 * 20);
  agent(status, 2).set_query_seconds(15);
  EXPECT_DOUBLE_EQ(seconds_left(status), 3 * 20 - 15 + 6 * 20);
  agent(status, 2).set_query_seconds(500);
  EXPECT_DOUBLE_EQ(seconds_left(status), 2 * 20 + 6 * 20) << "one query, however long";
  agent(status, 2).set_uploaded(true);
  EXPECT_DOUBLE_EQ(seconds_left(status), 3 * 10 + 6 * 20) << "slow in later epochs again";
  agent(status, 2).set_retired(true);
  EXPECT_DOUBLE_EQ(seconds_left(status), 3 * 10 + 6 * 10);
  agent(status, 3).set_seconds_per_query(0);
  agent(status, 3).set_answered(0);
  EXPECT_DOUBLE_EQ(seconds_left(status), 4 * 10 + 6 * 10) << "not measured: like the slowest";
}

TEST(StatusProgress, TimeLeftIsUnknownWithoutAMeasurementOrWithAnAgentMissing) {
  v1::StudyStatus status = at_work();
  EXPECT_TRUE(can_tell(status));
  agent(status, 1).set_presence(v1::PRESENCE_LOST);
  EXPECT_FALSE(can_tell(status));
  agent(status, 1).set_uploaded(true);
  EXPECT_TRUE(can_tell(status)) << "gone after its upload: it may come back in time";
  status = at_work();
  for (v1::AgentStatus& line : *status.mutable_agent_status()) line.set_seconds_per_query(0);
  EXPECT_FALSE(can_tell(status));
  status = at_work();
  status.set_state(v1::STUDY_STATE_STOPPED);
  EXPECT_FALSE(can_tell(status));
}

TEST(StatusProgress, AgentsMeasureDeliverOrAreAway) {
  v1::StudyStatus status = at_work();
  v1::AgentStatus& line = agent(status, 0);
  const auto state = [&] { return derived(status).agent_status(0).state(); };
  EXPECT_EQ(state(), "measuring");
  line.set_presence(v1::PRESENCE_LOST);
  EXPECT_EQ(state(), "lost");
  line.set_uploaded(true);
  EXPECT_EQ(state(), "delivered");
  line.set_uploaded(false);
  line.set_presence(v1::PRESENCE_NEVER_SEEN);
  EXPECT_EQ(state(), "never seen");
  line.set_retired(true);
  EXPECT_EQ(state(), "retired");
  line.set_retired(false);
  line.set_presence(v1::PRESENCE_LIVE);
  status.set_state(v1::STUDY_STATE_STOPPED);
  EXPECT_EQ(state(), "live");
  status.set_state(v1::STUDY_STATE_FINISHED);
  EXPECT_EQ(state(), "done");
}

template <typename Change>
std::string status_objection(const Change& change) {
  v1::StudyStatus status = at_work();
  status.add_waiting_for(2);
  status.add_holding_up(2);
  EXPECT_NO_THROW(check(status));
  change(status);
  EXPECT_EQ(error_kind([&] { check(status); }), base::ErrorKind::kInvalid);
  return error_text([&] { check(status); });
}

TEST(StudyStatus, ValuesThatNoServerSendsAreRefused) {
  using S = v1::StudyStatus;
  EXPECT_THAT(status_objection([](S& s) { s.set_state(v1::STUDY_STATE_UNSPECIFIED); }),
              HasSubstr("status.state = 0"));
  EXPECT_THAT(status_objection([](S& s) { s.set_state(static_cast<v1::StudyState>(5)); }),
              HasSubstr("status.state = 5"));
  EXPECT_THAT(
      status_objection([](S& s) { agent(s, 0).set_presence(static_cast<v1::Presence>(4)); }),
      HasSubstr("status.presence = 4"));
  EXPECT_THAT(status_objection([](S& s) { agent(s, 0).set_agent(4); }),
              HasSubstr("status.agent = 4"));
  EXPECT_THAT(status_objection([](S& s) { s.set_waiting_for(0, 4); }),
              HasSubstr("status.waiting_for = 4"));
  EXPECT_THAT(status_objection([](S& s) { s.set_holding_up(0, 4); }),
              HasSubstr("status.holding_up = 4"));
  EXPECT_THAT(status_objection([](S& s) { s.set_epochs(0); }), HasSubstr("status.closed_epochs"));
  EXPECT_THAT(status_objection([](S& s) { s.set_agents(0); }), HasSubstr("status.waiting_for"));
}

TEST(StudyStatus, TextsOfAgentsCannotControlTheOperatorsTerminal) {
  v1::StudyStatus status = at_work();
  agent(status, 0).set_problem("\x1b[2Jall gone\xff");
  agent(status, 0).set_host("a\nb");
  status.mutable_best_trial()->add_params()->set_name("\x1b");
  check(status);
  EXPECT_EQ(status.agent_status(0).problem(), " [2Jall gone?");
  EXPECT_EQ(status.agent_status(0).host(), "a b");
  EXPECT_EQ(status.best_trial().params(0).name(), " ");
}

TEST(StudyStatus, StatesAndPresencesHaveNames) {
  EXPECT_EQ(word_of(v1::STUDY_STATE_RUNNING), "running");
  EXPECT_EQ(word_of(v1::STUDY_STATE_STOPPED), "stopped");
  EXPECT_EQ(word_of(v1::STUDY_STATE_FINISHED), "finished");
  EXPECT_EQ(word_of(v1::STUDY_STATE_FAILED), "failed");
  EXPECT_EQ(word_of(v1::PRESENCE_NEVER_SEEN), "never seen");
  EXPECT_EQ(word_of(v1::PRESENCE_LIVE), "live");
  EXPECT_EQ(word_of(v1::PRESENCE_LOST), "lost");
  EXPECT_EQ(word_of(v1::PRESENCE_LEFT), "left");
  EXPECT_EQ(word_of(static_cast<v1::Presence>(9)), "?");
}

// The agents of a running study, by their presence.
v1::StudyStatus with_agents(const std::vector<v1::Presence>& presences) {
  v1::StudyStatus status = at_work();
  status.set_agents(static_cast<std::uint32_t>(presences.size()));
  status.clear_agent_status();
  for (std::uint32_t a = 0; a < presences.size(); ++a) {
    v1::AgentStatus& line = *status.add_agent_status();
    line.set_agent(a);
    line.set_presence(presences[a]);
  }
  return status;
}

TEST(HoldingUp, NamesAgentsThatAreNotWorkingOrTheLastOneMissing) {
  const auto live = v1::PRESENCE_LIVE;
  const auto holding_up = [](const v1::StudyStatus& status) {
    const auto agents = derived(status).holding_up();
    return std::vector<std::uint32_t>(agents.begin(), agents.end());
  };
  v1::StudyStatus status =
      with_agents({live, v1::PRESENCE_LOST, v1::PRESENCE_LEFT, v1::PRESENCE_NEVER_SEEN});
  EXPECT_THAT(holding_up(status), ElementsAre(1U, 2U, 3U));
  agent(status, 1).set_uploaded(true);
  agent(status, 2).set_retired(true);
  EXPECT_THAT(holding_up(status), ElementsAre(3U)) << "agent 0 is measuring";

  status = with_agents({live, live, live});
  EXPECT_THAT(holding_up(status), IsEmpty()) << "all are measuring";
  agent(status, 0).set_uploaded(true);
  EXPECT_THAT(holding_up(status), IsEmpty()) << "two are still measuring";
  agent(status, 2).set_uploaded(true);
  EXPECT_THAT(holding_up(status), ElementsAre(1U)) << "the last one missing";
  status.set_state(v1::STUDY_STATE_STOPPED);
  EXPECT_THAT(holding_up(status), IsEmpty());
  EXPECT_THAT(holding_up(with_agents({live})), IsEmpty()) << "no other agent waits";
}

TEST(WaitingText, NamesTheAgentsAndTheTime) {
  const auto text = [](const v1::StudyStatus& status) { return waiting_text(derived(status)); };
  v1::StudyStatus status = with_agents({v1::PRESENCE_LOST, v1::PRESENCE_LIVE, v1::PRESENCE_LOST});
  EXPECT_EQ(text(status), "waiting for agents 0, 2 in epoch 2 for 12 s");
  agent(status, 0).set_uploaded(true);
  EXPECT_EQ(text(status), "waiting for agent 2 in epoch 2 for 12 s");
  for (v1::AgentStatus& line : *status.mutable_agent_status()) line.set_uploaded(true);
  EXPECT_EQ(text(status), "");
  EXPECT_EQ(text(with_agents(std::vector(10, v1::PRESENCE_NEVER_SEEN))),
            "waiting for agents 0, 1, 2, 3, 4, 5, 6, 7 (and 2 more) in epoch 2 for 12 s");
}

TEST(WaitingText, OfAnAgentCountsTheOthers) {
  v1::Waiting waiting;
  waiting.set_epoch(4);
  waiting.set_seconds(7);
  EXPECT_EQ(waiting_text(waiting), "");
  for (std::uint32_t a = 0; a < 100; ++a) waiting.add_agents(a);
  waiting.set_num_agents(150);
  EXPECT_EQ(waiting_text(waiting),
            "waiting for agents 0, 1, 2, 3, 4, 5, 6, 7 (and 142 more) in epoch 4 for 7 s");
}

}  // namespace
}  // namespace duets::service
