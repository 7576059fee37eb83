// Tests a machine that takes over from a lost one which had delivered the open epoch's results.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "duets/service/agent_session.h"
#include "duets/service/agent_session_test_support.h"

namespace duets::service {
namespace {

using base::ErrorKind;
using protocol::error_kind;
using testing::HasSubstr;

class AgentTakeover : public testing::Test {
 protected:
  /// Agent 1 answers epoch 1, delivers the results, and is lost.
  void lose_first() {
    AgentSession first(fleet_.session(1));
    EXPECT_TRUE(fleet_.step(first));
    EXPECT_TRUE(fleet_.step(first));
    EXPECT_TRUE(eventually([&] { return first.deliver(); }));
  }
  SessionOptions second() {
    SessionOptions options = fleet_.session(1);
    options.journal = journals();
    options.take_over = true;
    return options;
  }
  std::filesystem::path journals() { return fleet_.journals() / "second"; }
  std::vector<JournalTrial> trials() {
    return read_agent_journal(journals() / "study-1.db").trials;
  }

  /// Runs agents 0 and 2 to the end, together with agent 1.
  void run(const std::function<void()>& agent_1) {
    Fleet::each([&](std::uint32_t agent) {
      if (agent == 1) return agent_1();
      AgentSession session(fleet_.session(agent));
      while (fleet_.step(session)) {
      }
    });
    EXPECT_TRUE(eventually(
        [&] { return fleet_.server().status("study").state() == v1::STUDY_STATE_FINISHED; }));
  }

  Fleet fleet_;
};

TEST_F(AgentTakeover, QueriesThatTheLostMachineDeliveredAreNotAskedAgain) {
  lose_first();
  run([&] {
    AgentSession session(second());
    while (fleet_.step(session)) {
    }
    EXPECT_TRUE(session.finished());
  });
  EXPECT_EQ(fleet_.num_answered(), 27U);
  EXPECT_EQ(trials().size(), 7U);
  EXPECT_EQ(trials().front().query.epoch, 2U);
  EXPECT_THAT(fleet_.log(), HasSubstr("has the results of epoch 1 from another machine"));
}

TEST_F(AgentTakeover, AnswersToDeliveredQueriesAreRefused) {
  Query query;
  {
    AgentSession session(fleet_.session(1));
    query = session.next().value();
  }
  lose_first();
  AgentSession session(second());
  EXPECT_EQ(error_kind([&] { session.report(query, 1); }), ErrorKind::kInvalid);
  EXPECT_TRUE(session.deliver()) << "it is delivered";
  EXPECT_TRUE(trials().empty());
}

TEST_F(AgentTakeover, ADeliveredClosingMessageEndsTheSession) {
  run([&] {
    AgentSession session(fleet_.session(1));
    while (fleet_.step(session)) {
    }
  });
  AgentSession session(second());
  EXPECT_FALSE(session.next());
  EXPECT_TRUE(session.finished());
}

// The coordinator lost the end of its storage and needs the epoch's results again.
TEST_F(AgentTakeover, ACoordinatorThatWasSetBackIsAnsweredByTheNewMachine) {
  fleet_.shut_down();
  const std::string backup = fleet_.storage().string() + ".backup";
  std::filesystem::copy(fleet_.storage(), backup, std::filesystem::copy_options::recursive);
  fleet_.start();
  lose_first();
  auto session = std::make_unique<AgentSession>(second());
  EXPECT_FALSE(session->state().empty());
  fleet_.shut_down();
  std::filesystem::remove_all(fleet_.storage());
  std::filesystem::rename(backup, fleet_.storage());
  fleet_.start();
  session.reset();
  session = std::make_unique<AgentSession>(second());
  EXPECT_EQ(session->next()->epoch, 1U);
}

// It did not know of those results when it joined.
TEST_F(AgentTakeover, TheFirstResultsCountAndTheOthersAreDisowned) {
  constexpr double kGreat = 1000;
  lose_first();
  fleet_.relay().hide_uploads();
  auto session = std::make_unique<AgentSession>(second());
  for (const Query& query : session->plan()) session->report(query, kGreat);
  EXPECT_TRUE(eventually([&] { return session->deliver(); }));
  EXPECT_THAT(fleet_.log(), HasSubstr("the results of this machine do not"));
  EXPECT_TRUE(trials().empty()) << "no trials of this run";
  run([&] {
    EXPECT_EQ(session->next()->epoch, 2U);
    session.reset();
    AgentSession again(second());  // replays the journal
    while (fleet_.step(again)) {
    }
  });
  const v1::StudyStatus status = fleet_.server().status("study");
  ASSERT_TRUE(status.has_best_trial());
  EXPECT_LT(status.best_trial().value(), kGreat);
  EXPECT_EQ(trials().size(), 7U);
}

}  // namespace
}  // namespace duets::service
