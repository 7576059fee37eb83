#include "duets/service/heartbeat.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "duets/service/agent_session_test_support.h"

namespace duets::service {
namespace {

TEST(Pulse, TheMeanIsTakenOverTheLastTwentyAnswers) {
  Pulse pulse({}, 60);
  EXPECT_EQ(pulse.progress().seconds_per_query(), 0);
  for (int i = 0; i < 30; ++i) pulse.end_query(i < 10 ? 1000 : 4);
  pulse.end_query(0);  // not measured
  EXPECT_EQ(pulse.progress().seconds_per_query(), 4);
}

TEST(Pulse, AProblemIsShortAndPlainText) {
  Pulse pulse({}, 60);
  pulse.set_problem("bad\xff\n" + std::string(1000, 'x'));
  EXPECT_THAT(pulse.progress().problem(), testing::StartsWith("bad??xxx"));
  EXPECT_EQ(pulse.progress().problem().size(), 200U);
}

TEST(Heartbeat, OneBeatCarriesAllSessionsOfALink) {
  Fleet fleet(test_definition(), 0.4);
  const auto link = fleet.link();
  SessionOptions first = fleet.session(0);
  SessionOptions second = fleet.session(1);
  first.link = second.link = link;
  AgentSession a(first);
  {
    const AgentSession b(second);
    EXPECT_TRUE(eventually([&] { return fleet.relay().last_beat().progress_size() == 2; }));
  }
  EXPECT_TRUE(eventually([&] { return fleet.relay().last_beat().progress_size() == 1; }));
  EXPECT_TRUE(fleet.step(a));
  const Query query = a.next().value();
  // optuna #4234: heartbeats continue while the objective is busy.
  EXPECT_TRUE(eventually([&] {
    const v1::BeatRequest beat = fleet.relay().last_beat();
    return beat.progress_size() == 1 && beat.progress(0).answered() == 1 &&
           beat.progress(0).query_seconds() > 0.5;
  }));
  a.report(query, 1);
}

// With this lease no beat is due during the test.
TEST(Heartbeat, NewsDoesNotWaitForTheNextBeat) {
  Fleet fleet(test_definition(), 36'000);
  const auto told = [&](std::uint32_t epoch, std::uint32_t answered) {
    return eventually([&] {
      const v1::BeatRequest beat = fleet.relay().last_beat();
      return beat.progress_size() > 0 && beat.progress(0).agent() == 0 &&
             beat.progress(0).epoch() == epoch && beat.progress(0).answered() == answered &&
             (answered == 0 || beat.progress(0).seconds_per_query() > 0);
    });
  };
  AgentSession session(fleet.session(0));
  EXPECT_TRUE(told(1, 0));
  EXPECT_TRUE(fleet.step(session));
  EXPECT_TRUE(told(1, 1)) << "the first answer";
  EXPECT_TRUE(fleet.step(session));
  EXPECT_TRUE(eventually([&] { return session.deliver(); }));
  EXPECT_TRUE(told(1, 2)) << "an upload";
  for (const std::uint32_t agent : {1U, 2U}) {
    AgentSession other(fleet.session(agent));
    EXPECT_TRUE(fleet.step(other));
    EXPECT_TRUE(fleet.step(other));
    EXPECT_TRUE(eventually([&] { return other.deliver(); }));
  }
  EXPECT_EQ(session.next()->epoch, 2U);
  EXPECT_TRUE(told(2, 0)) << "an epoch";
}

TEST(Heartbeat, ALostBeatExcludesNoAgent) {
  Fleet fleet(test_definition(), 0.2);
  fleet.relay().set_fate(
      [](const std::string& call) { return call == "Beat" ? Fate::kLost : Fate::kPass; });
  AgentSession session(fleet.session(0));
  EXPECT_TRUE(eventually([&] {
    return fleet.server().status("study").agent_status(0).presence() == v1::PRESENCE_LOST;
  }));
  EXPECT_TRUE(fleet.step(session));
  EXPECT_TRUE(fleet.step(session));
  EXPECT_TRUE(eventually([&] { return session.deliver(); }));
}

}  // namespace
}  // namespace duets::service
