#include "duets/domain/shown_value.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace duets::domain {
namespace {

const std::vector<Parameter>& parameters() {
  static const std::vector<Parameter> all{
      Parameter{.name = "rate"},
      Parameter{.name = "layers", .type = ParameterType::kInt, .low = -8, .high = 5e6},
      Parameter{
          .name = "color", .type = ParameterType::kCategorical, .choices = {"green", "4", "x, y"}}};
  return all;
}

ShownValue shown(std::size_t coordinate, double value) {
  return shown_value(parameters(), coordinate, value);
}

TEST(ShownValue, AnIntIsAnIntAtEverySize) {
  EXPECT_EQ(shown(1, 4), ShownValue(std::int64_t{4}));
  for (const auto& [value, text] : {std::pair{4.0, "4"},
                                    {-8.0, "-8"},
                                    {-0.0, "0"},
                                    {1234567.0, "1234567"},
                                    {1e16 / 2, "5000000000000000"}}) {
    EXPECT_EQ(to_text(shown(1, value)), text);
    EXPECT_EQ(to_text(shown(1, value), 3), text) << "digits are for other numbers";
  }
}

TEST(ShownValue, AFloatStaysANumberEvenWhenItIsWhole) {
  EXPECT_EQ(shown(0, 4), ShownValue(4.0));
  EXPECT_EQ(to_text(shown(0, 0.1)), "0.1");
  EXPECT_EQ(to_text(shown(0, 1.0 / 3)), "0.3333333333333333");
  EXPECT_EQ(to_text(shown(0, 1.0 / 3), 3), "0.333");
}

TEST(ShownValue, ACategoricalIsItsChoice) {
  EXPECT_EQ(shown(2, 0), ShownValue("green"));
  EXPECT_EQ(shown(2, 1), ShownValue("4")) << "a text, whatever it says";
  EXPECT_EQ(to_text(shown(2, 2), 3), "x, y");
}

TEST(ShownValue, WithoutParametersACoordinateIsANumber) {
  EXPECT_EQ(shown_value({}, 0, 4), ShownValue(4.0));
  EXPECT_EQ(shown(3, 4), ShownValue(4.0));
}

TEST(ShownValue, AnImpossibleValueIsShownAsANumber) {
  EXPECT_EQ(shown(2, 3), ShownValue(3.0));
  EXPECT_EQ(shown(2, -1), ShownValue(-1.0));
  EXPECT_EQ(shown(2, 0.5), ShownValue(0.5));
  EXPECT_EQ(shown(1, 4.5), ShownValue(4.5));
  EXPECT_EQ(shown(1, 1e300), ShownValue(1e300));
  EXPECT_EQ(to_text(shown(1, std::numeric_limits<double>::infinity())), "inf");
  EXPECT_EQ(to_text(shown(1, std::nan(""))), "nan");
}

}  // namespace
}  // namespace duets::domain
