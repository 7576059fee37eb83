#include "duets/lab/unit_codec.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "duets/base/error.h"

namespace duets::lab {
namespace {

TEST(UnitCodec, GivesBackEveryBit) {
  const double denormal = std::numeric_limits<double>::denorm_min();
  const Unit unit{
      {{1, 2}, {0.1, -0.0}, {1, 2}, {denormal, 4}, {5, 1e300}, {6, 7}, {8, 9}, 2, 0.3, true},
      {},
      {{7}, {1}, {2}, {3}, {4}, {5}, {6}, 0, -denormal, false}};
  const auto back = unit_of(unit_bytes(unit));
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, unit);
  EXPECT_TRUE(std::signbit((*back)[0].regret[1]));
  EXPECT_EQ(unit_of(unit_bytes(Unit{})), std::optional(Unit{}));
  EXPECT_EQ(unit_of(unit_bytes(std::nullopt)), std::nullopt);
}

TEST(UnitCodec, RefusesWhatIsCutShortOrTooLong) {
  const base::Bytes whole = unit_bytes(Unit{{{1}, {1}, {2}, {3}, {4}}});
  for (std::size_t size = 1; size < whole.size(); ++size) {
    const base::Bytes part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_THROW(unit_of(part), base::Error) << size;
  }
  base::Bytes longer = whole;
  longer.push_back(0);
  EXPECT_THROW(unit_of(longer), base::Error);
}

}  // namespace
}  // namespace duets::lab
