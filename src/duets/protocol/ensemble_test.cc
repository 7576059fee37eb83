#include "duets/protocol/ensemble.h"

#include <gtest/gtest.h>

#include <map>

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

// The records of a run and the rewards that its agents reported, by epoch and agent.
struct KeptRun {
  std::vector<base::Bytes> records;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<double>> rewards;
};

Ensemble::Recalling recall_from(const KeptRun& kept) {
  return [&kept](Agent& agent) {
    const auto found =
        kept.rewards.find({base::value(agent.plan().epoch), base::value(agent.id())});
    if (found != kept.rewards.end()) answer_plan(agent, found->second);
  };
}

// Cut off after any record: the answers of the agents are known, and nothing else.
TEST(Ensemble, ResumingAnywhereChangesNothing) {
  for (const DataPolicy data : {DataPolicy::kEpoch, DataPolicy::kSurviving}) {
    Study chosen = small_study(domain::Domain::box(2));
    chosen.data = data;
    if (data == DataPolicy::kSurviving) chosen.upload = UploadRule::kProjection;
    const auto study = share(chosen);
    KeptRun whole;
    Ensemble plain(study, kEnsembleSecret, kTestExecutor, Sharing::kPoints,
                   [&](const Effects& effects) {
                     for (const Record& record : effects.records)
                       whole.records.push_back(encode_record(record));
                   });
    plain.start();
    plain.run([&](const Agent& agent) {
      PlanAnswers answers = wavy_answers(agent);
      whole.rewards[{base::value(agent.plan().epoch), base::value(agent.id())}] = answers.rewards;
      return answers;
    });
    for (std::size_t cut = 0; cut <= whole.records.size(); ++cut) {
      KeptRun kept{{whole.records.begin(), whole.records.begin() + static_cast<long>(cut)},
                   whole.rewards};
      Ensemble resumed(study, kEnsembleSecret, kTestExecutor, Sharing::kPoints,
                       [&](const Effects& effects) {
                         for (const Record& record : effects.records)
                           kept.records.push_back(encode_record(record));
                       });
      const std::vector<base::Bytes> before = kept.records;
      resumed.resume(before, recall_from(whole));
      resumed.catch_up();
      resumed.run(wavy_answers);
      EXPECT_EQ(kept.records, whole.records) << "cut after " << cut << " records";
    }
  }
}

// One answer at a time, in an order that mixes agents and slots.
TEST(Ensemble, AnswersMayComeOneByOne) {
  const auto study = share(small_study());
  Ensemble plain(study, kEnsembleSecret, kTestExecutor);
  plain.start();
  plain.run(wavy_answers);
  Ensemble single(study, kEnsembleSecret, kTestExecutor, Sharing::kPoints);
  single.start();
  while (!single.finished()) {
    std::vector<std::vector<double>> rewards;
    for (std::uint32_t a = 0; a < study->agents; ++a) {
      rewards.push_back(wavy_answers(single.agent(a)).rewards);
    }
    for (std::uint32_t slot = static_cast<std::uint32_t>(rewards[0].size()); slot > 0; --slot) {
      for (std::uint32_t a = study->agents; a > 0; --a) {
        answer_slot(single.agent(a - 1), slot - 1, rewards[a - 1][slot - 1]);
      }
      if (slot > 1) single.catch_up();  // too early: nothing is complete
    }
    single.catch_up();
  }
  EXPECT_EQ(single.coordinator().summary().run_digest(),
            plain.coordinator().summary().run_digest());
  EXPECT_EQ(single.coordinator().summary().state_digest(),
            plain.coordinator().summary().state_digest());
}

}  // namespace
}  // namespace duets::protocol
