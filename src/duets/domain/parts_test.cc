#include "duets/domain/parts.h"

#include <gtest/gtest.h>

namespace duets::domain {
namespace {

Parameter choice_of(const std::string& name, std::vector<std::string> choices) {
  return {.name = name, .type = ParameterType::kCategorical, .choices = std::move(choices)};
}

const Domain kMixed = Domain::box({choice_of("a", {"x", "y", "z"}),
                                   {.name = "b", .low = 0, .high = 1},
                                   choice_of("c", {"u", "v"})});

numeric::Points corners() {
  numeric::Points latents(4, 3);
  latents << 0.1, 0.9, 0.2,  //
      0.1, 0.1, 0.8,         //
      0.5, 0.5, 0.2,         //
      0.9, 0.5, 0.8;
  return latents;
}

TEST(Parts, OneForEachCombinationOfChoices) {
  EXPECT_EQ(parts_of(kMixed, corners(), 6), (std::vector<std::uint32_t>{0, 1, 2, 5}));
}

TEST(Parts, AParameterThatWouldMakeTooManyDoesNotSplit) {
  EXPECT_EQ(parts_of(kMixed, corners(), 5), (std::vector<std::uint32_t>{0, 0, 1, 2}));
  EXPECT_EQ(parts_of(kMixed, corners(), 2), (std::vector<std::uint32_t>{0, 1, 0, 1}));
}

TEST(Parts, ADomainWithoutChoicesIsOnePart) {
  EXPECT_EQ(parts_of(Domain::box(3), corners(), 100), std::vector<std::uint32_t>(4, 0));
  EXPECT_EQ(parts_of(Domain::ball(3, 2), corners(), 100), std::vector<std::uint32_t>(4, 0));
}

}  // namespace
}  // namespace duets::domain
