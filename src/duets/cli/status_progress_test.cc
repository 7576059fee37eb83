#include "duets/cli/status_progress.h"

#include <gtest/gtest.h>

namespace duets::cli {
namespace {

using service::Presence;
using service::StudyState;
using service::StudyStatus;

// Four agents at work in the second of three epochs: 2, 4 and 6 queries.
StudyStatus at_work() {
  StudyStatus status;
  status.agents = 4;
  status.horizon = 12;
  status.epoch = 2;
  status.num_epochs = 3;
  status.epoch_length = 4;
  for (std::uint32_t a = 0; a < 4; ++a) {
    service::AgentStatus agent;
    agent.agent = a;
    agent.presence = Presence::kLive;
    agent.answered = 1;
    agent.seconds_per_query = 10;
    status.agent_status.push_back(agent);
  }
  service::EpochStatus epoch;
  epoch.epoch = 1;
  epoch.length = 2;
  status.epochs.push_back(epoch);
  return status;
}

TEST(StatusProgress, CountsClosedEpochsAndTheAnswersOfTheOpenOne) {
  StudyStatus status = at_work();
  EXPECT_DOUBLE_EQ(progress_of(status), (2 + 1) / 12.0);
  status.agent_status[0].answered = 0;
  status.agent_status[0].uploaded = true;
  EXPECT_DOUBLE_EQ(progress_of(status), (2 + (4 + 1 + 1 + 1) / 4.0) / 12.0);
  status.agent_status[1].answered = 1000;
  EXPECT_DOUBLE_EQ(progress_of(status), (2 + (4 + 4 + 1 + 1) / 4.0) / 12.0)
      << "no agent answers more than there is";
  status.state = StudyState::kFinished;
  EXPECT_EQ(progress_of(status), 1);
  EXPECT_EQ(progress_of(StudyStatus{}), 0) << "without a line of an agent or an epoch";
}

TEST(StatusProgress, ARetiredAgentHoldsNoPercentageBack) {
  StudyStatus status = at_work();
  for (std::size_t a : {0U, 1U, 2U}) status.agent_status[a].uploaded = true;
  status.agent_status[3].answered = 0;
  EXPECT_DOUBLE_EQ(progress_of(status), (2 + 3) / 12.0);
  status.agent_status[3].retired = true;
  EXPECT_DOUBLE_EQ(progress_of(status), (2 + 4) / 12.0);
  EXPECT_EQ(num_active(status), 3U);
}

TEST(StatusProgress, TimeLeftIsThatOfTheSlowest) {
  StudyStatus status = at_work();
  EXPECT_DOUBLE_EQ(seconds_left(status).value(), 3 * 10 + 6 * 10);
  status.agent_status[2].seconds_per_query = 20;
  EXPECT_DOUBLE_EQ(seconds_left(status).value(), 3 * 20 + 6 * 20);
  status.agent_status[2].query_seconds = 15;
  EXPECT_DOUBLE_EQ(seconds_left(status).value(), 3 * 20 - 15 + 6 * 20);
  status.agent_status[2].query_seconds = 500;
  EXPECT_DOUBLE_EQ(seconds_left(status).value(), 2 * 20 + 6 * 20) << "one query, however long";
  status.agent_status[2].uploaded = true;
  EXPECT_DOUBLE_EQ(seconds_left(status).value(), 3 * 10 + 6 * 20) << "slow in later epochs again";
  status.agent_status[2].retired = true;
  EXPECT_DOUBLE_EQ(seconds_left(status).value(), 3 * 10 + 6 * 10);
  status.agent_status[3].seconds_per_query = 0;
  status.agent_status[3].answered = 0;
  EXPECT_DOUBLE_EQ(seconds_left(status).value(), 4 * 10 + 6 * 10) << "not measured: as the slowest";
}

TEST(StatusProgress, TimeLeftIsUnknownWithoutAPaceOrWithSomebodyMissing) {
  StudyStatus status = at_work();
  status.agent_status[1].presence = Presence::kLost;
  EXPECT_FALSE(seconds_left(status));
  EXPECT_EQ(progress_text(status), "epoch 2 of 3, 25 % of all queries");
  status.agent_status[1].uploaded = true;
  EXPECT_TRUE(seconds_left(status)) << "gone after its upload: it may come back in time";
  status = at_work();
  EXPECT_EQ(progress_text(status), "epoch 2 of 3, 25 % of all queries, about 1 min 30 s left");
  for (auto& agent : status.agent_status) agent.seconds_per_query = 0;
  EXPECT_FALSE(seconds_left(status));
  status = at_work();
  status.state = StudyState::kStopped;
  EXPECT_FALSE(seconds_left(status));
}

TEST(StatusProgress, AgentsMeasureDeliverOrAreAway) {
  StudyStatus status = at_work();
  service::AgentStatus& agent = status.agent_status[0];
  EXPECT_EQ(agent_state(status, agent), "measuring");
  agent.presence = Presence::kLost;
  EXPECT_EQ(agent_state(status, agent), "lost");
  agent.uploaded = true;
  EXPECT_EQ(agent_state(status, agent), "delivered");
  agent.uploaded = false;
  agent.presence = Presence::kNever;
  EXPECT_EQ(agent_state(status, agent), "never seen");
  agent.retired = true;
  EXPECT_EQ(agent_state(status, agent), "retired");
  agent.retired = false;
  agent.presence = Presence::kLive;
  status.state = StudyState::kStopped;
  EXPECT_EQ(agent_state(status, agent), "live");
  status.state = StudyState::kFinished;
  EXPECT_EQ(agent_state(status, agent), "done");
}

}  // namespace
}  // namespace duets::cli
