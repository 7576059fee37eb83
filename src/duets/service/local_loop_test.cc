#include "duets/service/local_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>
#include <set>
#include <thread>

#include "duets/service/raw_agent_test_support.h"

namespace duets::service {
namespace {

using base::ErrorKind;
using protocol::error_kind;

const base::SerialExecutor kLoopSerial;
const std::atomic<bool> kNever{false};

using Body = std::function<Answer(const Query&, const std::atomic<bool>& abandon)>;

class LoopObjective final : public Objective {
 public:
  explicit LoopObjective(Body body) : body_(std::move(body)) {}
  Answer ask(const Query& query, const std::atomic<bool>& abandon) override {
    return body_(query, abandon);
  }

 private:
  Body body_;
};

std::vector<std::unique_ptr<Objective>> objectives(std::size_t count, const Body& body) {
  std::vector<std::unique_ptr<Objective>> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(std::make_unique<LoopObjective>(body));
  return all;
}

LocalOptions loop_storage(const Scratch& scratch) {
  LocalOptions options;
  options.storage = scratch.path() / "journal";
  options.secret_text = kTestSecret;
  return options;
}

double plain_value(const Query& query) { return query.latent[0] - query.latent[1]; }

base::Digest digest_with(std::size_t workers) {
  const Scratch scratch;
  LocalStudy study(test_definition(), loop_storage(scratch), kLoopSerial);
  const auto all = objectives(workers, [](const Query& query, const std::atomic<bool>&) -> Answer {
    return Value{plain_value(query)};
  });
  EXPECT_TRUE(run_local(study, all, kNever, kNever, {}));
  return study.summary().state_digest();
}

TEST(LocalLoop, TheNumberOfProgramsDoesNotMatter) {
  EXPECT_EQ(digest_with(1), digest_with(3));
  EXPECT_EQ(digest_with(1), digest_with(16));
}

TEST(LocalLoop, AsManyAtATimeAsThereAreObjectives) {
  const Scratch scratch;
  LocalStudy study(test_definition(), loop_storage(scratch), kLoopSerial);
  std::atomic<int> now{0}, most{0};
  const auto all = objectives(3, [&](const Query& query, const std::atomic<bool>&) -> Answer {
    const int together = ++now;
    for (int seen = most; seen < together && !most.compare_exchange_weak(seen, together);) {
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    --now;
    return Value{plain_value(query)};
  });
  EXPECT_TRUE(run_local(study, all, kNever, kNever, {}));
  EXPECT_EQ(most, 3);
}

// A program that never worked costs no query.
TEST(LocalLoop, FailuresBeforeTheFirstAnswerAreNotKeptWhenItEnds) {
  const Scratch scratch;
  {
    LocalStudy study(test_definition(), loop_storage(scratch), kLoopSerial);
    const auto broken = objectives(2, [](const Query&, const std::atomic<bool>&) -> Answer {
      return Failure{"no such file", ""};
    });
    EXPECT_EQ(error_kind([&] { run_local(study, broken, kNever, kNever, {.max_failures = 4}); }),
              ErrorKind::kObjective);
    EXPECT_TRUE(study.trials().empty());
  }
  LocalStudy study(test_definition(), loop_storage(scratch), kLoopSerial);
  const auto mended = objectives(2, [](const Query& query, const std::atomic<bool>&) -> Answer {
    return Value{plain_value(query)};
  });
  EXPECT_TRUE(run_local(study, mended, kNever, kNever, {.max_failures = 4}));
  EXPECT_EQ(study.summary().state_digest(), digest_with(1));
}

TEST(LocalLoop, LaterFailuresAreHolesAlsoTheLastOnes) {
  const Scratch scratch;
  LocalStudy study(test_definition(), loop_storage(scratch), kLoopSerial);
  int asked = 0;
  const auto all = objectives(1, [&](const Query& query, const std::atomic<bool>&) -> Answer {
    if (++asked == 1 || asked > 3) return Failure{"gone", ""};
    return Value{plain_value(query)};
  });
  EXPECT_EQ(error_kind([&] { run_local(study, all, kNever, kNever, {.max_failures = 4}); }),
            ErrorKind::kObjective);
  std::size_t holes = 0;
  for (const JournalTrial& trial : study.trials()) {
    holes += trial.kind == JournalTrial::Kind::kHole ? 1 : 0;
  }
  EXPECT_EQ(study.trials().size(), 7U);
  EXPECT_EQ(holes, 5U);
}

TEST(LocalLoop, WithoutALimitAStudyOfFailuresEnds) {
  const Scratch scratch;
  LocalStudy study(test_definition(), loop_storage(scratch), kLoopSerial);
  const auto broken = objectives(2, [](const Query&, const std::atomic<bool>&) -> Answer {
    return Failure{"no", ""};
  });
  EXPECT_TRUE(run_local(study, broken, kNever, kNever, {}));
  EXPECT_EQ(study.trials().size(), 27U);
}

// An epoch may have fewer queries than failures in a row are allowed.
TEST(LocalLoop, AFirstEpochOfFailuresIsNotKeptEither) {
  const Scratch scratch;
  LocalStudy study(test_definition(), loop_storage(scratch), kLoopSerial);
  const auto all = objectives(2, [](const Query& query, const std::atomic<bool>&) -> Answer {
    if (query.epoch == 1) return Failure{"no", ""};
    return Value{plain_value(query)};
  });
  EXPECT_EQ(error_kind([&] { run_local(study, all, kNever, kNever, {.max_failures = 1000}); }),
            ErrorKind::kObjective);
  EXPECT_TRUE(study.trials().empty());
}

TEST(LocalLoop, AnInfeasibleAnswerWithoutUseDoesNotCostOthers) {
  const Scratch scratch;
  LocalStudy study(test_definition(), loop_storage(scratch), kLoopSerial);
  std::atomic<int> values{0};
  const auto all = objectives(2, [&](const Query& query, const std::atomic<bool>&) -> Answer {
    if (query.agent == 1) {
      while (values == 0) std::this_thread::yield();
      return Infeasible{"hot"};
    }
    ++values;
    return Value{plain_value(query)};
  });
  EXPECT_EQ(error_kind([&] { run_local(study, all, kNever, kNever, {}); }), ErrorKind::kObjective);
  EXPECT_GE(study.trials().size(), 1U);
}

TEST(LocalLoop, AStopFinishesTheCurrentQueriesAndTheNextRunContinues) {
  const Scratch scratch;
  std::mutex mutex;
  std::multiset<std::string> measured;
  std::atomic<bool> stop{false};
  const Body body = [&](const Query& query, const std::atomic<bool>&) -> Answer {
    const std::lock_guard lock(mutex);
    measured.insert(trial_name(query));
    if (measured.size() == 5) stop = true;
    return Value{plain_value(query)};
  };
  {
    LocalStudy study(test_definition(), loop_storage(scratch), kLoopSerial);
    EXPECT_FALSE(run_local(study, objectives(2, body), stop, kNever, {}));
    EXPECT_EQ(study.trials().size(), measured.size());
    EXPECT_LT(measured.size(), 27U);
  }
  LocalStudy study(test_definition(), loop_storage(scratch), kLoopSerial);
  EXPECT_TRUE(run_local(study, objectives(2, body), kNever, kNever, {}));
  EXPECT_EQ(measured.size(), 27U);
  EXPECT_EQ(std::set<std::string>(measured.begin(), measured.end()).size(), 27U);
  EXPECT_EQ(study.summary().state_digest(), digest_with(1));
}

TEST(LocalLoop, AnAbandonedQueryIsAskedAgain) {
  const Scratch scratch;
  LocalStudy study(test_definition(), loop_storage(scratch), kLoopSerial);
  std::atomic<bool> stop{false}, abandon{false};
  const auto stuck = objectives(2, [&](const Query&, const std::atomic<bool>& given_up) -> Answer {
    stop = true;
    abandon = true;
    while (!given_up) std::this_thread::yield();
    return Interrupted{};
  });
  EXPECT_FALSE(run_local(study, stuck, stop, abandon, {}));
  EXPECT_TRUE(study.trials().empty());
  EXPECT_EQ(study.ask(0)->slot, 0U);
}

TEST(LocalLoop, WhatAnObjectiveThrowsEndsTheRun) {
  const Scratch scratch;
  LocalStudy study(test_definition(), loop_storage(scratch), kLoopSerial);
  const auto all = objectives(2, [](const Query&, const std::atomic<bool>&) -> Answer {
    base::refuse("program", "x", "cannot be run");
  });
  EXPECT_EQ(error_kind([&] { run_local(study, all, kNever, kNever, {}); }), ErrorKind::kInvalid);
}

}  // namespace
}  // namespace duets::service
