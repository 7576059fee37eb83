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
  protocol::apply_preset(*protocol::find_preset("auto"), study);
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
    const protocol::Study tuned = preset_study(study, preset);
    EXPECT_EQ(tuned.mode, protocol::Mode::kTuned);
    EXPECT_NO_THROW(protocol::validate(tuned));
  }
}

}  // namespace
}  // namespace duets::lab
