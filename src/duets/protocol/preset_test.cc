#include "duets/protocol/preset.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "duets/protocol/run_test_support.h"
#include "duets/random/coin.h"
#include "duets/region/draw.h"

namespace duets::protocol {
namespace {

using domain::Domain;
using domain::ParameterType;

TEST(Preset, NamesAndPresetsBelongTogether) {
  for (const Preset& preset : presets()) {
    EXPECT_EQ(find_preset(preset.name), &preset);
    EXPECT_FALSE(preset.meaning.empty());
  }
  EXPECT_EQ(presets().front().name, "paper");
  EXPECT_EQ(find_preset(""), nullptr);
  EXPECT_EQ(find_preset("Quick"), nullptr);
}

TEST(Preset, EveryBundleIsAValidStudyOnEveryDomain) {
  for (const Preset& preset : presets()) {
    for (const Domain& domain :
         {Domain::box(3), Domain::ball(2, 0.5), Domain::finite(lattice(7, 2))}) {
      Study study = small_study(domain);
      apply_preset(preset, study);
      EXPECT_NO_THROW(validate(study)) << preset.name;
    }
  }
}

// Whatever a study had before, afterwards it is the bundle's; what is no part of it stays.
TEST(Preset, SetsAllOfItsFieldsAndNoOther) {
  for (const Preset& preset : presets()) {
    for (const Preset& before : presets()) {
      Study study = small_study();
      apply_preset(preset, study);
      Study twice = small_study();
      apply_preset(before, twice);
      apply_preset(preset, twice);
      // One that learns nothing leaves the kernel to the study.
      if (study.parameters == Parameters::kFixed) twice.kernel = study.kernel;
      EXPECT_EQ(study_digest(study), study_digest(twice)) << before.name << ", " << preset.name;
    }
    Study study = small_study();
    study.schedule = ScheduleRule::kExplicit;
    study.epochs = {study.horizon};
    study.lambda = 0.7;
    apply_preset(preset, study);
    EXPECT_TRUE(study.epochs.empty());
    EXPECT_EQ(study.lambda, 0.7);
  }
}

TEST(Preset, AGoalIsASetOfKeysOfAValidStudy) {
  for (const char* name : {"auto", "quick", "safe"}) {
    for (const Domain& domain : {Domain::box(3), Domain::finite(lattice(7, 2))}) {
      Study earn = small_study(domain);
      apply_preset(*find_preset(name), earn);
      Study study = earn;
      apply_goal(Goal::kEarn, study);
      EXPECT_EQ(study_digest(study), study_digest(earn)) << name;
      apply_goal(Goal::kFind, study);
      EXPECT_NO_THROW(validate(study)) << name;
      EXPECT_EQ(study.cut, CutRule::kDecision);
      EXPECT_EQ(study.t1, 2 * earn.t1);
      EXPECT_LE(kept_share(study), kept_share(earn) + 1e-12) << "later cuts may be sharper";
      // A preset takes back what a goal has set.
      apply_preset(*find_preset(name), study);
      EXPECT_EQ(study_digest(study), study_digest(earn)) << name;
    }
  }
}

// Every category gets some rewards before the first cut.
TEST(Preset, FindBeginsWithLongerEpochsWhereThereAreCategories) {
  using domain::Parameter;
  using domain::ParameterType;
  const Parameter real{.name = "x"};
  const Parameter choice{.name = "c", .type = ParameterType::kCategorical, .choices = {"a", "b"}};
  for (const bool categories : {false, true}) {
    Study study =
        small_study(categories ? domain::Domain::box({real, choice}) : domain::Domain::box({real}));
    apply_preset(*find_preset("auto"), study);
    apply_goal(Goal::kFind, study);
    EXPECT_EQ(study.t1, categories ? 4U : 2U);
  }
}

TEST(Preset, OnlyALearnedModelUsesTheLastEpoch) {
  for (const Preset& preset : presets()) {
    Study study = small_study();
    apply_preset(preset, study);
    const bool learns = study.parameters == Parameters::kLearned;
    EXPECT_EQ(study.closing == ClosingRule::kAll, learns) << preset.name;
    EXPECT_EQ(study.family, learns) << preset.name;
    EXPECT_EQ(study.kernel.family == kernel::Family::kMatern52, learns) << preset.name;
  }
}

TEST(Preset, TheSelfTuningOnesAreWhatTheyAreCalled) {
  Study quick = small_study(Domain::box(2));
  apply_preset(*find_preset("quick"), quick);
  EXPECT_EQ(quick.beta, 0.2);
  EXPECT_EQ(quick.side_floor, 0.02);
  EXPECT_EQ(quick.epoch_floor, 1.0);
  EXPECT_EQ(quick.schedule, ScheduleRule::kPairedDoubling);
  EXPECT_EQ(quick.t1, 1U);
  EXPECT_EQ(quick.inducing, Inducing::kPublic);
  EXPECT_EQ(quick.data, DataPolicy::kSurviving);
  EXPECT_EQ(quick.parameters, Parameters::kLearned);
  EXPECT_EQ(quick.coins, Coins::kStratified);
  Study safe = small_study(Domain::box(2));
  apply_preset(*find_preset("safe"), safe);
  EXPECT_EQ(safe.beta, 0.4);
  EXPECT_EQ(safe.side_floor, 0.05);
  EXPECT_EQ(safe.epoch_floor, 0.5);
  // Safe keeps more after every cut, whatever the horizon.
  for (const std::uint32_t horizon : {2U, 10U, 50U, 1000U}) {
    quick.horizon = safe.horizon = horizon;
    if (kept_share(quick) < safe.epoch_floor) {
      EXPECT_GE(kept_share(safe), kept_share(quick)) << horizon;
    }
  }
}

// The same side in any dimension; the larger floor counts.
TEST(Preset, AFloorIsASideOrAVolume) {
  for (const std::size_t d : {1U, 2U, 6U}) {
    Study study = small_study(Domain::box(d));
    study.schedule = ScheduleRule::kExplicit;
    study.epochs = {1, 1, 1, study.horizon - 3};
    EXPECT_FALSE(has_floor(study));
    EXPECT_EQ(kept_share(study), 0.0);
    study.side_floor = 0.1;
    EXPECT_NEAR(std::pow(kept_share(study), 3), std::pow(0.1, d), 1e-12) << "after three cuts";
    Study halved = study;
    halved.epoch_floor = 0.5;
    EXPECT_NE(study_digest(halved), study_digest(study)) << "another cut, another study";
    study.volume_floor = 0.5;
    EXPECT_NEAR(std::pow(kept_share(study), 3), 0.5, 1e-12);
    study.side_floor = 0;
    EXPECT_NEAR(std::pow(kept_share(study), 3), 0.5, 1e-12);
  }
}

TEST(Preset, ThePapersAreTheDefaults) {
  Study study = small_study();
  apply_preset(*find_preset("auto"), study);
  study.kernel = small_study().kernel;
  study.p0 = 7;
  study.rate = CoinRate::kCount;
  apply_preset(*find_preset("paper"), study);
  EXPECT_EQ(study_digest(study), study_digest(small_study()));
  EXPECT_EQ(study.beta, 0.5);
  EXPECT_FALSE(has_floor(study));
  EXPECT_EQ(study.parameters, Parameters::kFixed);
  EXPECT_EQ(study.coins, Coins::kIndependent);
  EXPECT_EQ(study.inducing, Inducing::kCoin);
  EXPECT_EQ(study.data, DataPolicy::kEpoch);
  EXPECT_EQ(study.schedule, ScheduleRule::kSqrtFloor);
}

TEST(GuessedLengthscale, HasTheFormulasOfCubeAndBall) {
  for (const std::size_t d : {1U, 2U, 10U}) {
    const auto n = static_cast<double>(d);
    EXPECT_NEAR(guessed_lengthscale(Domain::box(d)), std::sqrt(n / 6) / 2, 1e-15 * n);
    EXPECT_NEAR(guessed_lengthscale(Domain::ball(d, 3)), 3 * std::sqrt(2 * n / (n + 2)) / 2, 1e-14);
  }
}

// The mean squared distance of 20000 pairs of drawn points. None is above 4, so by Hoeffding the
// mean is off by more than 0.08 with probability below 2 exp(-2 20000 (0.08 / 4)^2) < 1e-6.
TEST(GuessedLengthscale, IsHalfTheDistanceOfDrawnPoints) {
  const Domain mixed =
      Domain::box({{.name = "a"},
                   {.name = "b", .type = ParameterType::kInt, .low = 1, .high = 3},
                   {.name = "c", .type = ParameterType::kCategorical, .choices = {"u", "v", "w"}}});
  const random::Coin coin = random::StudySecret::from_seed(1).public_coin();
  for (const Domain& domain : {Domain::box(4), Domain::ball(3, 1), mixed}) {
    constexpr Eigen::Index kPairs = 20000;
    numeric::Points latents(2 * kPairs, static_cast<Eigen::Index>(domain.dimension()));
    for (Eigen::Index i = 0; i < latents.rows(); ++i) {
      const random::Address address{.purpose = random::Purpose::kPublicPoint,
                                    .slot = static_cast<std::uint32_t>(i)};
      region::draw_point(coin, address, domain, {latents.row(i).data(), domain.dimension()});
    }
    const numeric::Points features = domain.features(latents);
    const double mean =
        (features.topRows(kPairs) - features.bottomRows(kPairs)).rowwise().squaredNorm().mean();
    const double guess = guessed_lengthscale(domain);
    EXPECT_NEAR(4 * guess * guess, mean, 0.08);
  }
}

TEST(GuessedLengthscale, IsOverAllPairsOfAFiniteSet) {
  numeric::Points points(3, 2);
  points << 0, 0, 3, 4, 0, 0;
  // Nine pairs, four of which are 5 apart.
  EXPECT_NEAR(guessed_lengthscale(Domain::finite(points)), std::sqrt(100.0 / 9) / 2, 1e-15);
}

TEST(GuessedLengthscale, PointsThatAreAllTheSameHaveOne) {
  EXPECT_EQ(guessed_lengthscale(Domain::finite(numeric::Points::Ones(5, 2))), 1.0);
  EXPECT_EQ(guessed_lengthscale(Domain::box(
                {{.name = "c", .type = ParameterType::kCategorical, .choices = {"only"}}})),
            1.0);
}

// Far from the origin the spread is not lost in the mean.
TEST(GuessedLengthscale, DoesNotDependOnTheOrigin) {
  numeric::Points points(4, 1);
  points << 0, 1, 2, 3;
  const double here = guessed_lengthscale(Domain::finite(points));
  const double there = guessed_lengthscale(Domain::finite((points.array() + 1024).matrix()));
  EXPECT_EQ(here, there);
}

}  // namespace
}  // namespace duets::protocol
