#include "duets/base/enum_table.h"

#include <gtest/gtest.h>

namespace duets::base {

enum class Fruit : std::uint8_t { kApple = 1, kPear = 2, kFig = 40 };

constexpr auto enum_entries(Fruit /*tag*/) {
  return entries<Fruit>(
      {{Fruit::kPear, "pear", "grows on trees"}, {Fruit::kApple, "apple"}, {Fruit::kFig, "fig"}});
}

namespace {

// Everything but the error is known while compiling.
static_assert(name_of(Fruit::kPear) == "pear");
static_assert(meaning_of(Fruit::kPear) == "grows on trees");
static_assert(named<Fruit>("fig") == Fruit::kFig);
static_assert(!named<Fruit>("Fig"));
static_assert(numbered<Fruit>(40) == Fruit::kFig);
static_assert(!numbered<Fruit>(0) && !numbered<Fruit>(3) && !numbered<Fruit>(256 + 1));
static_assert(entries_of<Fruit>().front().value == Fruit::kPear);

// A table that leaves an enumerator out, or repeats one, fails the static_assert in Checked.
static_assert(enum_table::is_complete(enum_entries(Fruit{})));
static_assert(!enum_table::is_complete(entries<Fruit>({{Fruit::kApple, "a"}, {Fruit::kFig, "f"}})));
static_assert(!enum_table::all_differ(
    entries<Fruit>({{Fruit::kApple, "a"}, {Fruit::kFig, "f"}, {Fruit::kFig, "g"}})));
static_assert(!enum_table::all_differ(
    entries<Fruit>({{Fruit::kApple, "a"}, {Fruit::kPear, "a"}, {Fruit::kFig, "f"}})));
static_assert(!enum_table::all_differ(
    entries<Fruit>({{Fruit::kApple, ""}, {Fruit::kPear, "p"}, {Fruit::kFig, "f"}})));

TEST(EnumTable, ANumberWithoutAnEnumeratorHasNoName) {
  EXPECT_EQ(name_of(static_cast<Fruit>(3)), "?");
  EXPECT_EQ(meaning_of(static_cast<Fruit>(3)), "");
}

TEST(EnumTable, ANumberFromElsewhereIsAnEnumeratorOrAnErrorThatListsThem) {
  EXPECT_EQ(enum_of<Fruit>(2, "fruit"), Fruit::kPear);
  try {
    enum_of<Fruit>(3, "basket.fruit", ErrorKind::kDecode);
    FAIL() << "3 is no fruit";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kDecode);
    EXPECT_STREQ(error.what(), "basket.fruit = 3: must be 2 (pear), 1 (apple) or 40 (fig)");
  }
  EXPECT_THROW(enum_of<Fruit>(256 + 1, "fruit"), Error);
}

}  // namespace
}  // namespace duets::base
