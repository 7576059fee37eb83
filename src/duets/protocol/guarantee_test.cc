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

}  // namespace
}  // namespace duets::protocol
