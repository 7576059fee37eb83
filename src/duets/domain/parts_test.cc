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

using Partitions = std::vector<Partition>;

TEST(Parts, OneForEachCombinationOfChoices) {
  EXPECT_EQ(partitions_of(kMixed, corners(), 6, 8), (Partitions{{0, 1, 2, 5}}));
}

TEST(Parts, AParameterThatWouldMakeTooManyDoesNotSplit) {
  EXPECT_EQ(partitions_of(kMixed, corners(), 5, 8), (Partitions{{0, 0, 1, 2}}));
  EXPECT_EQ(partitions_of(kMixed, corners(), 2, 8), (Partitions{{0, 1, 0, 1}}));
  EXPECT_EQ(partitions_of(kMixed, corners(), 1, 8), Partitions{});
}

TEST(Parts, IntsWithFewValuesSplitByThemselves) {
  const Parameter few{.name = "n", .type = ParameterType::kInt, .low = 1, .high = 5, .step = 2};
  const Parameter more{.name = "m", .type = ParameterType::kInt, .low = 1, .high = 4};
  const Domain domain = Domain::box({few, more, choice_of("c", {"u", "v"})});
  EXPECT_EQ(partitions_of(domain, corners(), 32, 4),
            (Partitions{{0, 0, 1, 2}, {3, 0, 2, 2}, {0, 1, 0, 1}}));
  EXPECT_EQ(partitions_of(domain, corners(), 32, 3), (Partitions{{0, 0, 1, 2}, {0, 1, 0, 1}}));
}

TEST(Parts, ALogarithmicIntCountsItsValues) {
  const Parameter batch{
      .name = "batch", .type = ParameterType::kInt, .low = 2, .high = 4, .log = true};
  numeric::Points latents(3, 1);
  latents << latent_of(batch, 4), latent_of(batch, 2), latent_of(batch, 3);
  EXPECT_EQ(partitions_of(Domain::box({batch}), latents, 32, 3), (Partitions{{2, 0, 1}}));
}

TEST(Parts, ADomainWithoutSuchParametersIsWhole) {
  EXPECT_EQ(partitions_of(Domain::box(3), corners(), 100, 100), Partitions{});
  EXPECT_EQ(partitions_of(Domain::ball(3, 2), corners(), 100, 100), Partitions{});
}

}  // namespace
}  // namespace duets::domain
