#include "duets/protocol/run_summary.h"

#include <gtest/gtest.h>

#include <cmath>

#include "duets/base/error.h"
#include "duets/protocol/run_test_support.h"

namespace duets::protocol {
namespace {

// Plays a run with these absences and keeps its records.
std::vector<base::Bytes> records_of_run_with(const Participation& participation) {
  TestRun run(small_study());
  while (!run.coordinator().finished()) {
    const EpochAbsence& away = absence_in(participation, base::value(run.coordinator().epoch()));
    run.run_epoch(away.excluded, away.holes);
  }
  return encoded_records(run.records());
}

void expect_same_summary(const RunSummary& a, const RunSummary& b) {
  EXPECT_EQ(a.finished(), b.finished());
  EXPECT_EQ(a.epochs().size(), b.epochs().size());
  EXPECT_EQ(a.sent(), b.sent());
  EXPECT_EQ(a.participation(), b.participation());
  EXPECT_EQ(a.run_digest(), b.run_digest());
  EXPECT_EQ(a.state_digest(), b.state_digest());
  EXPECT_EQ(a.smallest_margin(), b.smallest_margin());
  EXPECT_EQ(a.mean_error(), b.mean_error());
  ASSERT_EQ(a.recommendation().has_value(), b.recommendation().has_value());
  if (a.recommendation()) {
    EXPECT_EQ(a.recommendation()->point, b.recommendation()->point);
    EXPECT_EQ(a.recommendation()->half_width, b.recommendation()->half_width);
  }
  ASSERT_EQ(a.best_trial().has_value(), b.best_trial().has_value());
  if (a.best_trial()) {
    EXPECT_EQ(a.best_trial()->agent, b.best_trial()->agent);
    EXPECT_EQ(a.best_trial()->reward, b.best_trial()->reward);
  }
  ASSERT_EQ(a.communication().size(), b.communication().size());
  for (std::size_t i = 0; i < a.communication().size(); ++i) {
    EXPECT_EQ(a.communication()[i].t, b.communication()[i].t);
    EXPECT_EQ(a.communication()[i].links, b.communication()[i].links);
    EXPECT_EQ(a.communication()[i].bytes, b.communication()[i].bytes);
  }
}

// By hand: the shortfall of the last region and the losses of all cuts before it, whose chances are
// those of independent events. Samples of the whole run count nothing twice. A last region without
// a better point leaves the losses.
TEST(RunSummary, WhatMayHaveBeenMissedCountsEveryCut) {
  for (const ClosingRule closing :
       {ClosingRule::kBest, ClosingRule::kProjection, ClosingRule::kAll}) {
    Study study = small_study(domain::Domain::box(2));
    study.closing = closing;
    TestRun run(study);
    while (!run.coordinator().finished()) run.run_epoch();
    EXPECT_EQ(run.summary().recommendation().value().missed.has_value(),
              closing == ClosingRule::kAll)
        << "no samples were drawn";
    study.cut = CutRule::kDecision;
    for (const double shortfall : {4.0, 0.0}) {
      RunSummary summary(study);
      for (Record record : run.records()) {
        if (auto* closed = std::get_if<EpochClosed>(&record)) {
          closed->report.shortfall = shortfall;
          closed->report.missed = shortfall / 8;
          closed->report.lost = 0.25;
          closed->report.lost_chance = 0.5;
        }
        summary.add(record);
      }
      ASSERT_GE(summary.epochs().size(), 2U);
      const auto cuts =
          closing == ClosingRule::kAll ? 0.0 : static_cast<double>(summary.epochs().size() - 1);
      const Missed missed = summary.recommendation().value().missed.value();
      EXPECT_DOUBLE_EQ(missed.expected, shortfall + 0.25 * cuts);
      EXPECT_DOUBLE_EQ(missed.chance, 1 - (1 - shortfall / 8) * std::pow(0.5, cuts));
    }
  }
}

// What the coordinator sums up while it decides is what its stored records say, wherever they end.
TEST(RunSummary, IsTheSameFromTheCoordinatorAndFromItsRecords) {
  for (const ClosingRule closing :
       {ClosingRule::kBest, ClosingRule::kProjection, ClosingRule::kAll}) {
    Study study = small_study(domain::Domain::box(2));
    study.closing = closing;
    TestRun run(study);
    const auto check = [&] {
      expect_same_summary(summarise(study, encoded_records(run.records())), run.summary());
    };
    check();
    run.run_epoch({1});
    check();
    run.deliver(run.query(0, {1}).value());
    check();
    for (std::uint32_t a = 1; a < study.agents; ++a) run.deliver(run.query(a).value());
    run.finish();
    check();
    EXPECT_TRUE(run.summary().finished());
    EXPECT_EQ(run.summary().communication().size(), 3U);
  }
}

TEST(RunSummary, CountsWhatTheRecordsCarry) {
  Study study = small_study();
  study.closing = ClosingRule::kProjection;
  TestRun run(study);
  run.finish();
  base::LedgerTotals sent;
  std::uint64_t down = 0;
  for (const Record& record : run.records()) {
    for (const Message& message : broadcasts(study, record)) {
      const auto* inducing = std::get_if<InducingSet>(&message);
      if (inducing != nullptr && inducing->closing) {
        sent.closing += study.agents * num_reals(message);
        sent.closing_bytes += study.agents * encode(message).size();
      } else {
        down += num_reals(message);
        sent.bytes += study.agents * encode(message).size();
      }
    }
    const auto* taken = std::get_if<MessageTaken>(&record);
    if (taken == nullptr) continue;
    const bool closing = std::holds_alternative<Closing>(taken->message);
    (closing ? sent.closing : sent.figure) += num_reals(taken->message);
    (closing ? sent.closing_bytes : sent.bytes) += encode(taken->message).size();
  }
  sent.links = sent.figure + study.agents * down;
  sent.paper = static_cast<double>(sent.figure) / study.agents + static_cast<double>(down);
  EXPECT_EQ(run.summary().sent(), sent);
}

TEST(RunSummary, BestTrialIsThatOfTheFirstAgentAmongThoseWhoTookPart) {
  const auto reward = [](const Query& q) { return q.agent == 0 ? 2.0 : 1.0; };
  TestRun complete(small_study(), reward);
  complete.finish();
  EXPECT_EQ(complete.summary().best_trial()->agent, AgentId{0});
  TestRun without(small_study(), reward);
  without.run_epoch();
  without.run_epoch();
  without.run_epoch({0});
  EXPECT_EQ(without.summary().best_trial()->agent, AgentId{1});
  EXPECT_EQ(without.summary().best_trial()->reward, 1.0);
}

TEST(RunSummary, ParticipationIsWhatTheRunWasPlayedWith) {
  Participation played;
  EXPECT_EQ(summarise(small_study(), records_of_run_with(played)).participation(), played);
  played[1].excluded = {1};
  played[1].holes[2] = {0};
  played[2].holes[0] = {1, 3};
  played[3].excluded = {0, 2};
  EXPECT_EQ(summarise(small_study(), records_of_run_with(played)).participation(), played);
}

TEST(RunSummary, KnowsTheParticipationOfClosedEpochsOnly) {
  Participation played;
  played[1].excluded = {1};
  played[2].excluded = {0};
  std::vector<base::Bytes> records = records_of_run_with(played);
  records.resize(6);  // opened, two messages, closed, opened, one message
  EXPECT_EQ(summarise(small_study(), records).participation(), (Participation{{1, played[1]}}));
}

TEST(RunSummary, RefusesBytesAndEpochsThatNoRunHas) {
  const std::vector<base::Bytes> junk{{9}};
  EXPECT_EQ(error_kind([&] { summarise(small_study(), junk); }), base::ErrorKind::kDecode);
  std::vector<base::Bytes> records = records_of_run_with({});
  records.push_back(records.back());
  EXPECT_EQ(error_kind([&] { summarise(small_study(), records); }), base::ErrorKind::kDecode);
}

}  // namespace
}  // namespace duets::protocol
