#include "duets/cli/status_text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "duets/base/error.h"
#include "duets/cli/agent_numbers.h"
#include "duets/cli/serve_watch.h"
#include "duets/cli/status_events.h"

namespace duets::cli {
namespace {

using service::Presence;
using service::StudyState;
using service::StudyStatus;
using PlainJson = nlohmann::json;

StudyStatus running() {
  StudyStatus status;
  status.name = "fleet";
  status.agents = 4;
  status.horizon = 12;
  status.epoch = 2;
  status.num_epochs = 3;
  status.epoch_length = 4;
  status.epoch_seconds = 30;
  status.waiting_for = {1, 3};
  status.coordinate_names = {"x", "color", "layers"};
  for (std::uint32_t a = 0; a < 4; ++a) {
    service::AgentStatus agent;
    agent.agent = a;
    status.agent_status.push_back(agent);
  }
  status.agent_status[0].presence = Presence::kLive;
  status.agent_status[0].host = "lab, one";
  status.agent_status[0].answered = 3;
  status.agent_status[0].seconds_per_query = 1.5;
  status.agent_status[0].token = 1;
  status.agent_status[2].uploaded = true;
  service::EpochStatus epoch;
  epoch.epoch = 1;
  epoch.length = 2;
  epoch.participants = 3;
  epoch.holes = 2;
  epoch.excluded = {3};
  epoch.why = "deadline";
  status.epochs.push_back(epoch);
  return status;
}

std::shared_ptr<const domain::Domain> domain_of_color() {
  domain::Parameter x{.name = "x"};
  domain::Parameter color{.name = "color", .type = domain::ParameterType::kCategorical};
  color.choices = {"red", "green"};
  domain::Parameter layers{.name = "layers", .type = domain::ParameterType::kInt, .high = 1e7};
  return std::make_shared<const domain::Domain>(domain::Domain::box({x, color, layers}));
}

StudyView found() {
  StudyView view{running(), domain_of_color()};
  view.status.recommendation = service::Found{{0.25, 1, 4}, 1.5, 1, 2};
  view.status.best_trial = service::Found{{0.75, 0, 1234567}, 3.5, 0, 0, 2, 1, 1};
  return view;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(AgentNumbersTest, RangesAreRead) {
  EXPECT_EQ(parse_agent_range("0-99", "--agents"), std::pair(0U, 99U));
  EXPECT_EQ(parse_agent_range("7", "--agents"), std::pair(7U, 7U));
}

TEST(AgentNumbersTest, WhatIsNoRangeIsRefused) {
  for (const char* text :
       {"", "-", "3-", "-3", "5-3", "a-b", "1-2-3", "0x1-2", "1 - 2", "0-10000", "0-4294967296"}) {
    try {
      parse_agent_range(text, "--agents");
      ADD_FAILURE() << text;
    } catch (const base::Error& error) {
      EXPECT_EQ(error.kind(), base::ErrorKind::kInvalid);
      EXPECT_TRUE(has(error.what(), "--agents = "));
    }
  }
}

TEST(AgentNumbersTest, ListsAreShort) {
  EXPECT_EQ(agents_text({3}), "agent 3");
  EXPECT_EQ(agents_text({0, 1, 2, 7}), "agents 0-2, 7");
  std::vector<std::uint32_t> even;
  for (std::uint32_t a = 0; a < 40; a += 2) even.push_back(a);
  EXPECT_TRUE(has(agents_text(even), "22 and 8 more")) << agents_text(even);
}

TEST(StatusEventsTest, TheFirstLookTellsHowItStands) {
  EXPECT_EQ(changes(nullptr, running()),
            std::vector<std::string>{"epoch 2 of 3 is open: 4 queries an agent"});
}

TEST(StatusEventsTest, NothingNewIsNoLine) {
  StudyStatus later = running();
  later.epoch_seconds += 5;
  later.agent_status[0].answered = 4;
  const StudyStatus before = running();
  EXPECT_TRUE(changes(&before, later).empty());
}

TEST(StatusEventsTest, AgentsWithTheSameNewsShareALine) {
  const StudyStatus before = running();
  StudyStatus now = running();
  for (const std::size_t a : {1U, 2U, 3U}) {
    now.agent_status[a].presence = Presence::kLive;
    now.agent_status[a].host = "b";
    now.agent_status[a].token = 1;
  }
  EXPECT_EQ(changes(&before, now), std::vector<std::string>{"agents 1-3 joined from b"});
}

TEST(StatusEventsTest, LostLeftBackAndTakenOver) {
  const StudyStatus before = running();
  StudyStatus now = running();
  now.agent_status[0].presence = Presence::kLost;
  EXPECT_TRUE(has(changes(&before, now).at(0), "agent 0 lost"));
  now.agent_status[0].presence = Presence::kLeft;
  EXPECT_EQ(changes(&before, now).at(0), "agent 0 left");
  EXPECT_EQ(changes(&now, before).at(0), "agent 0 back from lab, one");
  now = running();
  now.agent_status[0].token = 2;
  now.agent_status[0].host = "c";
  EXPECT_EQ(changes(&before, now).at(0), "agent 0 taken over by c");
}

TEST(StatusEventsTest, AnEpochThatClosesNamesWhoIsExcluded) {
  StudyStatus before = running();
  before.epoch = 1;
  before.epochs.clear();
  const auto lines = changes(&before, running());
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_TRUE(has(lines[0], "epoch 1 closed (deadline): 3 of 4 agents, without agent 3; 2 holes"))
      << lines[0];
  EXPECT_TRUE(has(lines[1], "epoch 2 of 3 is open"));
}

TEST(StatusEventsTest, TheEndAndProblemsAreTold) {
  const StudyStatus before = running();
  StudyStatus now = running();
  now.problem = "no space left";
  EXPECT_EQ(changes(&before, now).at(0), "problem: no space left");
  EXPECT_EQ(changes(&now, before).at(0), "the problem is over");
  now.state = StudyState::kFailed;
  EXPECT_EQ(changes(&before, now), std::vector<std::string>{"failed: no space left"});
  EXPECT_TRUE(is_over(now));
  EXPECT_FALSE(is_over(before));
}

TEST(ServeTest, UploadedOrLiveAgentsAreWithinReach) {
  StudyStatus status = running();
  Reach reach = reach_of(status);
  EXPECT_EQ(reach.agents, 2U);
  EXPECT_EQ(reach.needed, 4U);
  EXPECT_FALSE(reach.enough());
  status.quorum = 2;
  EXPECT_TRUE(reach_of(status).enough());
}

TEST(StatusTextTest, TheTableSaysWhoIsWaitedFor) {
  const std::string text = status_table({running(), nullptr});
  EXPECT_TRUE(has(text, "waiting for agents 1, 3 in epoch 2")) << text;
  EXPECT_TRUE(has(text, "4 agents x 12 = 48"));
  EXPECT_TRUE(has(text, "without agent 3"));
  EXPECT_TRUE(has(text, "3/4"));
  EXPECT_TRUE(has(text, "none yet"));
  EXPECT_EQ(text.back(), '\n');
}

StudyView ended(StudyState state) {
  StudyView view{running(), nullptr};
  view.status.state = state;
  view.status.waiting_for.clear();
  view.status.epochs[0].excluded.clear();
  view.status.agent_status[1].presence = Presence::kLost;
  view.status.agent_status[2].presence = Presence::kLeft;
  return view;
}

TEST(StatusTextTest, AFinishedStudyExpectsNothingMore) {
  StudyView view = ended(StudyState::kFinished);
  std::string text = status_table(view);
  EXPECT_TRUE(has(text, "none: every query failed")) << text;
  EXPECT_FALSE(has(text, "none yet")) << text;
  EXPECT_TRUE(has(text, "2 queries without an answer")) << text;
  for (const char* word : {"answered", "uploaded", "live", "lost", "left"}) {
    EXPECT_FALSE(has(text, word)) << word << "\n" << text;
  }
  EXPECT_TRUE(has(text, "done")) << text;
  EXPECT_TRUE(has(text, "never seen")) << "who never came is not done";
  view.status.epochs[0].excluded = {3};
  text = status_table(view);
  EXPECT_TRUE(has(text, "none: no agent told one")) << text;
}

TEST(StatusTextTest, AStoppedStudyStillSaysWhoIsThere) {
  const std::string text = status_table(ended(StudyState::kStopped));
  EXPECT_TRUE(has(text, "lost") && has(text, "live")) << text;
  EXPECT_TRUE(has(text, "ended before agents told")) << text;
}

TEST(StatusTextTest, WhoHasUploadedHasAnsweredAll) {
  const StudyView view{running(), nullptr};
  EXPECT_TRUE(has(status_table(view), "4/4")) << status_table(view);
  const PlainJson json = PlainJson::parse(statuses_text({view}, Format::kJson));
  EXPECT_EQ(json["agent_status"][2]["answered"], 4);
  EXPECT_EQ(json["agent_status"][0]["answered"], 3);
}

TEST(StatusTextTest, DigestsThatAreNotThereYetAreNotZeros) {
  StudyView view{running(), nullptr};
  EXPECT_TRUE(has(status_table(view), "run digest      -\n")) << status_table(view);
  view.status.run_digest.low = 0xab;
  EXPECT_TRUE(has(status_table(view), "run digest      ab0")) << status_table(view);
}

TEST(StatusTextTest, TheGuaranteeFitsATerminal) {
  StudyView view = found();
  view.status.guarantee =
      "None: an agent was excluded or a query failed, and failing may depend on the reward. More.";
  for (const std::string& text : {status_table(view), best_text(view, Format::kTable)}) {
    EXPECT_TRUE(has(text, "  None: an agent was excluded")) << text;
    EXPECT_TRUE(has(text, " depend on the reward\n")) << text;
    EXPECT_FALSE(has(text, "More")) << text;
    std::istringstream lines(text.substr(text.find("guarantee")));
    std::string line;
    for (int i = 0; i < 2 && std::getline(lines, line); ++i) EXPECT_LE(line.size(), 80U) << line;
  }
  EXPECT_TRUE(has(best_text(view, Format::kJson), "reward. More."));
}

TEST(StatusTextTest, OneIsNotMany) {
  StudyView view{running(), nullptr};
  view.status.agents = 1;
  EXPECT_TRUE(has(status_table(view), "1 agent x 12 = 12")) << status_table(view);
  EXPECT_TRUE(has(list_text({view.status}, Format::kTable), "1 agent x 12 queries"));
}

TEST(StatusTextTest, TheDeadlineCountsDown) {
  StudyView view{running(), nullptr};
  view.status.quorum = 3;
  EXPECT_FALSE(has(status_table(view), "deadline  "));
  view.status.deadline_seconds = 75;
  EXPECT_TRUE(has(status_table(view), "in 45 s, with at least 3 of 4 agents"));
  view.status.epoch_seconds = 80;
  EXPECT_TRUE(has(status_table(view), "over: closes with 3 of 4 agents"));
}

TEST(StatusTextTest, TheTableSaysHowFarItIsAndWhatAgentsDo) {
  StudyView view{running(), nullptr};
  view.status.agent_status[3].retired = true;
  view.status.waiting_for = {1};
  std::string text = status_table(view);
  EXPECT_TRUE(has(text, "epoch 2 of 3, 36 % of all queries")) << text;
  EXPECT_TRUE(has(text, "1 measuring, 1 never seen, 1 delivered, 1 retired")) << text;
  EXPECT_TRUE(has(text, "waiting for agent 1 in epoch 2")) << text;
  view.status.agent_status[1].presence = Presence::kLive;
  text = status_table(view);
  EXPECT_FALSE(has(text, "waiting")) << "two measure\n" << text;
  EXPECT_TRUE(has(text, "about 15 s left")) << "4 queries now, 6 later\n" << text;
  const PlainJson json = PlainJson::parse(statuses_text({view}, Format::kJson));
  EXPECT_NEAR(json["progress"], (2 + 7 / 3.0) / 12, 1e-12);
  EXPECT_EQ(json["seconds_left"], 15.0);
  EXPECT_EQ(json["holding_up"], PlainJson::array());
  EXPECT_EQ(json["waiting_for"], PlainJson({1}));
  EXPECT_EQ(json["agent_status"][0]["state"], "measuring");
  EXPECT_EQ(json["agent_status"][3]["state"], "retired");
  EXPECT_EQ(json["agent_status"][3]["retired"], true);
  EXPECT_TRUE(has(statuses_text({view}, Format::kCsv), ",measuring\n"));
}

TEST(StatusTextTest, TheTableSaysWhenEpochsClose) {
  StudyView view{running(), nullptr};
  view.status.quorum = 4;
  EXPECT_TRUE(has(status_table(view), "with all 4 agents\n")) << status_table(view);
  view.status.quorum = 3;
  EXPECT_TRUE(has(status_table(view), "the quorum of 3 counts once there is a deadline"));
  EXPECT_EQ(PlainJson::parse(statuses_text({view}, Format::kJson))["deadline"], nullptr);
  view.status.deadline = 2.5;
  EXPECT_TRUE(has(status_table(view), "with all 4 agents, or with 3 after 2.5 x the time"));
  EXPECT_EQ(PlainJson::parse(statuses_text({view}, Format::kJson))["deadline"], 2.5);
  view.status.agent_status[0].retired = true;
  EXPECT_TRUE(has(status_table(view), "with all 3 agents\n")) << status_table(view);
}

TEST(StatusEventsTest, ARetiredAgentIsNewsOnce) {
  const StudyStatus before = running();
  StudyStatus now = running();
  now.agent_status[1].retired = true;
  EXPECT_EQ(changes(&before, now), std::vector<std::string>{"agent 1 retired by an operator"});
  EXPECT_TRUE(changes(&now, now).empty());
}

TEST(ServeTest, ARetiredAgentIsNotWithinReach) {
  StudyStatus status = running();
  status.quorum = 2;
  status.agent_status[2].retired = true;
  EXPECT_EQ(reach_of(status).agents, 1U);
}

TEST(StatusTextTest, RecommendationAndBestTrialAreTwoThings) {
  for (const Format format : {Format::kTable, Format::kJson, Format::kCsv}) {
    const std::string text = best_text(found(), format);
    EXPECT_TRUE(has(text, "recommendation")) << text;
    EXPECT_TRUE(has(text, format == Format::kTable ? "best trial" : "best_trial")) << text;
    EXPECT_TRUE(has(text, "green") && has(text, "red")) << text;
  }
  const PlainJson json = PlainJson::parse(best_text(found(), Format::kJson));
  EXPECT_EQ(json["recommendation"]["params"]["color"], "green");
  EXPECT_EQ(json["recommendation"]["mean"], 1.5);
  EXPECT_EQ(json["best_trial"]["value"], 3.5);
  EXPECT_FALSE(json.contains("best"));
  EXPECT_EQ(best_text(found(), Format::kCsv),
            "kind,value,low,high,agent,epoch,slot,x,color,layers\n"
            "recommendation,1.5,1,2,,,,0.25,green,4\n"
            "best_trial,3.5,,,2,1,1,0.75,red,1234567\n");
}

TEST(StatusTextTest, IntsAreInts) {
  for (const std::string& text :
       {best_text(found(), Format::kJson), statuses_text({found()}, Format::kJson)}) {
    const PlainJson json = PlainJson::parse(text);
    EXPECT_EQ(json["recommendation"]["params"]["layers"].dump(), "4");
    EXPECT_EQ(json["best_trial"]["params"]["layers"].dump(), "1234567");
  }
  EXPECT_TRUE(has(best_text(found(), Format::kTable), "layers = 1234567"));
}

TEST(StatusTextTest, OneStudyIsAnObjectSeveralAreAList) {
  const StudyView view{running(), nullptr};
  EXPECT_EQ(PlainJson::parse(statuses_text({view}, Format::kJson))["waiting_for"],
            PlainJson({1, 3}));
  EXPECT_EQ(PlainJson::parse(statuses_text({view, view}, Format::kJson)).size(), 2U);
  EXPECT_EQ(PlainJson::parse(statuses_text({}, Format::kJson)), PlainJson::array());
}

TEST(StatusTextTest, CsvHasARowAnAgentAndQuotesHosts) {
  const std::string text = statuses_text({{running(), nullptr}}, Format::kCsv);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 5);
  EXPECT_TRUE(has(text, "fleet,running,2,4,0,live,\"lab, one\",3,"));
}

TEST(StatusTextTest, AHostThatIsNoTextDoesNotBreakJson) {
  StudyView view{running(), nullptr};
  view.status.agent_status[0].host = "\xff\xfe";
  EXPECT_NO_THROW(PlainJson::parse(statuses_text({view}, Format::kJson)));
}

TEST(StatusTextTest, ListsAndSizes) {
  EXPECT_TRUE(has(list_text({running()}, Format::kTable), "epoch 2 of 3"));
  EXPECT_EQ(list_text({running()}, Format::kCsv),
            "study,state,epoch,epochs,agents,horizon\nfleet,running,2,3,4,12\n");
  EXPECT_EQ(PlainJson::parse(list_text({running()}, Format::kJson)).at(0)["study"], "fleet");
  EXPECT_EQ(bytes_text(999), "999 B");
  EXPECT_EQ(bytes_text(12345), "12.3 kB");
}

}  // namespace
}  // namespace duets::cli
