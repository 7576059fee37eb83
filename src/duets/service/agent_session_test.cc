#include "duets/service/agent_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <limits>
#include <sstream>

#include "duets/service/agent_journal.h"
#include "duets/service/agent_session_test_support.h"

namespace duets::service {
namespace {

using base::ErrorKind;
using protocol::error_kind;
using protocol::error_text;
using testing::HasSubstr;
using testing::Not;

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream bytes;
  bytes << in.rdbuf();
  return bytes.str();
}

TEST(AgentSession, ThreeSessionsGiveTheDigestsOfARunInMemory) {
  Fleet fleet;
  Fleet::each([&](std::uint32_t agent) {
    AgentSession session(fleet.session(agent));
    while (fleet.step(session)) {
    }
    EXPECT_TRUE(session.finished());
    EXPECT_EQ(session.agent(), agent);
  });
  fleet.expect_undisturbed();
}

TEST(AgentSession, ValuesOfAProgramThatMinimisesBecomeRewards) {
  study::Objective objective;
  objective.direction = study::Direction::kMinimize;
  objective.scale = 2;  // exact in binary
  Fleet fleet(test_definition(protocol::small_study(), objective));
  Fleet::each([&](std::uint32_t agent) {
    AgentSession session(fleet.session(agent));
    while (const auto query = session.next()) {
      fleet.answer(*query);
      session.report(*query, -2 * wavy_value(*query));
    }
  });
  fleet.expect_undisturbed();
}

// optuna #485, #3215: a trial of a dead worker stays open forever.
TEST(AgentSession, ACrashAfterEveryAnswerLosesNothingAndAsksNothingTwice) {
  Fleet fleet;
  fleet.relay().set_fate(
      [](const std::string& call) { return call == "Leave" ? Fate::kLost : Fate::kPass; });
  Fleet::each([&](std::uint32_t agent) {
    for (bool more = true; more;) {
      AgentSession session(fleet.session(agent));
      more = fleet.step(session);
    }
  });
  fleet.expect_undisturbed();
}

TEST(AgentSession, LostAndRepeatedCallsChangeNothing) {
  Fleet fleet;
  std::atomic<int> count = 0;
  fleet.relay().set_fate([&](const std::string&) {
    constexpr std::array kFates{Fate::kTwice, Fate::kLost, Fate::kPass, Fate::kReplyLost,
                                Fate::kPass};
    return kFates[static_cast<std::size_t>(count++) % kFates.size()];
  });
  fleet.run_all();
  fleet.expect_undisturbed();
}

TEST(AgentSession, RepeatedBroadcastsChangeNothing) {
  Fleet fleet;
  fleet.relay().repeat_broadcasts();
  fleet.run_all();
  fleet.expect_undisturbed();
}

TEST(AgentSession, ACoordinatorThatWasSetBackGetsTheResultsAgain) {
  Fleet fleet;
  AgentSession session(fleet.session(0));
  fleet.shut_down();
  std::filesystem::copy(fleet.storage(), fleet.storage().string() + ".backup",
                        std::filesystem::copy_options::recursive);
  fleet.start();
  EXPECT_TRUE(fleet.step(session));
  EXPECT_TRUE(fleet.step(session));
  EXPECT_TRUE(eventually([&] { return session.deliver(); }));
  fleet.shut_down();
  std::filesystem::remove_all(fleet.storage());
  std::filesystem::rename(fleet.storage().string() + ".backup", fleet.storage());
  fleet.start();
  Fleet::each([&](std::uint32_t agent) {
    std::unique_ptr<AgentSession> other;
    if (agent > 0) other = std::make_unique<AgentSession>(fleet.session(agent));
    while (fleet.step(other ? *other : session)) {
    }
  });
  fleet.expect_undisturbed();
}

// NVFlare #242: a coordinator crash lost the run.
TEST(AgentSession, SessionsOutliveTheirCoordinator) {
  Fleet fleet;
  std::vector<std::unique_ptr<AgentSession>> sessions;
  for (std::uint32_t agent = 0; agent < 3; ++agent) {
    sessions.push_back(std::make_unique<AgentSession>(fleet.session(agent)));
    EXPECT_TRUE(fleet.step(*sessions.back()));
  }
  fleet.shut_down();
  // The plan is known: the epoch's other query does not need the coordinator.
  for (auto& session : sessions) EXPECT_TRUE(fleet.step(*session));
  fleet.start();
  Fleet::each([&](std::uint32_t agent) {
    while (fleet.step(*sessions[agent])) {
    }
  });
  fleet.expect_undisturbed();
}

TEST(AgentSession, AnswersComeInAnyOrder) {
  Fleet fleet;
  Fleet::each([&](std::uint32_t agent) {
    AgentSession session(fleet.session(agent));
    for (std::vector<Query> plan = session.plan(); !plan.empty(); plan = session.plan()) {
      std::ranges::reverse(plan);
      for (const Query& query : plan) {
        fleet.answer(query);
        session.report(query, wavy_value(query));
      }
    }
  });
  fleet.expect_undisturbed();
}

TEST(AgentSession, AnotherMachineTakesOverOnlyWhenAsked) {
  Fleet fleet;
  AgentSession first(fleet.session(1));
  ASSERT_TRUE(first.next());
  SessionOptions other = fleet.session(1);
  other.journal = fleet.journals() / "other";
  EXPECT_EQ(error_kind([&] { AgentSession{other}; }), ErrorKind::kConnection);
  EXPECT_TRUE(std::filesystem::is_empty(other.journal)) << "a refused session leaves nothing";
  other.take_over = true;
  AgentSession second(other);
  EXPECT_TRUE(second.next());
  // The first session learns of it by its heartbeat while its objective is busy.
  EXPECT_TRUE(eventually([&] { return error_kind([&] { first.next(); }).has_value(); }));
  EXPECT_EQ(error_kind([&] { first.next(); }), ErrorKind::kConnection);
  EXPECT_THAT(error_text([&] { first.next(); }), HasSubstr("taken over"));
}

TEST(AgentSession, AJournalHasOneHolder) {
  Fleet fleet;
  const AgentSession first(fleet.session(0));
  EXPECT_EQ(error_kind([&] { AgentSession(fleet.session(0)); }), ErrorKind::kStorage);
}

TEST(AgentSession, SessionsWithoutNumbersFindTheirOwnJournals) {
  Fleet fleet;
  std::set<std::uint32_t> agents;
  for (int round = 0; round < 2; ++round) {
    const AgentSession a(fleet.session({}));
    const AgentSession b(fleet.session({}));
    EXPECT_NE(a.agent(), b.agent());
    agents.insert({a.agent(), b.agent()});
  }
  EXPECT_EQ(agents.size(), 2U);
}

TEST(AgentSession, ADamagedJournalIsNamedAndNotChanged) {
  Fleet fleet;
  {
    AgentSession session(fleet.session(0));
    fleet.step(session);
  }
  const std::filesystem::path file = fleet.journals() / "study-0.db";
  std::string bytes = bytes_of(file);
  ASSERT_GT(bytes.size(), 5000U);
  for (std::size_t i = 4096; i < bytes.size(); i += 97) bytes[i] = static_cast<char>(~bytes[i]);
  std::ofstream(file, std::ios::binary) << bytes;
  EXPECT_EQ(error_kind([&] { AgentSession(fleet.session(0)); }), ErrorKind::kStorage);
  EXPECT_THAT(error_text([&] { AgentSession(fleet.session(0)); }), HasSubstr("study-0.db"));
  EXPECT_EQ(bytes_of(file), bytes);
}

TEST(AgentSession, AJournalOfAnotherRunIsDetected) {
  Fleet fleet;
  {
    AgentSession session(fleet.session(0));
    fleet.step(session);
  }
  operators_of(fleet.server())->stop("study");
  operators_of(fleet.server())->remove("study");
  fleet.server().create(test_definition(), std::string(64, '8'));
  EXPECT_EQ(error_kind([&] { AgentSession(fleet.session(0)); }), ErrorKind::kDiverged);
}

TEST(AgentSession, AnAnswerIsCheckedBeforeItIsWritten) {
  Fleet fleet;
  AgentSession session(fleet.session(0));
  const Query query = session.next().value();
  const auto kind = [&](const Query& q, double value) {
    return error_kind([&] { session.report(q, value); });
  };
  EXPECT_EQ(kind(query, std::numeric_limits<double>::quiet_NaN()), ErrorKind::kInvalid);
  Query wrong = query;
  wrong.agent = 2;
  EXPECT_EQ(kind(wrong, 1), ErrorKind::kInvalid);
  wrong = query;
  wrong.slot = 2;
  EXPECT_EQ(kind(wrong, 1), ErrorKind::kInvalid);
  wrong = query;
  wrong.epoch = 2;
  EXPECT_EQ(kind(wrong, 1), ErrorKind::kInvalid);
  EXPECT_EQ(kind(query, 1), std::nullopt);
  EXPECT_EQ(kind(query, 1), std::nullopt) << "the same again";
  EXPECT_EQ(kind(query, 2), ErrorKind::kInvalid);
  EXPECT_EQ(read_agent_journal(fleet.journals() / "study-0.db").trials.size(), 1U);
}

TEST(AgentSession, AnInfeasibleAnswerCountsAsInfeasibleValue) {
  Fleet none;
  AgentSession strict(none.session(0));
  EXPECT_EQ(error_kind([&] { strict.report_infeasible(*strict.next(), "too hot"); }),
            ErrorKind::kObjective);

  Fleet fleet(test_definition(protocol::small_study(), with_infeasible(-3)));
  AgentSession session(fleet.session(0));
  session.report_infeasible(*session.next(), "too hot", 2.5);
  session.report_failure(*session.next(), {"exit code 1", "line\n"});
  const JournalContents contents = read_agent_journal(fleet.journals() / "study-0.db");
  EXPECT_EQ(contents.study, "study");
  EXPECT_EQ(contents.agent, 0U);
  ASSERT_EQ(contents.trials.size(), 2U);
  EXPECT_EQ(contents.trials[0].kind, JournalTrial::Kind::kInfeasible);
  EXPECT_EQ(contents.trials[0].value, -3);
  EXPECT_EQ(contents.trials[0].seconds, 2.5);
  EXPECT_EQ(contents.trials[0].text, "too hot");
  EXPECT_EQ(contents.trials[0].query.values.size(), 2U);
  EXPECT_EQ(contents.trials[1].kind, JournalTrial::Kind::kHole);
  EXPECT_EQ(contents.trials[1].query.slot, 1U);
  EXPECT_EQ(contents.trials[1].text, "exit code 1\nline\n");
}

TEST(AgentSession, AnEpochThatEndedWithoutThisAgentIsLeftBetweenTwoQueries) {
  Fleet fleet(test_definition(), 0.4);
  AgentSession slow(fleet.session(2));
  const Query late = slow.next().value();
  std::vector<std::unique_ptr<AgentSession>> others;
  for (std::uint32_t agent = 0; agent < 2; ++agent) {
    others.push_back(std::make_unique<AgentSession>(fleet.session(agent)));
    for (const Query& query : others.back()->plan()) {
      others.back()->report(query, wavy_value(query));
    }
    EXPECT_TRUE(eventually([&] { return others.back()->deliver(); }));
  }
  close_epoch(fleet.server(), 1);
  EXPECT_TRUE(eventually([&] { return slow.next()->epoch == 2; }));
  slow.report(late, 1);  // kept, and ignored
  const auto trials = read_agent_journal(fleet.journals() / "study-2.db").trials;
  ASSERT_EQ(trials.size(), 1U);
  EXPECT_EQ(trials[0].query.epoch, 1U);
  EXPECT_EQ(slow.plan().size(), 4U);
}

/// A session with all answers of agent `agent` for epoch 1, not sent yet.
std::unique_ptr<AgentSession> answered(Fleet& fleet, std::uint32_t agent) {
  auto session = std::make_unique<AgentSession>(fleet.session(agent));
  for (const Query& query : session->plan()) session->report(query, wavy_value(query));
  return session;
}

/// Agents 0 and 1 finish epoch 1.
void deliver_others(Fleet& fleet) {
  for (const std::uint32_t agent : {0U, 1U}) {
    const auto other = answered(fleet, agent);
    EXPECT_TRUE(eventually([&] { return other->deliver(); }));
  }
}

const char* const kLate =
    "agent 2: results of epoch 1 arrived too late: it ended without this agent";

TEST(AgentSession, LogsThatAnEpochEndedBeforeItsResultsWereSent) {
  Fleet fleet;
  const auto late = answered(fleet, 2);
  deliver_others(fleet);
  close_epoch(fleet.server(), 1);
  EXPECT_FALSE(late->deliver()) << "the next epoch is open";
  EXPECT_THAT(fleet.log(), HasSubstr(kLate));
}

TEST(AgentSession, LateResultsAreNotLoggedAsDelivered) {
  std::atomic<bool> closed = false;
  Fleet fleet;
  const auto late = answered(fleet, 2);
  deliver_others(fleet);
  fleet.relay().set_fate([&](const std::string& call) {
    if (call == "Send" && !closed.exchange(true)) close_epoch(fleet.server(), 1);
    return Fate::kPass;
  });
  EXPECT_TRUE(eventually([&] { return late->deliver(); }));
  EXPECT_THAT(fleet.log(), HasSubstr(kLate));
  EXPECT_THAT(fleet.log(), Not(HasSubstr("agent 2: results of epoch 1 delivered")));
}

// The epoch ended with these results; only the reply was lost.
TEST(AgentSession, AcceptedResultsAreNotLoggedAsLate) {
  std::atomic<bool> lost = false;
  Fleet fleet;
  deliver_others(fleet);
  const auto last = answered(fleet, 2);
  fleet.relay().set_fate([&](const std::string& call) {
    if (call != "Send" || lost.exchange(true)) return Fate::kPass;
    return Fate::kReplyLost;
  });
  EXPECT_TRUE(eventually([&] { return last->deliver(); }));
  EXPECT_EQ(fleet.server().status("study").epoch(), 2U);
  EXPECT_THAT(fleet.log(), HasSubstr("agent 2: results of epoch 1 had already arrived"));
  EXPECT_THAT(fleet.log(), Not(HasSubstr("too late")));
}

// flower #4147: rounds that hang without saying which client is missing. The agent says it before
// a long poll ends.
TEST(AgentSession, LogsWhichAgentsItWaitsForAndStopsOnRequest) {
  Fleet fleet;
  SessionOptions options = fleet.session(0);
  options.wait_seconds = 3600;
  AgentSession session(options);
  EXPECT_FALSE(session.deliver()) << "queries are open";
  EXPECT_TRUE(fleet.step(session));
  EXPECT_TRUE(fleet.step(session));
  EXPECT_TRUE(eventually([&] { return session.deliver(); }));
  std::thread waiting([&] { EXPECT_FALSE(session.next()); });
  EXPECT_TRUE(eventually([&] { return session.state().find("agents 1, 2") != std::string::npos; }));
  session.stop();
  waiting.join();
  EXPECT_FALSE(session.finished());
  EXPECT_THAT(fleet.log(), HasSubstr("waiting for agents 1, 2 in epoch 1"));
  operators_of(fleet.server())->stop("study");  // the relay's own call is waiting there
}

// Not only when the next broadcast comes or a long poll ends.
TEST(AgentSession, LogsImmediatelyThatTheCoordinatorIsBack) {
  Fleet fleet;
  SessionOptions options = fleet.session(0);
  options.wait_seconds = 3600;
  AgentSession session(options);
  EXPECT_TRUE(fleet.step(session));
  EXPECT_TRUE(fleet.step(session));
  std::atomic<int> lost = 0;
  fleet.relay().set_fate([&](const std::string& call) {
    return call == "Fetch" && lost++ < 2 ? Fate::kLost : Fate::kPass;
  });
  std::thread waiting([&] { EXPECT_FALSE(session.next()); });
  EXPECT_TRUE(eventually([&] { return fleet.log().find("is back") != std::string::npos; }));
  session.stop();
  waiting.join();
  operators_of(fleet.server())->stop("study");  // the relay's own call is waiting there
}

TEST(AgentSession, AStoppedStudyEndsTheSession) {
  Fleet fleet;
  AgentSession waiting(fleet.session(0));
  AgentSession querying(fleet.session(1));
  EXPECT_TRUE(fleet.step(waiting));
  EXPECT_TRUE(fleet.step(waiting));
  operators_of(fleet.server())->stop("study");
  EXPECT_EQ(error_kind([&] { waiting.next(); }), ErrorKind::kProtocol);
  EXPECT_TRUE(eventually([&] { return error_kind([&] { querying.next(); }).has_value(); }));
  EXPECT_THAT(error_text([&] { querying.next(); }), HasSubstr("stopped by an operator"));
}

TEST(AgentSession, StoppingDoesNotWaitForTheCoordinator) {
  Fleet fleet;
  fleet.relay().set_fate([](const std::string&) { return Fate::kLost; });
  std::atomic<bool> stop = false;
  SessionOptions options = fleet.session(0);
  options.stop = &stop;
  std::thread joining(
      [&] { EXPECT_EQ(error_kind([&] { AgentSession{options}; }), ErrorKind::kConnection); });
  EXPECT_TRUE(eventually([&] { return fleet.relay().num_calls("Join") > 1; }));
  stop = true;
  joining.join();
}

// For the coordinator the agent is held; the next process with this journal must be its holder.
TEST(AgentSession, ALostReplyToJoinDoesNotLockOutTheAgent) {
  for (const std::optional<std::uint32_t> agent : {std::optional<std::uint32_t>(0), {}}) {
    Fleet fleet(test_definition(), 60);
    fleet.relay().set_fate(
        [](const std::string& call) { return call == "Join" ? Fate::kReplyLost : Fate::kPass; });
    std::atomic<bool> stop = false;
    SessionOptions options = fleet.session(agent);
    options.study = "";
    options.stop = &stop;
    std::thread joining(
        [&] { EXPECT_EQ(error_kind([&] { AgentSession{options}; }), ErrorKind::kConnection); });
    EXPECT_TRUE(eventually([&] { return fleet.relay().num_calls("Join") > 1; }));
    stop = true;
    joining.join();
    fleet.relay().set_fate({});
    SessionOptions again = fleet.session(agent);
    again.study = "";
    const AgentSession session(again);
    EXPECT_EQ(session.agent(), 0U);
    EXPECT_EQ(fleet.server().status("study").agent_status(0).token(), 2U) << "another start";
  }
}

// An agent that is restarted after the end must not wait for a coordinator that is gone for good.
TEST(AgentSession, ACompleteJournalDoesNotWaitForACoordinatorThatIsGone) {
  Fleet fleet;
  fleet.run_all();
  fleet.expect_undisturbed();
  {
    AgentSession again(fleet.session(1));
    EXPECT_FALSE(again.next().has_value()) << "a coordinator that is there is asked";
    EXPECT_TRUE(again.finished());
  }
  {
    int joins = 0;
    fleet.relay().set_fate([&joins](const std::string& call) {
      return call == "Join" && ++joins < 3 ? Fate::kBusy : Fate::kPass;
    });
    AgentSession again(fleet.session(1));
    EXPECT_EQ(joins, 3) << "a busy coordinator is asked again";
    EXPECT_FALSE(again.next().has_value());
  }
  fleet.relay().set_fate([](const std::string&) { return Fate::kLost; });
  EXPECT_THROW({ AgentSession session(fleet.session(1)); }, NothingLeft);
  EXPECT_THAT(error_text([&] { AgentSession session(fleet.session(1)); }),
              HasSubstr("agent 1: nothing is left to do"));
}

TEST(AgentSession, AJournalIsCompleteOnlyWhenTheLastMessageWasAccepted) {
  Fleet fleet;
  Fleet::each([&](std::uint32_t agent) {
    AgentSession session(fleet.session(agent));
    while (fleet.num_answered() < 27 && fleet.step(session)) {
    }
  });
  // The last answer is in the journal, but the results that it completes were not sent.
  fleet.shut_down();
  std::size_t num_complete = 0;
  for (const JournalFile& file : find_journals(fleet.journals(), "study")) {
    if (AgentJournal::open(file)->is_complete()) ++num_complete;
  }
  EXPECT_LT(num_complete, 3U);
}

TEST(AgentSession, AnUnknownStudyOrAgentIsRefused) {
  Fleet fleet;
  SessionOptions options = fleet.session(0);
  options.study = "an/other";
  EXPECT_EQ(error_kind([&] { AgentSession{options}; }), ErrorKind::kInvalid);
  EXPECT_THAT(error_text([&] { AgentSession(fleet.session(3)); }), HasSubstr("agent 3"));
  EXPECT_TRUE(std::filesystem::is_empty(fleet.journals()));
}

}  // namespace
}  // namespace duets::service
