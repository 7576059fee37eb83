#include "duets/lab/algorithms.h"

#include <gtest/gtest.h>

#include "duets/lab/variants.h"

namespace duets::lab {
namespace {

Curves only_run(const Algorithm& algorithm, const Instance& instance) {
  const std::vector<double> betas{0.1, 1};
  const std::vector<Contender> all = contenders(algorithm, betas);
  EXPECT_EQ(all.size(), 1u) << "a preset has its own beta";
  return all.front().run(instance);
}

TEST(Algorithms, APresetGuessesTheLengthScaleUnlessItWasGiven) {
  const std::vector<Algorithm> algorithms = builtin_algorithms();
  Algorithm automatic = find_algorithm(algorithms, "duets-auto");
  EXPECT_EQ(automatic.name, "DUETS auto");
  const Instance instance = variants_instance("branin", 1);
  const protocol::Study& given = *instance.simulation.study;
  protocol::Study study = given;
  protocol::apply_preset(*automatic.preset, study);
  protocol::apply_goal(automatic.preset->goal, study);
  const Curves kept = play_duets(instance, study);
  study.kernel.lengthscales = {protocol::guessed_lengthscale(*study.domain)};
  const Curves guessed = play_duets(instance, study);
  EXPECT_NE(kept, guessed) << "the two must be told apart by what follows";
  EXPECT_EQ(only_run(automatic, instance), guessed);
  automatic.keeps_lengthscale = true;
  EXPECT_EQ(only_run(automatic, instance), kept);
}

TEST(Algorithms, APresetLeavesTheoryBehind) {
  protocol::Study study = *variants_instance("branin", 1).simulation.study;
  study.mode = protocol::Mode::kTheory;
  for (const protocol::Preset& preset : protocol::presets()) {
    const protocol::Study tuned = preset_study(study, preset, preset.goal);
    EXPECT_EQ(tuned.mode, protocol::Mode::kTuned);
    EXPECT_NO_THROW(protocol::validate(tuned));
  }
}

// The published D alone, or a grid of which the best is shown.
TEST(Algorithms, SeveralThresholdsAreOneGrid) {
  Algorithm rival = find_algorithm(builtin_algorithms(), "dis-kernel-ucb");
  const std::vector<double> betas{0.5, 1};
  const std::vector<Contender> published = contenders(rival, betas);
  ASSERT_EQ(published.size(), 2u);
  EXPECT_EQ(published[0].label(), "DisKernelUCB");
  rival.thresholds = {0.1, 10};
  const std::vector<Contender> grid = contenders(rival, betas);
  ASSERT_EQ(grid.size(), 4u);
  EXPECT_EQ(grid[0].label(), "DisKernelUCB (D = 0.1)");
  for (const Contender& contender : grid) EXPECT_EQ(contender.grid_label(), "DisKernelUCB");
  const Instance instance = variants_instance("branin", 1);
  EXPECT_EQ(grid[3].run(instance), published[1].run(instance)) << "D = 10 is the published one";
  EXPECT_GT(grid[1].run(instance).paper.back(), grid[3].run(instance).paper.back());
}

}  // namespace
}  // namespace duets::lab
