// Local studies with more queries than planned, or fewer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <thread>

#include "duets/protocol/found.h"
#include "duets/protocol/preset.h"
#include "duets/service/local_loop.h"
#include "duets/service/local_study.h"
#include "duets/service/operators.h"
#include "duets/service/raw_agent_test_support.h"
#include "duets/storage/fail_point.h"

namespace duets::service {
namespace {

using base::ErrorKind;
using protocol::error_kind;
using protocol::error_text;
using testing::ElementsAre;
using testing::HasSubstr;

const base::SerialExecutor kExtensionSerial;

protocol::Study with_horizon(std::uint32_t horizon) {
  protocol::Study study = protocol::small_study();
  study.horizon = horizon;
  return study;
}

/// Learns, and cuts by decision: what --until-gain needs.
protocol::Study deciding_study() {
  protocol::Study study = protocol::small_study(domain::Domain::box(2));
  protocol::apply_preset(*protocol::find_preset("auto"), study);
  protocol::apply_goal(protocol::Goal::kFind, study);
  study.agents = 4;
  study.horizon = 30;
  return study;
}

/// A directory with one study, opened again and again.
class Place {
 private:
  Scratch scratch_;

 public:
  Place() {
    options.storage = scratch_.path() / "journal";
    options.secret_text = kTestSecret;
  }
  LocalOptions options;
  study::Objective objective;
  std::map<std::string, int> measured;

  /// Asks until `most` queries are answered or the study is over.
  void measure(LocalStudy& study, std::size_t most = 1'000'000) {
    for (std::size_t count = 0; count < most; ++count) {
      const auto query = study.ask();
      if (!query) return;
      ++measured[trial_name(*query)];
      study.tell(*query, Value{objective.user_value(wavy_value(*query))});
    }
  }
  /// Opens the study and measures; returns its digest of everything sent.
  base::Digest run(const protocol::Study& study) {
    LocalStudy local(test_definition(study, objective), options, kExtensionSerial);
    measure(local);
    EXPECT_TRUE(local.finished());
    last = *local.definition().study;
    return local.summary().state_digest();
  }
  bool measured_twice() const {
    for (const auto& [trial, count] : measured) {
      if (count > 1) return true;
    }
    return false;
  }

