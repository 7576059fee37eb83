// Studies that are extended after their end, or ended early.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "duets/protocol/history.h"
#include "duets/protocol/preset.h"
#include "duets/protocol/run_test_support.h"
#include "duets/protocol/verify.h"

namespace duets::protocol {
namespace {

using domain::Domain;

using Lengths = std::vector<std::uint32_t>;

Study scheduled(ScheduleRule rule, std::uint32_t horizon) {
  Study study = small_study();
  study.schedule = rule;
  study.horizon = horizon;
  return study;
}

/// One study for each rule that an extension meets: what is sent at the end, which data later
/// epochs use, where models come from.
std::vector<Study> extensible_studies() {
  std::vector<Study> all;
  for (const ClosingRule closing : {ClosingRule::kBest, ClosingRule::kProjection}) {
    for (const DataPolicy data : {DataPolicy::kEpoch, DataPolicy::kSurviving}) {
      for (const Domain& domain : {Domain::finite(lattice(40, 2)), Domain::box(2)}) {
        Study study = small_study(domain);
        study.closing = closing;
        study.data = data;
        all.push_back(study);
      }
    }
  }
  all.push_back(small_region_study(true));  // walks go on
  for (const char* preset : {"auto", "safe"}) {
    Study study = small_study(Domain::box(2));
    apply_preset(*find_preset(preset), study);
    if (std::string(preset) == "auto") apply_goal(Goal::kFind, study);
    study.agents = 4;
    study.horizon = 14;
    all.push_back(study);
    study.raw_rewards = 8;  // later epochs send projections
    study.schedule = ScheduleRule::kExplicit;
    study.kernel.lengthscales = {2.0};
    study.epochs = {20, 20, 20};
    study.horizon = 60;
    all.push_back(study);
  }
  return all;
}

EpochId epoch_of(std::size_t number) { return EpochId{static_cast<std::uint32_t>(number)}; }

bool begins_with(const std::vector<base::Bytes>& all, const std::vector<base::Bytes>& first) {
  return all.size() > first.size() && std::equal(first.begin(), first.end(), all.begin());
}

/// The journal of a whole run, and what agents were told.
struct Whole {
  std::vector<base::Bytes> journal, broadcast;
  base::Digest run, state;
};

Whole whole_run(const Study& study, bool always_restart = false) {
  TestRun run(study, wavy_reward, always_restart);
  run.finish();
  return {run.journal(), run.broadcast(), run.summary().run_digest(), run.summary().state_digest()};
}

/// An ensemble that goes on with these records, as one in another process would. Agents know every
/// answer of the epochs that the records have.
Whole continued_run(const Study& study, const std::vector<base::Bytes>& records) {
  Whole whole{records, {}, {}, {}};
  Ensemble ensemble(share(study), random::StudySecret::from_seed(7), kTestExecutor,
                    Sharing::kRegions, [&](const Effects& effects) {
                      for (const Record& record : effects.records) {
                        whole.journal.push_back(encode_record(record));
                      }
                    });
  const auto answers = [](const Agent& agent) {
    PlanAnswers given;
    const Plan& plan = agent.plan();
    for (std::uint32_t slot = 0; slot < plan.latents().rows(); ++slot) {
      given.rewards.push_back(
          wavy_reward({plan.latents().row(slot).transpose(), base::value(agent.id()),
                       base::value(plan.epoch), slot}));
    }
    return given;
  };
  const RunSummary summary = summarise(study, records);
  ensemble.resume(records, [&](Agent& agent) {
    if (base::value(agent.plan().epoch) <= summary.num_closed()) {
      answer_plan(agent, answers(agent).rewards);
    }
  });
  ensemble.run(answers);
  whole.run = ensemble.coordinator().summary().run_digest();
  whole.state = ensemble.coordinator().summary().state_digest();
  return whole;
}

TEST(Extension, BeginsTheScheduleAgain) {
  const Study study = scheduled(ScheduleRule::kDoubling, 14);
  EXPECT_EQ(lengths(study), (Lengths{2, 4, 8}));
  const Study more = extended(study, 20);
  EXPECT_EQ(lengths(more), (Lengths{2, 4, 8, 2, 4}));
  EXPECT_EQ(more.earlier_horizons, Lengths{14});
  const Study most = extended(more, 22);
  EXPECT_EQ(lengths(most), (Lengths{2, 4, 8, 2, 4, 2}));
  EXPECT_EQ(most.earlier_horizons, (Lengths{14, 20}));
  EXPECT_EQ(num_queries_each(most), 22U);

  Study listed = scheduled(ScheduleRule::kExplicit, 5);
  listed.epochs = {3, 2};
  EXPECT_EQ(lengths(extended(listed, 9)), (Lengths{3, 2, 4})) << "a list is for the first stage";
}

TEST(Extension, KnowsWhereStagesEnd) {
  const Study study = extended(scheduled(ScheduleRule::kDoubling, 14), 20);
  const std::vector<Stage> all = stages(study);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].end(), 3U);
  EXPECT_EQ(all[1].first, 3U);
  EXPECT_EQ(all[1].done, 14U);
  EXPECT_EQ(all[1].horizon, 20U);
  for (std::uint32_t e = 1; e <= 5; ++e) {
    EXPECT_EQ(closes(study, EpochId{e}), e == 3 || e == 5) << e;
    EXPECT_EQ(is_last(study, EpochId{e}), e == 5) << e;
    EXPECT_EQ(stage_of(study, EpochId{e}).first, e <= 3 ? 0U : 3U) << e;
  }
  EXPECT_EQ(planned_lengths(study, EpochId{2}), (Lengths{2, 4, 8}));
  EXPECT_EQ(planned_lengths(study, EpochId{4}), (Lengths{2, 4, 8, 2, 4}));
}

