#include "duets/service/study_status.h"

#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <numeric>

#include "duets/protocol/run_test_support.h"

namespace duets::service {
namespace {

using google::protobuf::util::MessageDifferencer;
using protocol::error_kind;
using protocol::error_text;
using ::testing::HasSubstr;

AgentStatus busy_agent() {
  return {.agent = 2,
          .presence = Presence::kLost,
          .host = "pluto",
          .heard_seconds_ago = 61.5,
          .uploaded = true,
          .answered = 7,
          .holes = 1,
          .seconds_per_query = 0.25,
          .query_seconds = 3,
          .token = 1ULL << 40,
          .epochs_excluded = 2,
          .problem = "exit code 1",
          .retired = true};
}

// No field has the value that stands for "not sent".
StudyStatus full_status() {
  StudyStatus status;
  status.name = "x";
  status.state = StudyState::kStopped;
  status.problem = "the disk is full";
  status.agents = 3;
  status.horizon = 9;
  status.epoch = 2;
  status.num_epochs = 3;
  status.epoch_length = 4;
  status.epoch_seconds = 12.5;
  status.deadline_seconds = 0.0;
  status.quorum = 2;
  status.deadline = 3;
  status.waiting_for = {0, 2};
  status.agent_status = {busy_agent()};
  status.epochs = {{.epoch = 1,
                    .length = 2,
                    .participants = 2,
                    .holes = 3,
                    .inducing = 4,
                    .region_fraction = 0.5,
                    .excluded = {1},
                    .why = "deadline",
                    .seconds = 6}};
  status.recommendation = {{0.5, 0.25}, 1.5, 1, 2, 0, 2, 0};
  status.best_trial = {{0.75, 0.5}, 1.75, 0, 0, 1, 2, 3};
  status.study_digest = {1, 2};
  status.run_digest = {3, 4};
  status.state_digest = {5, 6};
  status.complete_participation = true;
  status.traffic = {1, 2, 3, 4, 5, 6};
  status.coordinate_names = {"rate", "größe"};
  status.guarantee = "none";
  status.created_unix = 1.75e9;
  return status;
}

void expect_all_set(const google::protobuf::Message& message) {
  const auto* descriptor = message.GetDescriptor();
  const auto* reflection = message.GetReflection();
  std::vector<const google::protobuf::FieldDescriptor*> fields;
  reflection->ListFields(message, &fields);
  EXPECT_EQ(static_cast<int>(fields.size()), descriptor->field_count()) << message.DebugString();
}

TEST(StudyStatus, EveryFieldTravels) {
  const v1::StudyStatus wire = to_wire(full_status());
  expect_all_set(wire);
  expect_all_set(wire.agent_status(0));
  expect_all_set(wire.epochs(0));
  expect_all_set(wire.traffic());
  EXPECT_TRUE(MessageDifferencer::Equals(to_wire(from_wire(wire)), wire));
}

TEST(StudyStatus, AnEmptyOneTravels) {
  StudyStatus status;
  status.complete_participation = false;
  const v1::StudyStatus wire = to_wire(status);
  EXPECT_TRUE(MessageDifferencer::Equals(to_wire(from_wire(wire)), wire));
  EXPECT_FALSE(from_wire(wire).complete_participation);
  EXPECT_FALSE(from_wire(wire).deadline_seconds);
  EXPECT_FALSE(from_wire(wire).best_trial);
}

template <typename Change>
std::string status_objection(const Change& change) {
  v1::StudyStatus wire = to_wire(full_status());
  change(wire);
  EXPECT_EQ(error_kind([&] { from_wire(wire); }), base::ErrorKind::kInvalid);
  return error_text([&] { from_wire(wire); });
}

TEST(StudyStatus, WhatNoServerSendsIsRefused) {
  using S = v1::StudyStatus;
  EXPECT_THAT(status_objection([](S& s) { s.set_state(v1::STUDY_STATE_UNSPECIFIED); }),
              HasSubstr("status.state = 0"));
  EXPECT_THAT(status_objection([](S& s) { s.set_state(static_cast<v1::StudyState>(5)); }),
              HasSubstr("status.state = 5"));
  EXPECT_THAT(status_objection([](S& s) { s.mutable_agent_status(0)->set_presence(4); }),
              HasSubstr("status.presence = 4"));
  EXPECT_THAT(status_objection([](S& s) { s.mutable_agent_status(0)->set_agent(3); }),
              HasSubstr("status.agent = 3"));
  EXPECT_THAT(status_objection([](S& s) { s.mutable_waiting()->set_agents(0, 3); }),
              HasSubstr("status.waiting = 3"));
  EXPECT_THAT(status_objection([](S& s) { s.set_num_epochs(0); }), HasSubstr("status.epochs"));
  EXPECT_THAT(status_objection([](S& s) { s.set_agents(0); }), HasSubstr("status.waiting"));
}

TEST(StudyStatus, WhatAnAgentSaysCannotSpeakToTheOperatorsTerminal) {
  StudyStatus status = full_status();
  status.agent_status[0].problem = "\x1b[2Jall gone\xff";
  status.agent_status[0].host = "a\nb";
  const v1::StudyStatus wire = to_wire(status);
  EXPECT_EQ(wire.agent_status(0).problem(), " [2Jall gone?");
  EXPECT_EQ(wire.agent_status(0).host(), "a b");
}

TEST(StudyStatus, StatesAndPresencesHaveNames) {
  EXPECT_EQ(base::name_of(StudyState::kRunning), "running");
  EXPECT_EQ(base::name_of(StudyState::kStopped), "stopped");
  EXPECT_EQ(base::name_of(StudyState::kFinished), "finished");
  EXPECT_EQ(base::name_of(StudyState::kFailed), "failed");
  EXPECT_EQ(base::name_of(Presence::kNever), "never seen");
  EXPECT_EQ(base::name_of(Presence::kLive), "live");
  EXPECT_EQ(base::name_of(Presence::kLost), "lost");
  EXPECT_EQ(base::name_of(Presence::kLeft), "left");
}

// Agents of a study that runs, by their presence.
StudyStatus with_agents(const std::vector<Presence>& presences) {
  StudyStatus status;
  status.agents = static_cast<std::uint32_t>(presences.size());
  status.epoch = 2;
  status.epoch_seconds = 12.5;
  for (std::uint32_t agent = 0; agent < status.agents; ++agent) {
    AgentStatus line;
    line.agent = agent;
    line.presence = presences[agent];
    status.agent_status.push_back(line);
  }
  return status;
}

TEST(HoldingUp, NamesAgentsThatAreNotAtWorkOrTheLastOneMissing) {
  using enum Presence;
  using testing::ElementsAre;
  using testing::IsEmpty;
  StudyStatus status = with_agents({kLive, kLost, kLeft, kNever});
  EXPECT_THAT(holding_up(status), ElementsAre(1U, 2U, 3U));
  status.agent_status[1].uploaded = true;
  status.agent_status[2].retired = true;
  EXPECT_THAT(holding_up(status), ElementsAre(3U)) << "agent 0 measures";

  status = with_agents({kLive, kLive, kLive});
  EXPECT_THAT(holding_up(status), IsEmpty()) << "all measure";
  status.agent_status[0].uploaded = true;
  EXPECT_THAT(holding_up(status), IsEmpty()) << "two still measure";
  status.agent_status[2].uploaded = true;
  EXPECT_THAT(holding_up(status), ElementsAre(1U)) << "the last one missing";
  status.state = StudyState::kStopped;
  EXPECT_THAT(holding_up(status), IsEmpty());
  EXPECT_THAT(holding_up(with_agents({kLive})), IsEmpty()) << "nobody else waits";
}

TEST(WaitingText, SaysForWhomAndSinceWhen) {
  StudyStatus status = with_agents({Presence::kLost, Presence::kLive, Presence::kLost});
  EXPECT_EQ(waiting_text(status), "waiting for agents 0, 2 in epoch 2, since 12 s");
  status.agent_status[0].uploaded = true;
  EXPECT_EQ(waiting_text(status), "waiting for agent 2 in epoch 2, since 12 s");
  status.agent_status[2].uploaded = status.agent_status[1].uploaded = true;
  EXPECT_EQ(waiting_text(status), "");
  status = with_agents(std::vector<Presence>(10, Presence::kNever));
  EXPECT_EQ(waiting_text(status),
            "waiting for agents 0, 1, 2, 3, 4, 5, 6, 7 (and 2 more) in epoch 2, since 12 s");
}

TEST(WaitingText, OfAnAgentCountsThoseThatAreNotNamed) {
  std::vector<std::uint32_t> missing(150);
  std::iota(missing.begin(), missing.end(), 0U);
  const v1::Waiting wire = waiting_to_wire(4, missing, 7);
  EXPECT_EQ(wire.agents_size(), 100);
  EXPECT_EQ(waiting_text(wire),
            "waiting for agents 0, 1, 2, 3, 4, 5, 6, 7 (and 142 more) in epoch 4, since 7 s");
  EXPECT_EQ(waiting_text(waiting_to_wire(4, {}, 7)), "");
}

}  // namespace
}  // namespace duets::service
