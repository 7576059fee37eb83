// Tests a coordinator whose storage was replaced by an older copy: the journals have the rest.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "duets/service/agent_session_test_support.h"

namespace duets::service {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class SetBackTest : public testing::Test {
 protected:
  void back_up() {
    fleet_.shut_down();
    std::filesystem::copy(fleet_.storage(), backup(), std::filesystem::copy_options::recursive);
    fleet_.start();
  }
  void set_back() {
    fleet_.shut_down();
    std::filesystem::remove_all(fleet_.storage());
    std::filesystem::copy(backup(), fleet_.storage(), std::filesystem::copy_options::recursive);
    fleet_.start();
  }
  std::filesystem::path backup() const { return scratch_.path() / "backup"; }

  std::unique_ptr<AgentSession> session(std::uint32_t agent) {
    return std::make_unique<AgentSession>(fleet_.session(agent));
  }
  std::vector<std::unique_ptr<AgentSession>> sessions() {
    std::vector<std::unique_ptr<AgentSession>> all;
    for (std::uint32_t agent = 0; agent < 3; ++agent) all.push_back(session(agent));
    return all;
  }
  // Answers all queries of the open epoch; none may be asked twice.
  void answer_epoch(AgentSession& session) {
    for (const Query& query : session.plan()) {
      EXPECT_TRUE(fleet_.answer(query)) << trial_name(query) << " was asked twice";
      session.report(query, wavy_value(query));
    }
    EXPECT_TRUE(session.deliver());
  }
  void run_to_the_end() {
    Fleet::each([&](std::uint32_t agent) {
      const auto own = session(agent);
      while (fleet_.step(*own)) {
      }
      EXPECT_TRUE(own->finished());
    });
  }
  // Epoch 1 without agent 2, whose results came too late; epoch 2 with all; epoch 3 is open.
  void leave_out_agent_two() {
    const auto all = sessions();
    answer_epoch(*all[0]);
    answer_epoch(*all[1]);
    for (const Query& query : all[2]->plan()) all[2]->report(query, wavy_value(query));
    close_epoch(fleet_.server(), 1);
    for (const auto& one : all) answer_epoch(*one);
    ASSERT_TRUE(eventually([&] { return fleet_.server().status("study").epoch() == 3; }));
    for (const auto& one : all) ASSERT_TRUE(fleet_.step(*one)) << "its journal has epoch 3";
  }
  bool waits_for(const std::vector<std::uint32_t>& agents) {
    return eventually([&] {
      const v1::StudyStatus status = fleet_.server().status("study");
      return status.epoch() == 1 && std::ranges::equal(status.waiting_for(), agents);
    });
  }

  Scratch scratch_;
  Fleet fleet_;
};

TEST_F(SetBackTest, WholeEpochsAreRestoredFromTheJournalsWithoutAQuery) {
  back_up();
  run_to_the_end();
  const std::size_t asked = fleet_.num_answered();
  set_back();
  EXPECT_EQ(fleet_.server().status("study").closed_epochs_size(), 0);
  run_to_the_end();
  EXPECT_EQ(fleet_.num_answered(), asked);
  fleet_.expect_undisturbed();
  EXPECT_THAT(fleet_.log(), HasSubstr("the coordinator's storage was set back to epoch 1"));
}

TEST_F(SetBackTest, ARunningSessionFailsAndANewOneContinues) {
  back_up();
  const auto all = sessions();
  for (const auto& one : all) answer_epoch(*one);
  for (const auto& one : all) ASSERT_TRUE(fleet_.step(*one));
  set_back();
  // Its start is more recent than the copy: all its calls are refused.
  EXPECT_THROW(
      {
        while (fleet_.step(*all[0])) {
        }
      },
      CoordinatorSetBack);
}

TEST_F(SetBackTest, ResultsOfALostEpochRevealTheSetBack) {
  const auto all = sessions();
  back_up();
  for (const auto& one : all) answer_epoch(*one);
  ASSERT_TRUE(fleet_.step(*all[0]));
  set_back();
  EXPECT_THROW(
      {
        while (fleet_.step(*all[0])) {
        }
      },
      CoordinatorSetBack);
}

TEST_F(SetBackTest, AnAgentThatWasLeftOutSendsNothingAndTheRunIsTheSame) {
  back_up();
  leave_out_agent_two();
  set_back();
  std::thread agents([&] { run_to_the_end(); });
  EXPECT_TRUE(waits_for({2})) << "agent 2 was left out before";
  close_epoch(fleet_.server(), 1);
  agents.join();
  auto run = test_run();
  run.run_epoch({2});
  run.finish();
  ASSERT_TRUE(eventually(
      [&] { return fleet_.server().status("study").state() == v1::STUDY_STATE_FINISHED; }));
  EXPECT_EQ(from_wire(fleet_.server().status("study").state_digest()),
            run.coordinator().summary().state_digest());
}

TEST_F(SetBackTest, AnEpochThatEndsDifferentlyIsDetected) {
  back_up();
  leave_out_agent_two();
  set_back();
  const auto first = session(0);
  std::thread agent(
      [&] { EXPECT_EQ(protocol::error_kind([&] { first->next(); }), base::ErrorKind::kDiverged); });
  EXPECT_TRUE(waits_for({1, 2}));
  close_epoch(fleet_.server(), 1);
  agent.join();
}

TEST_F(SetBackTest, ResultsOfAPartialEpochAreSentAgain) {
  {
    const auto all = sessions();
    for (const auto& one : all) answer_epoch(*one);
    ASSERT_TRUE(eventually([&] { return fleet_.server().status("study").epoch() == 2; }));
  }
  back_up();
  {
    const auto first = session(0);
    answer_epoch(*first);
    EXPECT_THAT(fleet_.server().status("study").waiting_for(), ElementsAre(1U, 2U));
  }
  set_back();
  run_to_the_end();
  fleet_.expect_undisturbed();
}

}  // namespace
}  // namespace duets::service
