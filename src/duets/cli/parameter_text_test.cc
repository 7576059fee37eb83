#include "duets/cli/parameter_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "duets/base/error.h"

namespace duets::cli {
namespace {

using domain::Parameter;
using domain::ParameterType;
using testing::ElementsAre;

TEST(ParameterText, Ranges) {
  EXPECT_EQ(parse_parameter("x=0..1"), (Parameter{.name = "x"}));
  EXPECT_EQ(parse_parameter("lr=1e-5..1e-1 log"),
            (Parameter{.name = "lr", .low = 1e-5, .high = 1e-1, .log = true}));
  EXPECT_EQ(parse_parameter(" shift = -.5 .. +2. "),
            (Parameter{.name = "shift", .low = -0.5, .high = 2}));
  EXPECT_EQ(parse_parameter("layers=1..4 int"),
            (Parameter{.name = "layers", .type = ParameterType::kInt, .low = 1, .high = 4}));
  EXPECT_EQ(
      parse_parameter("batch=8..1024 log int"),
      (Parameter{
          .name = "batch", .type = ParameterType::kInt, .low = 8, .high = 1024, .log = true}));
  EXPECT_EQ(parse_parameter("width=16..64 int step 16").step, 16);
}

TEST(ParameterText, Choices) {
  const Parameter parameter = parse_parameter("opt = sgd | adam|a..b|x y|0.5");
  EXPECT_EQ(parameter.name, "opt");
  EXPECT_EQ(parameter.type, ParameterType::kCategorical);
  EXPECT_THAT(parameter.choices, ElementsAre("sgd", "adam", "a..b", "x y", "0.5"));
}

struct BadParameter {
  const char* text;
  const char* expected;  ///< a part of the message
};

class BadParameterTest : public testing::TestWithParam<BadParameter> {};

TEST_P(BadParameterTest, SaysWhatIsWrong) {
  try {
    parse_parameter(GetParam().text);
    ADD_FAILURE() << GetParam().text << " was accepted";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::kInvalid);
    const std::string start = std::string("-p = \"") + GetParam().text + "\": ";
    EXPECT_THAT(error.what(), testing::StartsWith(start));
    EXPECT_THAT(error.what(), testing::HasSubstr(GetParam().expected));
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, BadParameterTest,
    testing::Values(BadParameter{"lr", "has no '='; write 'lr=1e-5..1e-1 log'"},
                    BadParameter{"=1..2", "has no name before '='"},
                    BadParameter{"lr=", "has no values after '='"},
                    BadParameter{"lr=0.1", "must be a range LOW..HIGH or choices A|B"},
                    BadParameter{"lr=..1", "LOW must be a number, not ''"},
                    BadParameter{"lr=1..", "has no HIGH after '..'"},
                    BadParameter{"lr=a..1", "LOW must be a number, not 'a'"},
                    BadParameter{"lr=0..1x", "HIGH must be a number, not '1x'"},
                    BadParameter{"lr=0...1", "has three dots"},
                    BadParameter{"lr=0..1 exp", "'exp' must be 'int', 'log' or 'step S'"},
                    BadParameter{"lr=0..1 int step", "has no number after 'step'"},
                    BadParameter{"lr=0..1 step 0.1", "'step' needs 'int'"},
                    BadParameter{"lr=0..9 int step 0.5", "step = 0.5: must be a whole number"},
                    BadParameter{"lr=0..1 log", "low = 0: must be positive when log = true"},
                    BadParameter{"lr=1..0", "high = 0: must be greater than low = 1"},
                    BadParameter{"lr=1..1", "high = 1: must be greater than low = 1"},
                    BadParameter{"n=0.5..4 int", "low = 0.5: must be a whole number"},
                    BadParameter{"lr=nan..1", "low = nan: must be finite"},
                    BadParameter{"lr=0..inf", "high = inf: must be finite"},
                    BadParameter{"lr=0..1e999", "HIGH must be a number, not '1e999'"},
                    BadParameter{"opt=a||b", "has an empty choice beside a '|'"},
                    BadParameter{"opt=|", "has an empty choice beside a '|'"},
                    BadParameter{"opt=a|b|a", "must all be different"}));

}  // namespace
}  // namespace duets::cli
