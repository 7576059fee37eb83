#include "duets/region/fingerprint.h"

#include <gtest/gtest.h>

#include <cfenv>
#include <string>

#include "duets/base/error.h"

namespace duets::region {
namespace {

TEST(Fingerprint, ThisMachineComputesTheExpectedBits) {
  EXPECT_EQ(base::to_hex(numeric_fingerprint()), base::to_hex(expected_fingerprint()));
  EXPECT_NO_THROW(require_platform());
}

TEST(Fingerprint, IsTheSameOnEveryCall) {
  EXPECT_EQ(base::to_hex(numeric_fingerprint()), base::to_hex(numeric_fingerprint()));
}

// The control: another rounding mode is refused, by its name.
TEST(Fingerprint, AnotherRoundingModeIsRefused) {
  ASSERT_EQ(std::fesetround(FE_UPWARD), 0);
  base::ErrorKind kind{};
  std::string message;
  try {
    require_platform();
  } catch (const base::Error& error) {
    kind = error.kind();
    message = error.what();
  }
  std::fesetround(FE_TONEAREST);
  EXPECT_EQ(kind, base::ErrorKind::kPlatform);
  EXPECT_NE(message.find("round to nearest"), std::string::npos) << message;
}

}  // namespace
}  // namespace duets::region