// Decisions of a stage follow from its own horizon, so they are the same after an extension.
TEST(Extension, EveryStageHasItsOwnFloorAndWidth) {
  Study study = scheduled(ScheduleRule::kDoubling, 14);
  study.volume_floor = 0.01;
  const Study more = extended(study, 20);
  EXPECT_EQ(kept_share(more, EpochId{2}), kept_share(study));
  EXPECT_NEAR(kept_share(more, EpochId{2}), 0.1, 1e-12) << "two cuts";
  EXPECT_NEAR(kept_share(more, EpochId{4}), 0.01, 1e-12) << "one cut";
  EXPECT_EQ(theory_inputs(more, EpochId{3}).num_epochs, 3U);
  EXPECT_EQ(theory_inputs(more, EpochId{3}).horizon, 14U);
  EXPECT_EQ(theory_inputs(more, EpochId{4}).num_epochs, 5U);
  EXPECT_EQ(theory_inputs(more, EpochId{4}).horizon, 20U);
}

TEST(Extension, TheAnswerRestsOnEveryRewardOfAllStages) {
  for (const Study& study : extensible_studies()) {
    if (study.closing != ClosingRule::kAll) continue;
    const Study most = extended(extended(study, study.horizon + 9), study.horizon + 11);
    const RunSummary summary = summarise(most, whole_run(most).journal);
    EXPECT_EQ(summary.epochs().back().num_points, std::uint64_t{most.agents} * most.horizon);
  }
}