  protocol::Study last;
};

base::Digest simulated(const protocol::Study& study) {
  protocol::TestRun expected = test_run(study);
  expected.finish();
  return expected.summary().state_digest();
}

TEST(LocalExtension, ALargerHorizonGoesOnAndMeasuresNothingTwice) {
  const protocol::Study study = with_horizon(9);
  Place place;
  EXPECT_EQ(place.run(study), simulated(study));
  const protocol::Study more = protocol::extended(study, 14);
  EXPECT_EQ(place.run(with_horizon(14)), simulated(more));
  EXPECT_EQ(protocol::study_digest(place.last), protocol::study_digest(more));
  EXPECT_EQ(place.run(with_horizon(15)), simulated(protocol::extended(more, 15)));
  EXPECT_FALSE(place.measured_twice());
  EXPECT_EQ(place.measured.size(), 45U);
  EXPECT_EQ(place.run(study), simulated(protocol::extended(more, 15)))
      << "the file is that of the first horizon: reported again";
}

TEST(LocalExtension, AStudyThatIsNotOverIsFinishedFirst) {
  Place place;
  {
    LocalStudy study(test_definition(with_horizon(9)), place.options, kExtensionSerial);
    place.measure(study, 10);
  }
  place.options.horizon = 14;
  EXPECT_EQ(place.run(with_horizon(9)), simulated(protocol::extended(with_horizon(9), 14)));
  EXPECT_FALSE(place.measured_twice());
}

TEST(LocalExtension, ANewStudyBeginsWithTheHorizonOfTheOptions) {
  Place place;
  place.options.horizon = 14;
  EXPECT_EQ(place.run(with_horizon(9)), simulated(with_horizon(14)));
  EXPECT_TRUE(place.last.earlier_horizons.empty());
}

TEST(LocalExtension, ASmallerHorizonIsRefused) {
  Place place;
  place.run(with_horizon(9));
  place.run(with_horizon(14));
  const auto refused = [&](std::uint32_t horizon) {
    return error_text([&] {
      LocalStudy(test_definition(with_horizon(horizon)), place.options, kExtensionSerial);
    });
  };
  EXPECT_THAT(refused(10), HasSubstr("study.horizon = 10: the study in"));
  EXPECT_THAT(refused(10), HasSubstr("ends at 14 queries per agent"));
  place.options.horizon = 9;
  EXPECT_THAT(refused(9), HasSubstr("horizon = 9: the study in"));
  place.options.horizon = 14;
  EXPECT_EQ(refused(9), "");
}

TEST(LocalExtension, OtherChangesAreRefusedAsEver) {
  Place place;
  place.run(with_horizon(9));
  protocol::Study other = with_horizon(14);
  other.beta = 0.25;
  EXPECT_THAT(
      error_text([&] { LocalStudy(test_definition(other), place.options, kExtensionSerial); }),
      HasSubstr("duets.beta is 0.5 there and 0.25 here"));
}

// Open queries become holes, there is a recommendation, and the records alone give the same run.
TEST(LocalExtension, AnEarlyEndIsWithoutAClockInTheRecords) {
  for (const protocol::ClosingRule closing :
       {protocol::ClosingRule::kBest, protocol::ClosingRule::kProjection}) {
    protocol::Study study = with_horizon(9);
    study.closing = closing;
    Place place;
    LocalStudy local(test_definition(study), place.options, kExtensionSerial);
    EXPECT_EQ(error_kind([&] { local.end(); }), ErrorKind::kInvalid) << "nothing is known yet";
    place.measure(local, 8);
    const auto under_way = local.ask();
    local.end();
    EXPECT_TRUE(local.finished());
    EXPECT_EQ(protocol::lengths(*local.definition().study).back(), 0U);
    EXPECT_TRUE(local.summary().recommendation());
    EXPECT_EQ(error_kind([&] { local.tell(*under_way, Value{1}); }), ErrorKind::kInvalid);
    EXPECT_EQ(local.trials().size(), 18U);
    EXPECT_THAT(local.trials().back().text, HasSubstr("ended early"));
    local.end();  // once more: nothing

    protocol::TestRun again = test_run(*local.definition().study);
    again.run_epoch();
    const auto away = protocol::absence_in(local.summary().participation(), 2);
    EXPECT_EQ(away.holes.size(), 3U);
    again.run_epoch(away.excluded, away.holes);
    again.finish();
    EXPECT_EQ(local.summary().run_digest(), again.summary().run_digest());
    EXPECT_EQ(local.summary().state_digest(), again.summary().state_digest());
  }
}

TEST(LocalExtension, AnEarlyEndInTheLastEpochLeavesHolesOnly) {
  Place place;
  LocalStudy local(test_definition(with_horizon(9)), place.options, kExtensionSerial);
  place.measure(local, 20);
  EXPECT_EQ(local.epoch(), 3U);
  local.end();
  EXPECT_TRUE(local.finished());
  EXPECT_TRUE(local.definition().study->ended_after.empty());
  EXPECT_EQ(local.summary().participation().count(3), 1U);
}

TEST(LocalExtension, AStudyThatEndedEarlyIsExtended) {
  Place place;
  {
    LocalStudy local(test_definition(with_horizon(9)), place.options, kExtensionSerial);
    place.measure(local, 8);
    local.end();
  }
  const std::size_t before = place.measured.size();
  place.run(with_horizon(9));
  EXPECT_EQ(place.measured.size(), before) << "the same command only reports";
  place.run(with_horizon(12));
  EXPECT_THAT(place.last.ended_after, ElementsAre(2));
  EXPECT_THAT(place.last.earlier_horizons, ElementsAre(9));
  EXPECT_EQ(protocol::num_queries_each(place.last), 12U);
  EXPECT_FALSE(place.measured_twice());
}

// It ended after 6 of 9 queries: one more is an extension, and the file's 9 no wish for more.
TEST(LocalExtension, AfterAnEarlyEndAFewMoreAreEnough) {
  Place place;
  {
    LocalStudy local(test_definition(with_horizon(9)), place.options, kExtensionSerial);
    place.measure(local, 8);
    local.end();
  }
  place.options.horizon = 6;
  EXPECT_THAT(error_text([&] { place.run(with_horizon(9)); }),
              HasSubstr("ends at 6 queries per agent"));
  place.options.horizon = 7;
  place.run(with_horizon(9));
  EXPECT_EQ(protocol::num_queries_each(place.last), 7U);
  EXPECT_THAT(place.last.earlier_horizons, ElementsAre(9));
  const std::size_t before = place.measured.size();
  EXPECT_EQ(before, 8U + 3U);
  place.options.horizon = 0;
  place.run(with_horizon(9));
  EXPECT_EQ(place.measured.size(), before);
  EXPECT_FALSE(place.measured_twice());
}

TEST(LocalExtension, EndsWhenNoGainIsExpected) {
  Place place;
  place.options.until_gain = 1e6;  // more than any function of this kind gains
  place.run(deciding_study());
  EXPECT_THAT(place.last.ended_after, ElementsAre(2)) << "two epochs have to say so";
  const std::vector<std::uint32_t> lengths = protocol::lengths(deciding_study());
  EXPECT_EQ(place.measured.size(), 4U * (lengths[0] + lengths[1]));

  Place other;
  other.options.until_gain = 1e-9;
  other.run(deciding_study());
  EXPECT_TRUE(other.last.ended_after.empty());
  EXPECT_EQ(error_kind([&] { Place().run(with_horizon(9)); }), std::nullopt);
  EXPECT_THAT(error_text([&] {
                LocalStudy(test_definition(with_horizon(9)), other.options, kExtensionSerial);
              }),
              HasSubstr("needs duets.cut = \"decision\""));
  for (const double gain : {-1.0, std::numeric_limits<double>::quiet_NaN()}) {
    other.options.until_gain = gain;
    EXPECT_THAT(error_text([&] { other.run(deciding_study()); }), HasSubstr("must be positive"));
  }
}

// The gain that an early end compares with, after every epoch of a run that no gain ends.
std::vector<double> gains_of(const protocol::Study& study, const study::Objective& objective) {
  Place place;
  place.objective = objective;
  place.options.until_gain = 1e-300;
  LocalStudy* local = nullptr;
  std::vector<double> gains;
  place.options.event = [&](const protocol::Event& event) {
    const bool ended = std::holds_alternative<protocol::EpochEnded>(event);
    if (ended && local != nullptr && !local->finished()) gains.push_back(*local->expected_gain());
  };
  LocalStudy run(test_definition(study, objective), place.options, kExtensionSerial);
  local = &run;
  place.measure(run);
  return gains;
}

// After the first two epochs in a row that leave less to expect than the first one did, in the
// objective's units.
TEST(LocalExtension, EndsWhenTwoEpochsExpectLittle) {
  const protocol::Study study = deciding_study();
  Place place;
  place.objective.scale = 4;
  const std::vector<double> gains = gains_of(study, place.objective);
  const auto less = std::ranges::adjacent_find(
      gains, [&](double a, double b) { return std::max(a, b) < gains.front(); });
  ASSERT_NE(less, gains.end());
  place.options.until_gain = (gains.front() + std::max(less[0], less[1])) / 2;
  place.run(study);
  EXPECT_THAT(place.last.ended_after, ElementsAre(less - gains.begin() + 2));
  const std::vector<double> in_other_units = gains_of(study, {});
  EXPECT_NEAR(gains.front(), 4 * in_other_units.front(), 1e-6 * gains.front());
}

// What earlier cuts may have lost is revised: with every reward less can be gained, and where the
// function is simple almost nothing is left long before the end.
TEST(LocalExtension, TheExpectedGainFallsAsRewardsCome) {
  const std::vector<double> gains = gains_of(deciding_study(), {});
  ASSERT_GE(gains.size(), 4U);
  EXPECT_LT(gains.back(), gains.front() / 10);
}

// Queries that were not asked cannot become holes of another run.
TEST(LocalExtension, AnEarlyEndIsNotRepeatedInANewJournal) {
  Place place;
  {
    LocalStudy local(test_definition(with_horizon(9)), place.options, kExtensionSerial);
    place.measure(local, 8);
    local.end();
    place.last = *local.definition().study;
  }
  EXPECT_THAT(error_text([&] { Place().run(place.last); }),
              HasSubstr("study.ended_after = [2]: is of a study that was ended early"));
  const std::size_t before = place.measured.size();
  place.run(protocol::Study(place.last));
  EXPECT_EQ(place.measured.size(), before) << "its own journal reports it";
}

struct Cut {};

// The process may die around every write, while a study is ended early, and while it is extended.
TEST(LocalExtension, KilledAtEveryWriteItContinuesWithTheSameRun) {
  protocol::Study few = with_horizon(9);
  few.agents = 2;
  for (const bool by_gain : {false, true}) {
    protocol::Study first = by_gain ? deciding_study() : few;
    if (by_gain) first.horizon = 6;
    protocol::Study second = first;
    second.horizon += 3;
    std::optional<base::Digest> undisturbed;
    for (const std::string_view at_place : {"append.before", "append.after"}) {
      for (int fatal = -1;; ++fatal) {
        Place place;
        int num_writes = 0;
        bool was_killed = false;
        storage::install_fail_point([&](std::string_view at) {
          if (at == at_place && num_writes++ == fatal) throw Cut{};
        });
        bool extends = false;
        for (bool over = false; !over;) {
          try {
            place.options.until_gain = by_gain && !extends ? 1e6 : 0;
            LocalStudy study(test_definition(extends ? second : first), place.options,
                             kExtensionSerial);
            if (!extends && !by_gain) {
              const std::size_t known = study.trials().size();
              place.measure(study, known < 6 ? 6 - known : 0);
              study.end();
            }
            place.measure(study);
            over = extends;
            extends = true;
            if (!over) continue;
            EXPECT_EQ(study.definition().study->ended_after.size(), 1U);
            if (!undisturbed) undisturbed = study.summary().state_digest();
            EXPECT_EQ(study.summary().state_digest(), *undisturbed)
                << at_place << ", write " << fatal;
          } catch (const Cut&) {
            was_killed = true;
          }
        }
        storage::install_fail_point({});
        int repeated = 0;
        for (const auto& [trial, count] : place.measured) repeated += count - 1;
        EXPECT_LE(repeated, at_place == "append.before" ? 1 : 0) << at_place << fatal;
        if (fatal >= 0 && !was_killed) break;
      }
    }
  }
}

TEST(LocalExtension, AnOperatorExtendsAFinishedStudyOnDisk) {
  Place place;
  const auto executor = std::make_shared<base::SerialExecutor>();
  {
    LocalStudy local(test_definition(with_horizon(9)), place.options, kExtensionSerial);
    place.measure(local, 8);
  }
  const auto operators = stored_operators(place.options.storage, executor);
  EXPECT_THAT(error_text([&] { operators->extend("", 14); }), HasSubstr("is running"));
  place.run(with_horizon(9));
  EXPECT_THAT(error_text([&] { operators->extend("", 9); }),
              HasSubstr("horizon = 9: must be larger than 9"));
  operators->extend("", 14);
  EXPECT_EQ(operators->status("").state(), v1::STUDY_STATE_RUNNING);
  EXPECT_EQ(operators->status("").horizon(), 14U);
  EXPECT_EQ(place.run(with_horizon(9)), simulated(protocol::extended(with_horizon(9), 14)));
}

class SlowObjective final : public Objective {
 public:
  Answer ask(const Query& query, const std::atomic<bool>& /*abandon*/) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return Value{wavy_value(query)};
  }
};

// No assertion on how many: that depends on the machine.
TEST(LocalExtension, ALoopEndsWhenItsTimeIsUp) {
  Place place;
  LocalStudy study(test_definition(with_horizon(2000)), place.options, kExtensionSerial);
  std::vector<std::unique_ptr<Objective>> all;
  for (int i = 0; i < 2; ++i) all.push_back(std::make_unique<SlowObjective>());
  const std::atomic<bool> never{false};
  LocalLoopOptions options;
  options.seconds = 0.2;
  EXPECT_TRUE(run_local(study, all, never, never, options));
  EXPECT_EQ(study.definition().study->ended_after.size(), 1U);
  EXPECT_LT(protocol::num_queries_each(*study.definition().study), 2000U);
}

}  // namespace
}  // namespace duets::service
