#include "duets/protocol/ensemble.h"

#include <gtest/gtest.h>

#include "duets/protocol/run_test_support.h"

namespace duets::protocol {
namespace {

const auto kEnsembleSecret = random::StudySecret::from_seed(5);

PlanAnswers wavy_answers(const Agent& agent) {
  const Plan& plan = agent.plan();
  PlanAnswers answers;
  for (std::uint32_t slot = 0; slot < plan.latents().rows(); ++slot) {
    answers.rewards.push_back(
        wavy_reward({plan.latents().row(slot).transpose(), base::value(agent.id()),
                     base::value(plan.epoch), slot}));
  }
  answers.notes = {static_cast<std::uint8_t>(base::value(plan.epoch)),
                   static_cast<std::uint8_t>(base::value(agent.id()))};
  return answers;
}

TEST(Ensemble, WhatAgentsShareDoesNotMatter) {
  for (const domain::Domain& domain :
       {domain::Domain::finite(lattice(40, 2)), domain::Domain::box(2)}) {
    const auto study = share(small_study(domain));
    const Participation away{{1, {{1}, {}}}, {2, {{}, {{0, {0, 2}}}}}};
    std::vector<std::vector<base::Bytes>> runs;
    for (const Sharing sharing : {Sharing::kNothing, Sharing::kRegions, Sharing::kPoints}) {
      std::vector<base::Bytes> records;
      Ensemble ensemble(study, kEnsembleSecret, kTestExecutor, sharing,
                        [&](const Effects& effects) {
                          for (const Record& record : effects.records)
                            records.push_back(encode_record(record));
                        });
      ensemble.start();
      ensemble.run(wavy_answers, away);
      EXPECT_EQ(ensemble.coordinator().summary().participation(), away);
      runs.push_back(records);
    }
    EXPECT_EQ(runs[0], runs[1]);
    EXPECT_EQ(runs[0], runs[2]);
  }
}

// Messages may arrive in any order: the same decisions, to the bit.
TEST(Ensemble, TheOrderOfMessagesDoesNotMatter) {
  const auto study = share(small_study());
  Ensemble forward(study, kEnsembleSecret, kTestExecutor);
  forward.start();
  forward.run(wavy_answers);
  Ensemble backward(study, kEnsembleSecret, kTestExecutor);
  backward.start();
  while (!backward.finished()) {
    for (std::uint32_t a = study->agents; a > 0; --a) {
      Agent& agent = backward.agent(a - 1);
      backward.deliver(answer_plan(agent, wavy_answers(agent).rewards).value());
    }
  }
  EXPECT_EQ(backward.coordinator().summary().state_digest(),
            forward.coordinator().summary().state_digest());
}

TEST(Ensemble, NotesComeInAgentOrderBeforeTheEpochCloses) {
  Ensemble ensemble(share(small_study()), kEnsembleSecret, kTestExecutor);
  ensemble.start();
  std::vector<int> heard;
  const Ensemble::Noting note = [&](std::span<const std::uint8_t> notes) {
    EXPECT_EQ(notes[0], base::value(ensemble.coordinator().epoch()));
    heard.push_back(notes[1]);
  };
  ensemble.run_epoch({}, wavy_answers, note);
  ensemble.run_epoch({{1}, {}}, wavy_answers, note);
  EXPECT_EQ(heard, (std::vector<int>{0, 1, 2, 0, 2}));
}

TEST(Ensemble, AFailedQueryIsAHole) {
  Ensemble ensemble(share(small_study()), kEnsembleSecret, kTestExecutor);
  ensemble.start();
  ensemble.run_epoch({}, [](const Agent& agent) {
    PlanAnswers answers = wavy_answers(agent);
    if (agent.id() == AgentId{2}) answers.rewards[1] = std::nan("");
    return answers;
  });
  const Participation expected{{1, {{}, {{2, {1}}}}}};
  EXPECT_EQ(ensemble.coordinator().summary().participation(), expected);
}

TEST(Ensemble, ARefusedMessageEndsTheRun) {
  Ensemble ensemble(share(small_study()), kEnsembleSecret, kTestExecutor);
  ensemble.start();
  Ensemble other(share(small_study()), kEnsembleSecret, kTestExecutor);
  other.start();
  const std::vector<double> rewards(wavy_answers(other.agent(1)).rewards.size(), 7.0);
  ensemble.deliver(answer_plan(other.agent(1), rewards).value());
  EXPECT_EQ(error_kind([&] { ensemble.run_epoch({}, wavy_answers); }), base::ErrorKind::kProtocol);
}

}  // namespace
}  // namespace duets::protocol
