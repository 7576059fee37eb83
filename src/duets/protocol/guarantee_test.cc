#include "duets/protocol/guarantee.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace duets::protocol {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// beta may be the user's or a preset's: the sentence holds for both.
TEST(Guarantee, TunedModeClaimsNothingAndDoesNotSayWhoChose) {
  Study study;
  const std::string fixed = guarantee_of(study, true);
  EXPECT_THAT(fixed,
              StartsWith("None: mode = \"tuned\" cuts by a chosen beta, not by the theorem"));
  study.parameters = Parameters::kLearned;
  const std::string learned = guarantee_of(study, true);
  EXPECT_THAT(learned,
              StartsWith("None: mode = \"tuned\" cuts by a chosen beta and a learned model"));
  for (const std::string& text : {fixed, learned}) EXPECT_THAT(text, Not(HasSubstr("user")));
}

TEST(Guarantee, TheoryModeClaimsTheTheoremUnlessAnAgentWasMissing) {
  Study study;
  study.mode = Mode::kTheory;
  study.delta = 0.1;
  EXPECT_THAT(guarantee_of(study, true), HasSubstr("probability at least 0.9"));
  EXPECT_THAT(guarantee_of(study, false), StartsWith("None: an agent was excluded"));
}

// Each stage may fail with probability delta, and no bound on the regret is left.
TEST(Guarantee, SaysWhatAnExtensionDoesToTheTheorem) {
  Study study;
  study.mode = Mode::kTheory;
  study.delta = 0.1;
  study.horizon = 14;
  EXPECT_EQ(horizon_changes_of(study), "");
  study = extended(study, 20);
  EXPECT_THAT(guarantee_of(study, true), HasSubstr("probability at least 0.8"));
  EXPECT_THAT(guarantee_of(study, true), HasSubstr("The horizon was changed"));
  EXPECT_THAT(guarantee_of(study, true), HasSubstr("is not claimed"));
  EXPECT_EQ(horizon_changes_of(study), "planned with 14 queries of each agent, extended to 20");
  EXPECT_EQ(horizon_changes_of(ended_early(study, EpochId{4})),
            "planned with 14 queries of each agent, extended to 20, ended early after epoch 4");
}

}  // namespace
}  // namespace duets::protocol
