#include "duets/lab/presets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "duets/base/error.h"

namespace duets::lab {
namespace {

const protocol::Study& preset_study_of(const Instance& instance) {
  return *instance.simulation.study;
}

// Section "Empirical Studies" of the paper, and what its text leaves to us (docs/departures.md).
TEST(Presets, PaperIsAsPrinted) {
  ASSERT_EQ(paper_functions().size(), 4u);
  for (const std::string_view function : paper_functions()) {
    const Instance instance = preset_instance("paper", function, 1);
    const protocol::Study& study = preset_study_of(instance);
    EXPECT_EQ(study.agents, 10U);
    EXPECT_EQ(study.horizon, 50U);
    EXPECT_EQ(study.t1, 2U);
    EXPECT_EQ(study.p0, 10);
    EXPECT_EQ(study.rate, protocol::CoinRate::kVariance);
    EXPECT_EQ(study.lambda, 0.2);
    EXPECT_EQ(study.kernel.family, kernel::Family::kSquaredExponential);
    EXPECT_EQ(study.kernel.lengthscales, (std::vector{function == "branin" ? 0.2 : 1.0}));
    EXPECT_EQ(study.upload, protocol::UploadRule::kProjection);
    EXPECT_EQ(protocol::lengths(study), (std::vector<std::uint32_t>{2, 10, 22, 16}));
    EXPECT_EQ(study.domain->candidates().rows(), 2000);
    EXPECT_EQ(instance.simulation.noise.level, 0.2);
    // Regret is against the best candidate.
    numeric::Vector values(2000);
    instance.simulation.problem->values(study.domain->candidates(), {values.data(), 2000});
    EXPECT_EQ(*instance.simulation.reference, values.maxCoeff());
  }
}

TEST(Presets, AsPlottedHasTheSettingsThatTheCurvesShow) {
  constexpr std::array<double, 4> kRates{30, 10, 4, 16};
  for (std::size_t i = 0; i < 4; ++i) {
    const std::string_view function = paper_functions()[i];
    const Instance instance = preset_instance("as-plotted", function, 1);
    const protocol::Study& study = preset_study_of(instance);
    EXPECT_EQ(study.rate, protocol::CoinRate::kCount);
    EXPECT_EQ(study.p0, kRates[i]);
    const auto expected = function == "hartmann4" ? std::vector<std::uint32_t>{5, 16, 29}
                                                  : std::vector<std::uint32_t>{2, 10, 23, 15};
    EXPECT_EQ(protocol::lengths(study), expected);
    if (function == "branin") {
      EXPECT_NEAR(*instance.simulation.reference, 1.0474, 1e-4);
    }
  }
}

TEST(Presets, CandidatesFillTheBallOrLieOnTheSphere) {
  const auto printed = preset_instance("paper", "h1", 2);
  const auto plotted = preset_instance("as-plotted", "h1", 2);
  const auto norms = [](const Instance& instance) {
    return numeric::Vector(preset_study_of(instance).domain->candidates().rowwise().norm());
  };
  EXPECT_LE(norms(printed).maxCoeff(), 1);
  EXPECT_LT(norms(printed).minCoeff(), 0.9);
  EXPECT_NEAR(norms(plotted).minCoeff(), 1, 1e-14);
  EXPECT_NEAR(norms(plotted).maxCoeff(), 1, 1e-14);
}

TEST(Presets, EverySeedHasItsOwnCandidatesAndFunction) {
  const auto one = preset_instance("paper", "h1", 1);
  const auto two = preset_instance("paper", "h1", 2);
  EXPECT_NE(preset_study_of(one).domain->candidates()(0, 0),
            preset_study_of(two).domain->candidates()(0, 0));
  const std::vector<double> x(10, 0.2);
  EXPECT_NE(one.simulation.problem->value(x), two.simulation.problem->value(x));
}

TEST(StudyExperiment, AllThatWasChosen) {
  const auto algorithms = builtin_algorithms();
  const Experiment whole = study_experiment({}, algorithms);
  EXPECT_EQ(num_shown(whole), 8U);
  EXPECT_EQ(whole.seeds, seeds_from(1, 50));
  EXPECT_EQ(whole.selection_seeds, seeds_from(1'000'001, 50));
  EXPECT_EQ(whole.tasks.front().contenders.size(), 4 * 5U);
  EXPECT_EQ(num_runs(whole), (50U + 50) * 4 * 4 * (5 + 5)) << "every algorithm has a choice";
  const Experiment part = study_experiment({.presets = {"as-plotted"},
                                            .functions = {"branin"},
                                            .algorithms = {"duets", "uniform"},
                                            .betas = {0.3, 3},
                                            .runs = 2,
                                            .first_seed = 8},
                                           algorithms);
  ASSERT_EQ(part.tasks.size(), 2U);
  EXPECT_EQ(part.tasks[0].contenders.size(), 3U);  // uniform play has no beta
  EXPECT_EQ(part.tasks[1].contenders.size(), 2U);
  EXPECT_EQ(part.seeds, (std::vector<std::uint64_t>{8, 9}));
}

// The paper's grid, to the letter; lower betas have a preset of their own, on the same problems.
TEST(StudyExperiment, TheGridOfPaperIsPrinted) {
  EXPECT_EQ(preset_betas("paper"), (std::vector{0.2, 0.5, 1.0, 2.0, 5.0}));
  EXPECT_EQ(preset_betas("as-plotted"), preset_betas("paper"));
  EXPECT_EQ(preset_betas("wide-grid"), (std::vector{0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0}));
  const auto paper = preset_instance("paper", "h1", 3);
  const auto wide = preset_instance("wide-grid", "h1", 3);
  EXPECT_EQ(preset_study_of(paper).domain->candidates(),
            preset_study_of(wide).domain->candidates());
  EXPECT_EQ(protocol::lengths(preset_study_of(paper)), protocol::lengths(preset_study_of(wide)));
}

TEST(StudyExperiment, NamesWhatItRefuses) {
  const auto algorithms = builtin_algorithms();
  const auto refused = [&](const StudyChoice& choice, const std::string& words) {
    try {
      study_experiment(choice, algorithms);
      ADD_FAILURE() << "accepted, should say " << words;
    } catch (const base::Error& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr(words));
    }
  };
  refused({.presets = {"printed"}}, "preset = \"printed\": must be one of paper, as-plotted");
  refused({.functions = {"h3"}}, "function = \"h3\": must be one of h1, h2, branin, hartmann4");
  refused({.algorithms = {"ucb"}}, "algorithm = \"ucb\": must be one of duets, duets-auto");
  refused({.betas = {-1}}, "beta = -1: must be at least 0");
  refused({.betas = {std::numeric_limits<double>::infinity()}}, "beta = inf");
  refused({.runs = 0}, "runs = 0: must be at least 1");
}

}  // namespace
}  // namespace duets::lab