// Stages with too many queries for that come after the last one that recalls them.
TEST(Extension, RowsAreKeptUntilTheLastRecall) {
  for (const std::uint32_t horizon : {9U, 70'000U}) {
    Study study = small_study(Domain::box(2));
    study.agents = 1;
    study.closing = ClosingRule::kAll;
    study.schedule = ScheduleRule::kExplicit;
    study.epochs = {5};
    study.horizon = 5;
    study = extended(study, horizon);
    EXPECT_EQ(recalls_all(study, EpochId{2}), horizon == 9);
    History history(study);
    auto draw = std::make_shared<const region::Draw>();
    const std::weak_ptr<const region::Draw> kept = draw;
    history.recall();
    history.open(std::move(draw));
    history.keep_inside(region::Region(study.domain));
    EXPECT_EQ(kept.expired(), horizon != 9);
  }
}

TEST(Extension, AnEarlyEndLeavesAnEpochForTheAnswer) {
  const Study study = scheduled(ScheduleRule::kDoubling, 14);
  const Study less = ended_early(study, EpochId{2});
  EXPECT_EQ(lengths(less), (Lengths{2, 4, 0}));
  EXPECT_EQ(num_queries_each(less), 6U);
  EXPECT_EQ(less.horizon, 14U);
  EXPECT_EQ(planned_lengths(less, EpochId{2}), (Lengths{2, 4, 8})) << "decisions were made on it";
  EXPECT_EQ(planned_lengths(less, EpochId{3}), (Lengths{2, 4, 8})) << "the third is the last";
  const Study more = extended(less, 14);
  EXPECT_EQ(lengths(more), (Lengths{2, 4, 0, 2, 6}));
  EXPECT_EQ(lengths(ended_early(more, EpochId{4})), (Lengths{2, 4, 0, 2, 0}));
}

TEST(Extension, RefusesWhatIsNone) {
  const Study study = scheduled(ScheduleRule::kDoubling, 14);
  EXPECT_EQ(error_text([&] { extended(study, 14); }),
            "horizon = 14: must be larger than 14, the queries of each agent so far: a study can "
            "be extended, not shortened");
  EXPECT_EQ(error_kind([&] { extended(study, 5); }), base::ErrorKind::kInvalid);
  EXPECT_EQ(error_kind([&] { ended_early(study, EpochId{3}); }), base::ErrorKind::kInvalid)
      << "ends there anyway";
  EXPECT_EQ(error_kind([&] { ended_early(ended_early(study, EpochId{2}), EpochId{1}); }),
            base::ErrorKind::kInvalid);
  EXPECT_EQ(error_kind([&] { ended_early(extended(study, 20), EpochId{2}); }),
            base::ErrorKind::kInvalid)
      << "an earlier stage is over";

  Study wrong = study;
  wrong.earlier_horizons = {14};
  EXPECT_NE(error_text([&] { validate(wrong); }).find("study.earlier_horizons = 14"),
            std::string::npos);
  for (const Lengths& ended : {Lengths{3}, Lengths{0}, Lengths{1, 2}, Lengths{9}}) {
    wrong = study;
    wrong.ended_after = ended;
    EXPECT_NE(error_text([&] { validate(wrong); }).find("study.ended_after = ["),
              std::string::npos);
  }
  EXPECT_NO_THROW(validate(ended_early(study, EpochId{1})));
}

TEST(Extension, GoesBackStepByStep) {
  const Study study = scheduled(ScheduleRule::kDoubling, 14);
  const Study ended = ended_early(study, EpochId{2});
  const Study more = extended(ended, 14);
  const Study end = ended_early(more, EpochId{4});
  EXPECT_EQ(study_digest(*before_last_change(end)), study_digest(more));
  EXPECT_EQ(study_digest(*before_last_change(more)), study_digest(ended));
  EXPECT_EQ(study_digest(*before_last_change(ended)), study_digest(study));
  EXPECT_FALSE(before_last_change(study));
  for (const Study& form : {study, ended, more, end}) {
    EXPECT_TRUE(has_digest(end, study_digest(form)));
  }
  EXPECT_FALSE(has_digest(ended, study_digest(more)));
  EXPECT_FALSE(has_digest(end, study_digest(extended(study, 20))));
}

// The one promise: a study that is extended has had the run that it would have had if the extension
// had been known, so its records, broadcasts and digests go on.
TEST(Extension, GoesOnWithTheSameBytes) {
  int number = 0;
  for (const Study& study : extensible_studies()) {
    SCOPED_TRACE(number++);
    const Whole first = whole_run(study);
    const Study more = extended(study, study.horizon + 9);
    const Whole second = whole_run(more);
    EXPECT_TRUE(begins_with(second.journal, first.journal));
    EXPECT_TRUE(begins_with(second.broadcast, first.broadcast));
    const Study most = extended(more, more.horizon + 2);
    const Whole third = whole_run(most, true);
    EXPECT_TRUE(begins_with(third.journal, second.journal));

    const Whole gone_on = continued_run(more, first.journal);
    EXPECT_EQ(gone_on.journal, second.journal);
    EXPECT_EQ(gone_on.run, second.run);
    EXPECT_EQ(gone_on.state, second.state);
    EXPECT_EQ(continued_run(most, second.journal).journal, third.journal);
  }
}

TEST(Extension, StageEndsTellWhoWasAbsent) {
  for (const Study& study : extensible_studies()) {
    const Study more = extended(study, study.horizon + 9);
    const std::size_t end = lengths(study).size();
    TestRun run(more);
    while (base::value(run.coordinator().epoch()) < end) run.run_epoch();
    run.run_epoch({1});
    EXPECT_EQ(run.agent(1).plan().epoch, epoch_of(end + 1)) << "it goes on without its results";
    const Trim& told = run.coordinator().view().trim(epoch_of(end));
    EXPECT_EQ(told.weights.size(), 0);
    EXPECT_EQ(told.excluded, Lengths{1});
    run.finish();
    EXPECT_TRUE(run.coordinator().finished());
  }
}

TEST(Extension, TheRegionStaysWhereAStageEnds) {
  const Study study = extended(small_study(), 18);
  TestRun run(study);
  run.finish();
  const PublicView& view = run.coordinator().view();
  EXPECT_EQ(view.region(EpochId{4}).survivors(), view.region(EpochId{3}).survivors());
  EXPECT_LT(view.region(EpochId{5}).survivors().size(), view.region(EpochId{4}).survivors().size())
      << "then it is cut again";
}

TEST(Extension, ACutWhereAStageEndsIsRefused) {
  const Study study = extended(small_study(), 18);
  TestRun run(study);
  run.finish();
  PublicView view(share(study), random::StudySecret::from_seed(7).public_coin(), kTestExecutor);
  std::size_t refused = 0;
  for (const base::Bytes& bytes : run.broadcast()) {
    const Message message = decode(bytes);
    const Trim* trim = std::get_if<Trim>(&message);
    if (trim != nullptr && closes(study, trim->epoch)) {
      Trim cut = *trim;
      cut.weights = numeric::Vector::Ones(1);
      EXPECT_NE(error_text([&] { view.apply(cut); }).find("ends without one"), std::string::npos);
      ++refused;
    }
    view.apply(message);
  }
  EXPECT_EQ(refused, 1U);
}

// In every epoch of the second stage and of the third, which has one epoch only; and to the end.
TEST(Extension, ALateClosingMessageIsStale) {
  const Study study = extended(extended(small_study(), 18), 19);
  ASSERT_EQ(stages(study).back().lengths, Lengths{1});
  TestRun run(study, wavy_reward, true);
  run.run_epoch();
  run.run_epoch();
  const std::optional<Message> late = run.query(2);
  ASSERT_TRUE(late && std::holds_alternative<Closing>(*late));
  for (const std::uint32_t a : {0, 1}) run.deliver(*run.query(a));
  run.close(3, {AgentId{0}, AgentId{1}});
  for (bool over = false; !over;) {
    over = run.coordinator().finished();
    SCOPED_TRACE(base::value(run.coordinator().epoch()));
    const Effects effects = run.deliver(*late);
    ASSERT_EQ(effects.messages.size(), 2U);
    EXPECT_EQ(std::get<Trim>(effects.messages[0].message).epoch, EpochId{3});
    const auto& refusal = std::get<Refusal>(effects.messages[1].message);
    EXPECT_EQ(refusal.reason, Reason::kStale);
    EXPECT_EQ(refusal.epoch, EpochId{3});
    if (!over) run.run_epoch();
  }
}

// A coordinator that was set back to before an agent's closing message says so.
TEST(Extension, AClosingMessageThatComesTooEarlyIsForeign) {
  const Study study = extended(small_study(), 18);
  TestRun run(study);
  for (int epoch = 1; epoch <= 3; ++epoch) run.run_epoch();
  Closing early;
  early.agent = AgentId{1};
  early.points_digest = 7;
  ASSERT_FALSE(closes(study, run.coordinator().epoch()));
  const Effects effects = run.deliver(early);
  ASSERT_EQ(effects.messages.size(), 1U);
  EXPECT_EQ(std::get<Refusal>(effects.messages[0].message).reason, Reason::kForeign);
}

TEST(Extension, EarlyEndsHaveAnAnswerAndGoOn) {
  int number = 0;
  for (const Study& study : extensible_studies()) {
    SCOPED_TRACE(number++);
    const Whole planned = whole_run(study);
    const Study less = ended_early(study, EpochId{1});
    const Whole ended = whole_run(less);
    // Up to the closing of epoch 1: what was known then does not depend on the end.
    const auto opened = std::ranges::find_if(ended.journal, [](const base::Bytes& bytes) {
      const Record record = decode_record(bytes);
      const auto* one = std::get_if<EpochOpened>(&record);
      return one != nullptr && one->epoch == EpochId{2};
    });
    const auto before = opened - ended.journal.begin();
    EXPECT_TRUE(std::equal(ended.journal.begin(), opened, planned.journal.begin(),
                           planned.journal.begin() + before));
    const RunSummary summary = summarise(less, ended.journal);
    EXPECT_TRUE(summary.finished());
    EXPECT_TRUE(summary.recommendation());
    EXPECT_TRUE(summary.best_trial());
    EXPECT_EQ(summary.communication().back().t, lengths(less).front());
    EXPECT_EQ(summary.epochs().size(), recalls_all(less, EpochId{2}) ? 2U : 1U);

    const Study more = extended(less, study.horizon);
    const Whole second = whole_run(more, true);
    EXPECT_TRUE(begins_with(second.journal, ended.journal));
    EXPECT_EQ(continued_run(more, ended.journal).journal, second.journal);
  }
}

TEST(Extension, IsVerified) {
  int number = 0;
  for (const Study& study : extensible_studies()) {
    SCOPED_TRACE(number++);
    const Study more = extended(ended_early(study, EpochId{1}), study.horizon);
    for (const Study& one : {extended(study, study.horizon + 9), more}) {
      const Verification checked = verify(share(one), random::StudySecret::from_seed(7),
                                          whole_run(one).journal, kTestExecutor, {});
      EXPECT_TRUE(checked.finished);
      for (const Finding& finding : checked.findings) {
        EXPECT_TRUE(finding.ok) << base::value(finding.epoch) << " " << finding.what << ": "
                                << finding.recorded << ", " << finding.recomputed;
      }
    }
  }
}

TEST(Extension, ATrimWithoutWeightsIsForTheEndOfAStageOnly) {
  const auto view_of = [](const Study& study) {
    return PublicView(share(study), random::StudySecret::from_seed(7).public_coin(), kTestExecutor);
  };
  Trim empty;
  empty.epoch = EpochId{1};
  PublicView view = view_of(small_study());
  EXPECT_EQ(error_kind([&] { view.apply(empty); }), base::ErrorKind::kProtocol);
  Study study = small_study();
  study.schedule = ScheduleRule::kExplicit;
  study.epochs = {9};
  PublicView one = view_of(extended(study, 12));
  EXPECT_NO_THROW(one.apply(empty));
  EXPECT_TRUE(one.knows_region(EpochId{2}));
  Trim cut = empty;
  cut.weights = numeric::Vector::Ones(1);
  PublicView another = view_of(extended(study, 12));
  EXPECT_EQ(error_kind([&] { another.apply(cut); }), base::ErrorKind::kProtocol);
}

// Points, participants and holes are enough: a study that was ended in the middle of an epoch is
// played again without a clock.
TEST(Extension, AnEndInTheMiddleOfAnEpochIsParticipation) {
  for (const Study& study : extensible_studies()) {
    const Study less = ended_early(study, EpochId{2});
    TestRun run(less);
    run.run_epoch();
    run.run_epoch({}, {{0, {0}}});
    run.finish();
    TestRun again(less);
    again.run_epoch();
    const EpochAbsence away = absence_in(run.summary().participation(), 2);
    again.run_epoch(away.excluded, away.holes);
    again.finish();
    EXPECT_EQ(again.summary().run_digest(), run.summary().run_digest());
    EXPECT_EQ(again.summary().state_digest(), run.summary().state_digest());
  }
}

}  // namespace
}  // namespace duets::protocol
