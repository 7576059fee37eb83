// A fleet whose study is extended after its end: every agent goes on from its journal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "duets/service/agent_session_test_support.h"
#include "duets/service/operators.h"

namespace duets::service {
namespace {

void extend_on_disk(Fleet& fleet, std::uint32_t horizon) {
  fleet.shut_down();
  stored_operators(fleet.storage(), std::make_shared<base::SerialExecutor>())
      ->extend("study", horizon);
  fleet.start();
}

bool is_finished(Fleet& fleet) {
  return eventually(
      [&] { return fleet.server().status("study").state() == v1::STUDY_STATE_FINISHED; });
}

TEST(AgentSessionExtension, AgentsLearnOfItAndGoOnFromTheirJournals) {
  for (const protocol::ClosingRule closing :
       {protocol::ClosingRule::kBest, protocol::ClosingRule::kProjection}) {
    for (const protocol::DataPolicy data :
         {protocol::DataPolicy::kEpoch, protocol::DataPolicy::kSurviving}) {
      protocol::Study study = protocol::small_study();
      study.closing = closing;
      study.data = data;
      Fleet fleet(test_definition(study));
      fleet.run_all();
      ASSERT_TRUE(is_finished(fleet));
      extend_on_disk(fleet, 14);
      fleet.server().create(test_definition(study), kTestSecret);  // the first file serves it, too
      fleet.run_all();
      ASSERT_TRUE(is_finished(fleet));
      extend_on_disk(fleet, 15);
      fleet.run_all();
      ASSERT_TRUE(is_finished(fleet));
      auto run = test_run(protocol::extended(protocol::extended(study, 14), 15));
      run.finish();
      const v1::StudyStatus status = fleet.server().status("study");
      EXPECT_EQ(from_wire(status.run_digest()), run.summary().run_digest());
      EXPECT_EQ(from_wire(status.state_digest()), run.summary().state_digest());
      EXPECT_EQ(fleet.num_answered(), 45U) << "none was asked twice";
    }
  }
}

TEST(AgentSessionExtension, AnAgentThatMissedTheEndGoesOn) {
  Fleet fleet;
  std::vector<std::unique_ptr<AgentSession>> all;
  for (std::uint32_t agent = 0; agent < 3; ++agent) {
    all.push_back(std::make_unique<AgentSession>(fleet.session(agent)));
  }
  for (int epoch = 1; epoch <= 3; ++epoch) {
    for (std::size_t a = 0; a < (epoch == 3 ? 2U : 3U); ++a) {
      for (const Query& query : all[a]->plan()) {
        fleet.answer(query);
        all[a]->report(query, wavy_value(query));
      }
      EXPECT_TRUE(all[a]->deliver());
    }
  }
  close_epoch(fleet.server(), 3);
  ASSERT_TRUE(is_finished(fleet));
  all.clear();
  extend_on_disk(fleet, 14);
  fleet.run_all();
  ASSERT_TRUE(is_finished(fleet));
  protocol::TestRun run = test_run(protocol::extended(protocol::small_study(), 14));
  run.run_epoch();
  run.run_epoch();
  run.run_epoch({2});
  run.finish();
  EXPECT_EQ(from_wire(fleet.server().status("study").state_digest()), run.summary().state_digest());
}

// The open epoch is the last, and the agent has the closing message of another one. This is how
// `duets plan`, `duets submit` and an agent that was interrupted begin.
TEST(AgentSessionExtension, AnAgentDoesNotDeliverTheEndOfAnEarlierStage) {
  const protocol::Study more = protocol::extended(protocol::small_study(), 10);
  ASSERT_EQ(protocol::stages(more).back().lengths.size(), 1U);
  Fleet fleet;
  fleet.run_all();
  ASSERT_TRUE(is_finished(fleet));
  extend_on_disk(fleet, 10);
  for (std::uint32_t agent = 0; agent < 3; ++agent) {
    AgentSession session(fleet.session(agent));
    EXPECT_FALSE(session.deliver()) << "its query is open";
    EXPECT_TRUE(fleet.step(session));
    EXPECT_TRUE(session.deliver());
  }
  ASSERT_TRUE(is_finished(fleet));
  protocol::TestRun run = test_run(more);
  run.finish();
  EXPECT_EQ(from_wire(fleet.server().status("study").state_digest()), run.summary().state_digest());
}

// A journal that is complete ends without a coordinator; one of an extended study does not.
TEST(AgentSessionExtension, AJournalIsNotCompleteAnyMore) {
  Fleet fleet;
  fleet.run_all();
  ASSERT_TRUE(is_finished(fleet));
  extend_on_disk(fleet, 14);
  { const AgentSession session(fleet.session(0)); }
  const auto files = find_journals(fleet.journals(), "study");
  ASSERT_EQ(files.size(), 3U);
  EXPECT_FALSE(AgentJournal::open(files[0])->is_complete());
  EXPECT_TRUE(AgentJournal::open(files[1])->is_complete()) << "it does not know yet";
}

}  // namespace
}  // namespace duets::service
