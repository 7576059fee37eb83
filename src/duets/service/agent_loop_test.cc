#include "duets/service/agent_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "duets/service/agent_session_test_support.h"

namespace duets::service {
namespace {

using base::ErrorKind;
using protocol::error_kind;

class Scripted final : public Objective {
 public:
  explicit Scripted(std::function<Answer(const Query&, const std::atomic<bool>&)> body)
      : body_(std::move(body)) {}
  Answer ask(const Query& query, const std::atomic<bool>& abandon) override {
    return body_(query, abandon);
  }

 private:
  std::function<Answer(const Query&, const std::atomic<bool>&)> body_;
};

class AgentLoop : public testing::Test {
 protected:
  std::size_t num_trials() const {
    return read_agent_journal(fleet_.journals() / "study-0.db").trials.size();
  }
  Fleet fleet_;
  std::atomic<bool> stop_ = false, abandon_ = false;
};

TEST_F(AgentLoop, RunsUntilTheStudyIsOver) {
  Fleet::each([&](std::uint32_t agent) {
    AgentSession session(fleet_.session(agent));
    Scripted objective([&](const Query& query, const std::atomic<bool>&) {
      fleet_.answer(query);
      return Value{wavy_value(query)};
    });
    EXPECT_TRUE(run_agent(session, objective, stop_, abandon_, {}));
  });
  fleet_.expect_undisturbed();
}

TEST_F(AgentLoop, FinishesTheCurrentQueryWhenStopped) {
  AgentSession session(fleet_.session(0));
  Scripted objective([&](const Query&, const std::atomic<bool>&) {
    stop_ = true;
    return Value{1};
  });
  EXPECT_FALSE(run_agent(session, objective, stop_, abandon_, {}));
  EXPECT_EQ(num_trials(), 1U);
}

TEST_F(AgentLoop, DeliversTheResultsThatTheLastAnswerCompletes) {
  AgentSession session(fleet_.session(0));
  Scripted objective([&](const Query& query, const std::atomic<bool>&) {
    stop_ = query.slot == 1;
    return Value{1};
  });
  EXPECT_FALSE(run_agent(session, objective, stop_, abandon_, {}));
  EXPECT_THAT(fleet_.server().status("study").waiting_for(), testing::ElementsAre(1U, 2U));
}

TEST_F(AgentLoop, AbandonsTheQuery) {
  AgentSession session(fleet_.session(0));
  Scripted objective([&](const Query&, const std::atomic<bool>& abandon) -> Answer {
    abandon_ = true;
    return abandon ? Answer(Interrupted{}) : Answer(Value{1});
  });
  EXPECT_FALSE(run_agent(session, objective, stop_, abandon_, {}));
  EXPECT_EQ(num_trials(), 0U);
}

TEST_F(AgentLoop, StopsWhileItWaitsForOthers) {
  AgentSession session(fleet_.session(0));
  Scripted objective([](const Query&, const std::atomic<bool>&) { return Value{1}; });
  std::thread looping([&] { EXPECT_FALSE(run_agent(session, objective, stop_, abandon_, {})); });
  EXPECT_TRUE(eventually([&] { return fleet_.server().status("study").waiting_for_size() == 2; }));
  stop_ = true;
  looping.join();
}

TEST_F(AgentLoop, FailuresAreHolesUntilThereAreTooManyInARow) {
  AgentSession session(fleet_.session(0));
  std::string log;
  Scripted objective([](const Query&, const std::atomic<bool>&) {
    return Failure{"it broke", ""};
  });
  const LoopOptions options{2, [&](const LogLine& line) { log += line.message; }};
  EXPECT_EQ(error_kind([&] { run_agent(session, objective, stop_, abandon_, options); }),
            ErrorKind::kObjective);
  EXPECT_EQ(num_trials(), 2U);
  EXPECT_THAT(log, testing::HasSubstr("trial 0-1-0 has no answer: it broke"));
}

TEST_F(AgentLoop, AnAnswerResetsTheFailureCount) {
  AgentSession session(fleet_.session(0));
  Scripted objective([&](const Query& query, const std::atomic<bool>&) -> Answer {
    if (query.slot == 0) return Failure{"it broke", ""};
    stop_ = true;
    return Value{1};
  });
  EXPECT_FALSE(run_agent(session, objective, stop_, abandon_, {2, {}}));
}

// Rejected before it reaches the journal: a coordinator would refuse the whole epoch's results.
TEST_F(AgentLoop, AValueThatNoModelCanUseIsAHole) {
  AgentSession session(fleet_.session(0));
  std::string log;
  Scripted objective([&](const Query& query, const std::atomic<bool>&) {
    stop_ = query.slot == 1;
    return Value{query.slot == 0 ? 1e308 : 1.0};
  });
  EXPECT_FALSE(run_agent(session, objective, stop_, abandon_,
                         {2, [&](const LogLine& line) { log += line.message; }}));
  const auto trials = read_agent_journal(fleet_.journals() / "study-0.db").trials;
  ASSERT_EQ(trials.size(), 2U);
  EXPECT_EQ(trials[0].kind, JournalTrial::Kind::kHole);
  EXPECT_EQ(trials[1].kind, JournalTrial::Kind::kValue);
  EXPECT_THAT(log, testing::HasSubstr("trial 0-1-0 has no answer: value = 1e+308: must be finite"));
}

TEST(AgentLoopLines, LogsOfInfeasibleAnswersAreLimited) {
  protocol::Study study = protocol::small_study();
  study.horizon = 60;
  study.schedule = protocol::ScheduleRule::kExplicit;
  study.epochs = {30, 30};
  Fleet fleet(test_definition(study, with_infeasible(-1)));
  AgentSession session(fleet.session(0));
  std::atomic<bool> stop = false;
  std::vector<std::string> log;
  Scripted objective([&](const Query& query, const std::atomic<bool>&) {
    stop = query.slot == 29;
    return Infeasible{"too hot"};
  });
  run_agent(session, objective, stop, stop,
            {2, [&](const LogLine& line) { log.push_back(line.message); }});
  ASSERT_EQ(log.size(), 20U);
  EXPECT_EQ(log.front(), "trial 0-1-0 is infeasible: too hot");
  EXPECT_THAT(log.back(), testing::HasSubstr("only in the journal"));
}

TEST_F(AgentLoop, AnInfeasibleAnswerWithoutInfeasibleValueEndsTheLoop) {
  AgentSession session(fleet_.session(0));
  Scripted objective([](const Query&, const std::atomic<bool>&) { return Infeasible{"no"}; });
  EXPECT_EQ(error_kind([&] { run_agent(session, objective, stop_, abandon_, {}); }),
            ErrorKind::kObjective);
  EXPECT_EQ(num_trials(), 0U);
}

}  // namespace
}  // namespace duets::service
