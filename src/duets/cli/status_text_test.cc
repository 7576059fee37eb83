#include "duets/cli/status_text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "duets/base/error.h"
#include "duets/cli/agent_numbers.h"
#include "duets/cli/serve_watch.h"
#include "duets/cli/status_events.h"
#include "duets/service/study_status.h"
#include "duets/v1/duets.pb.h"

namespace duets::cli {
namespace {

using PlainJson = nlohmann::json;

v1::AgentStatus& agent(v1::StudyStatus& status, int a) { return *status.mutable_agent_status(a); }

v1::StudyStatus derived(v1::StudyStatus status) {
  service::derive(status);
  return status;
}

v1::StudyStatus running() {
  v1::StudyStatus status;
  status.set_study("fleet");
  status.set_state(v1::STUDY_STATE_RUNNING);
  status.set_served(true);
  status.set_agents(4);
  status.set_horizon(12);
  status.set_epoch(2);
  status.set_epochs(3);
  status.set_epoch_length(4);
  status.set_epoch_seconds(30);
  status.add_waiting_for(1);
  status.add_waiting_for(3);
  for (std::uint32_t a = 0; a < 4; ++a) status.add_agent_status()->set_agent(a);
  agent(status, 0).set_presence(v1::PRESENCE_LIVE);
  agent(status, 0).set_host("lab, one");
  agent(status, 0).set_answered(3);
  agent(status, 0).set_seconds_per_query(1.5);
  agent(status, 0).set_token(1);
  agent(status, 2).set_uploaded(true);
  v1::EpochStatus& epoch = *status.add_closed_epochs();
  epoch.set_epoch(1);
  epoch.set_length(2);
  epoch.set_participants(3);
  epoch.set_holes(2);
  epoch.add_excluded(3);
  epoch.set_why("deadline");
  return derived(status);
}

template <typename Found>
void add_params(Found& found, double x, const char* color, std::int64_t layers) {
  for (const char* name : {"x", "color", "layers"}) found.add_params()->set_name(name);
  found.mutable_params(0)->set_number(x);
  found.mutable_params(1)->set_choice(color);
  found.mutable_params(2)->set_integer(layers);
}

v1::StudyStatus found() {
  v1::StudyStatus status = running();
  v1::Recommendation& recommendation = *status.mutable_recommendation();
  add_params(recommendation, 0.25, "green", 4);
  recommendation.set_mean(1.5);
  recommendation.set_low(1);
  recommendation.set_high(2);
  recommendation.set_interval_meaning("two deviations");
  recommendation.mutable_missed()->set_better_by(0.5);
  recommendation.mutable_missed()->set_chance(0.25);
  recommendation.mutable_missed()->set_expected(0.125);
  v1::BestTrial& best = *status.mutable_best_trial();
  add_params(best, 0.75, "red", 1234567);
  best.set_value(3.5);
  best.set_agent(2);
  best.set_epoch(1);
  best.set_slot(1);
  return status;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(AgentNumbersTest, RangesAreRead) {
  EXPECT_EQ(parse_agent_range("0-99", "--agents"), std::pair(0U, 99U));
  EXPECT_EQ(parse_agent_range("7", "--agents"), std::pair(7U, 7U));
}

TEST(AgentNumbersTest, InvalidRangesAreRefused) {
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

TEST(StatusEventsTest, TheFirstLineIsTheState) {
  EXPECT_EQ(changes(nullptr, running()),
            std::vector<std::string>{"epoch 2 of 3 is open: 4 queries per agent"});
}

TEST(StatusEventsTest, NoChangeIsNoLine) {
  v1::StudyStatus later = running();
  later.set_epoch_seconds(35);
  agent(later, 0).set_answered(4);
  const v1::StudyStatus before = running();
  EXPECT_TRUE(changes(&before, later).empty());
}

TEST(StatusEventsTest, AgentsWithTheSameNewsShareALine) {
  const v1::StudyStatus before = running();
  v1::StudyStatus now = running();
  for (const int a : {1, 2, 3}) {
    agent(now, a).set_presence(v1::PRESENCE_LIVE);
    agent(now, a).set_host("b");
    agent(now, a).set_token(1);
  }
  EXPECT_EQ(changes(&before, now), std::vector<std::string>{"agents 1-3 joined from b"});
}

TEST(StatusEventsTest, LostLeftBackAndTakenOver) {
  const v1::StudyStatus before = running();
  v1::StudyStatus now = running();
  agent(now, 0).set_presence(v1::PRESENCE_LOST);
  EXPECT_TRUE(has(changes(&before, now).at(0), "agent 0 lost"));
  agent(now, 0).set_presence(v1::PRESENCE_LEFT);
  EXPECT_EQ(changes(&before, now).at(0), "agent 0 left");
  EXPECT_EQ(changes(&now, before).at(0), "agent 0 back from lab, one");
  now = running();
  agent(now, 0).set_token(2);
  agent(now, 0).set_host("c");
  EXPECT_EQ(changes(&before, now).at(0), "agent 0 taken over by c");
}

TEST(StatusEventsTest, AClosedEpochNamesExcludedAgents) {
  v1::StudyStatus before = running();
  before.set_epoch(1);
  before.clear_closed_epochs();
  const auto lines = changes(&before, running());
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_TRUE(has(lines[0], "epoch 1 closed (deadline): 3 of 4 agents, without agent 3; 2 holes"))
      << lines[0];
  EXPECT_TRUE(has(lines[1], "epoch 2 of 3 is open"));
}

TEST(StatusEventsTest, TheEndAndProblemsAreShown) {
  const v1::StudyStatus before = running();
  v1::StudyStatus now = running();
  now.set_problem("no space left");
  EXPECT_EQ(changes(&before, now).at(0), "problem: no space left");
  EXPECT_EQ(changes(&now, before).at(0), "the problem is solved");
  now.set_state(v1::STUDY_STATE_FAILED);
  EXPECT_EQ(changes(&before, now), std::vector<std::string>{"failed: no space left"});
  EXPECT_TRUE(is_over(now));
  EXPECT_FALSE(is_over(before));
}

TEST(ServeTest, UploadedOrLiveAgentsAreWithinReach) {
  v1::StudyStatus status = running();
  Reach reach = reach_of(status);
  EXPECT_EQ(reach.agents, 2U);
  EXPECT_EQ(reach.needed, 4U);
  EXPECT_FALSE(reach.enough());
  status.set_quorum(2);
  EXPECT_TRUE(reach_of(status).enough());
}

TEST(StatusTextTest, TheTableNamesMissingAgents) {
  const std::string text = status_table(running());
  EXPECT_TRUE(has(text, "waiting for agents 1, 3 in epoch 2")) << text;
  EXPECT_TRUE(has(text, "4 agents x 12 = 48"));
  EXPECT_TRUE(has(text, "without agent 3"));
  EXPECT_TRUE(has(text, "3/4"));
  EXPECT_TRUE(has(text, "none yet"));
  EXPECT_EQ(text.back(), '\n');
}

v1::StudyStatus ended(v1::StudyState state) {
  v1::StudyStatus status = running();
  status.set_state(state);
  status.clear_waiting_for();
  status.mutable_closed_epochs(0)->clear_excluded();
  agent(status, 1).set_presence(v1::PRESENCE_LOST);
  agent(status, 2).set_presence(v1::PRESENCE_LEFT);
  return derived(status);
}

// Without the three texts an operator could not tell a coordinator that gave up from one that was
// killed, and would not look at the agents.
TEST(StatusTextTest, AStudyThatNobodyServesShowsHowThatEnded) {
  v1::StudyStatus status = running();
  const auto told = [&](const std::string& part) {
    EXPECT_TRUE(has(status_table(status), part + "; continue with 'duets serve'\n"))
        << status_table(status);
    EXPECT_TRUE(has(list_text({status}, Format::kTable), ", not being served: " + part));
  };
  EXPECT_FALSE(has(status_table(status), "not being served"));
  EXPECT_EQ(PlainJson::parse(list_text({status}, Format::kJson)).at(0).at("not_served"), nullptr);
  status.set_served(false);
  told("no coordinator runs on this storage");
  status.mutable_ended()->set_how("not recorded");
  told("its coordinator recorded no end: probably killed or crashed");
  status.mutable_ended()->set_how("stopped by SIGINT");
  status.mutable_ended()->set_seconds_ago(185);
  told("stopped by SIGINT 3 min 05 s ago");
  status.mutable_ended()->set_how("gave up");
  status.mutable_ended()->set_why("only 0 of the 3 agents could be reached");
  told("gave up 3 min 05 s ago: only 0 of the 3 agents could be reached");
  EXPECT_EQ(PlainJson::parse(list_text({status}, Format::kJson)).at(0).at("not_served"),
            "gave up 3 min 05 s ago: only 0 of the 3 agents could be reached");
}

// It has no coordinator to start, and its agents never join.
TEST(StatusTextTest, ALocalRunHasNoAgentsToWaitFor) {
  v1::StudyStatus status = running();
  status.set_local(true);
  std::string text = status_table(status);
  EXPECT_TRUE(has(text, "progress")) << text;
  for (const char* word : {"stopped", "never seen", "held up", "epochs close", "heard ago"}) {
    EXPECT_FALSE(has(text, word)) << word << "\n" << text;
  }
  status.set_served(false);
  text = status_table(status);
  EXPECT_TRUE(has(text, "repeat the 'duets run', 'duets tune' or Python call")) << text;
  EXPECT_FALSE(has(text, "duets serve")) << text;
  EXPECT_TRUE(has(list_text({status}, Format::kTable), "stopped")) << text;
}

TEST(StatusTextTest, AFinishedStudyIsNotWaiting) {
  v1::StudyStatus status = ended(v1::STUDY_STATE_FINISHED);
  std::string text = status_table(status);
  EXPECT_TRUE(has(text, "none: every query failed")) << text;
  EXPECT_FALSE(has(text, "none yet")) << text;
  EXPECT_TRUE(has(text, "2 queries without an answer")) << text;
  for (const char* word : {"answered", "uploaded", "live", "lost", "left"}) {
    EXPECT_FALSE(has(text, word)) << word << "\n" << text;
  }
  EXPECT_TRUE(has(text, "done")) << text;
  EXPECT_TRUE(has(text, "never seen")) << "an agent that never joined is not done";
  status.mutable_closed_epochs(0)->add_excluded(3);
  text = status_table(status);
  EXPECT_TRUE(has(text, "none: no agent reported one")) << text;
}

TEST(StatusTextTest, AStoppedStudyStillShowsItsAgents) {
  const std::string text = status_table(ended(v1::STUDY_STATE_STOPPED));
  EXPECT_TRUE(has(text, "lost") && has(text, "live")) << text;
  EXPECT_TRUE(has(text, "ended before agents reported")) << text;
}

TEST(StatusTextTest, AnAgentThatHasUploadedHasAnsweredAll) {
  const v1::StudyStatus status = running();
  EXPECT_TRUE(has(status_table(status), "4/4")) << status_table(status);
  const PlainJson json = PlainJson::parse(statuses_text({status}, Format::kJson));
  EXPECT_EQ(json["agent_status"][2]["answered"], 4);
  EXPECT_EQ(json["agent_status"][0]["answered"], 3);
}

TEST(StatusTextTest, UnknownDigestsAreNotZeros) {
  v1::StudyStatus status = running();
  EXPECT_TRUE(has(status_table(status), "run digest      -\n")) << status_table(status);
  status.mutable_run_digest()->set_low(0xab);
  EXPECT_TRUE(has(status_table(status), "run digest      ab0")) << status_table(status);
}

TEST(StatusTextTest, TheGuaranteeFitsATerminal) {
  v1::StudyStatus status = found();
  status.set_guarantee(
      "None: an agent was excluded or a query failed, and failing may depend on the reward. More.");
  for (const std::string& text : {status_table(status), best_text(status, Format::kTable)}) {
    EXPECT_TRUE(has(text, "  None: an agent was excluded")) << text;
    EXPECT_TRUE(has(text, " depend on the reward\n")) << text;
    EXPECT_FALSE(has(text, "More")) << text;
    std::istringstream lines(text.substr(text.find("guarantee")));
    std::string line;
    for (int i = 0; i < 2 && std::getline(lines, line); ++i) EXPECT_LE(line.size(), 80U) << line;
  }
  EXPECT_TRUE(has(best_text(status, Format::kJson), "reward. More."));
}

TEST(StatusTextTest, CountsUseTheSingular) {
  v1::StudyStatus status = running();
  status.set_agents(1);
  EXPECT_TRUE(has(status_table(status), "1 agent x 12 = 12")) << status_table(status);
  EXPECT_TRUE(has(list_text({status}, Format::kTable), "1 agent x 12 = 12"));
}

TEST(StatusTextTest, TheDeadlineCountsDown) {
  v1::StudyStatus status = running();
  status.set_quorum(3);
  EXPECT_FALSE(has(status_table(status), "deadline  "));
  status.set_deadline_seconds(75);
  EXPECT_TRUE(has(status_table(status), "in 45 s, with at least 3 of 4 agents"));
  status.set_epoch_seconds(80);
  EXPECT_TRUE(has(status_table(status), "over: closes with 3 of 4 agents"));
}

TEST(StatusTextTest, TheTableShowsProgressAndAgentStates) {
  v1::StudyStatus status = running();
  agent(status, 3).set_retired(true);
  status.clear_waiting_for();
  status.add_waiting_for(1);
  std::string text = status_table(derived(status));
  EXPECT_TRUE(has(text, "epoch 2 of 3, 36 % of all queries")) << text;
  EXPECT_TRUE(has(text, "1 measuring, 1 never seen, 1 delivered, 1 retired")) << text;
  EXPECT_TRUE(has(text, "waiting for agent 1 in epoch 2")) << text;
  agent(status, 1).set_presence(v1::PRESENCE_LIVE);
  text = status_table(derived(status));
  EXPECT_FALSE(has(text, "waiting")) << "two are measuring\n" << text;
  EXPECT_TRUE(has(text, "about 15 s left")) << "4 queries now, 6 later\n" << text;
  const PlainJson json = PlainJson::parse(statuses_text({derived(status)}, Format::kJson));
  EXPECT_NEAR(json["progress"], (2 + 7 / 3.0) / 12, 1e-12);
  EXPECT_EQ(json["seconds_left"], 15.0);
  EXPECT_EQ(json["holding_up"], PlainJson::array());
  EXPECT_EQ(json["waiting_for"], PlainJson({1}));
  EXPECT_EQ(json["agent_status"][0]["state"], "measuring");
  EXPECT_EQ(json["agent_status"][3]["state"], "retired");
  EXPECT_EQ(json["agent_status"][3]["retired"], true);
  EXPECT_TRUE(has(statuses_text({derived(status)}, Format::kCsv), ",measuring,false\n"));
}

TEST(StatusTextTest, TheTableShowsWhenEpochsClose) {
  v1::StudyStatus status = running();
  status.set_quorum(4);
  EXPECT_TRUE(has(status_table(status), "with all 4 agents\n")) << status_table(status);
  status.set_quorum(3);
  EXPECT_TRUE(has(status_table(status), "the quorum of 3 needs a deadline to take effect"));
  EXPECT_EQ(PlainJson::parse(statuses_text({status}, Format::kJson))["deadline"], nullptr);
  status.set_deadline(2.5);
  EXPECT_TRUE(
      has(status_table(status), "with all 4 agents, or with 3 after 2.5 x the expected time"));
  EXPECT_EQ(PlainJson::parse(statuses_text({status}, Format::kJson))["deadline"], 2.5);
  agent(status, 0).set_retired(true);
  EXPECT_TRUE(has(status_table(status), "with all 3 agents\n")) << status_table(status);
}

TEST(StatusEventsTest, ARetiredAgentIsReportedOnce) {
  const v1::StudyStatus before = running();
  v1::StudyStatus now = running();
  agent(now, 1).set_retired(true);
  EXPECT_EQ(changes(&before, now), std::vector<std::string>{"agent 1 retired by an operator"});
  EXPECT_TRUE(changes(&now, now).empty());
}

TEST(ServeTest, ARetiredAgentIsNotWithinReach) {
  v1::StudyStatus status = running();
  status.set_quorum(2);
  agent(status, 2).set_retired(true);
  EXPECT_EQ(reach_of(status).agents, 1U);
}

TEST(StatusTextTest, RecommendationAndBestTrialAreSeparate) {
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

TEST(StatusTextTest, SaysWhatTheIntervalIsAndWhatMayHaveBeenMissed) {
  const std::string text = best_text(found(), Format::kTable);
  EXPECT_TRUE(has(text, "1.5, interval [1, 2]\n")) << text;
  EXPECT_TRUE(has(text, "interval is     two deviations\n")) << text;
  EXPECT_TRUE(has(text, "25 % chance of a point better by more than 0.5; expected gain 0.125\n"))
      << text;
  const PlainJson json = PlainJson::parse(best_text(found(), Format::kJson))["recommendation"];
  EXPECT_EQ(json["interval_meaning"], "two deviations");
  EXPECT_EQ(json["missed"], (PlainJson{{"better_by", 0.5}, {"chance", 0.25}, {"expected", 0.125}}));
  v1::StudyStatus fixed = found();
  fixed.mutable_recommendation()->clear_missed();
  EXPECT_FALSE(has(best_text(fixed, Format::kTable), "missed"));
}

TEST(StatusTextTest, IntegersHaveNoFraction) {
  for (const std::string& text :
       {best_text(found(), Format::kJson), statuses_text({found()}, Format::kJson)}) {
    const PlainJson json = PlainJson::parse(text);
    EXPECT_EQ(json["recommendation"]["params"]["layers"].dump(), "4");
    EXPECT_EQ(json["best_trial"]["params"]["layers"].dump(), "1234567");
  }
  EXPECT_TRUE(has(best_text(found(), Format::kTable), "layers = 1234567"));
}

TEST(StatusTextTest, OneStudyIsAnObjectSeveralAreAList) {
  const v1::StudyStatus status = running();
  EXPECT_EQ(PlainJson::parse(statuses_text({status}, Format::kJson))["waiting_for"],
            PlainJson({1, 3}));
  EXPECT_EQ(PlainJson::parse(statuses_text({status, status}, Format::kJson)).size(), 2U);
  EXPECT_EQ(PlainJson::parse(statuses_text({}, Format::kJson)), PlainJson::array());
}

TEST(StatusTextTest, CsvHasARowPerAgentAndQuotesHosts) {
  const std::string text = statuses_text({running()}, Format::kCsv);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 5);
  EXPECT_TRUE(
      has(text, "fleet,running,2,4,0,live,\"lab, one\",0,false,3,0,1.5,0,1,0,,measuring,false\n"));
}

TEST(StatusTextTest, AgentsAreATable) {
  const std::string text = status_table(running());
  EXPECT_EQ(text.substr(text.find("\n\n") + 2),
            "agent  state       host      answered  holes  s/query  heard ago\n"
            "0      measuring   lab, one  3/4       0      1.5      0 s\n"
            "1      never seen            0/4       0\n"
            "2      delivered             4/4       0\n"
            "3      never seen            0/4       0\n");
}

TEST(StatusTextTest, WithoutResultsCsvIsAHead) {
  EXPECT_EQ(best_text(running(), Format::kCsv), "kind,value,low,high,agent,epoch,slot\n");
}

TEST(StatusTextTest, AHostThatIsNotUtf8DoesNotBreakJson) {
  v1::StudyStatus status = running();
  agent(status, 0).set_host("\xff\xfe");
  EXPECT_NO_THROW(PlainJson::parse(statuses_text({status}, Format::kJson)));
}

TEST(StatusTextTest, ListsAndSizes) {
  v1::StudyStatus status = running();
  EXPECT_EQ(list_text({status}, Format::kTable),
            "study  state    epoch   queries\n"
            "fleet  running  2 of 3  4 agents x 12 = 48\n");
  EXPECT_EQ(
      list_text({status}, Format::kCsv),
      "study,state,epoch,epochs,agents,horizon,problem,served,not_served,epoch_length,created\n"
      "fleet,running,2,3,4,12,,1,,4,0\n");
  const PlainJson json = PlainJson::parse(list_text({status}, Format::kJson)).at(0);
  EXPECT_EQ(json["study"], "fleet");
  EXPECT_EQ(json["served"], true);
  status.set_served(false);
  EXPECT_TRUE(has(list_text({status}, Format::kTable),
                  "  running, not being served: no coordinator runs on this storage  2 of 3"));
  EXPECT_EQ(bytes_text(999), "999 B");
  EXPECT_EQ(bytes_text(12345), "12.3 kB");
}

}  // namespace
}  // namespace duets::cli
