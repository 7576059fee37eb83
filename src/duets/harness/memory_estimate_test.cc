#include "duets/harness/memory_estimate.h"

#include <gtest/gtest.h>

namespace duets::harness {
namespace {

protocol::Study study_of(domain::Domain domain) {
  protocol::Study study;
  study.agents = 10;
  study.schedule = protocol::ScheduleRule::kExplicit;
  study.epochs = {100, 300, 200};
  study.horizon = 600;
  study.domain = std::make_shared<const domain::Domain>(std::move(domain));
  return study;
}

// Computed by hand, from the formulas of the header.
TEST(MemoryEstimate, FollowsItsFormulas) {
  const protocol::Study study = study_of(domain::Domain::box(3));
  const MemoryEstimate shared = estimate_memory(study, {50, 40}, protocol::Sharing::kPoints, 2);
  EXPECT_EQ(shared.points, 10U * 8 * 3 * (300 + 200));
  EXPECT_EQ(shared.rewards, 10U * (9 * 600 + 17 * 300));
  EXPECT_EQ(shared.agents, 10U * (3000 + 3 * 8 * 40));
  // 3000 points of a low rank take more than 1000 dense ones; the last epoch has no exchange.
  EXPECT_EQ(shared.model, 8U * 50 * (16384 + 4096 + 2048) + 8 * 2500 * 6);
  EXPECT_EQ(estimate_memory(study, {1, 1}, protocol::Sharing::kPoints, 2).model, 8U * 1000 * 1000);
  EXPECT_EQ(shared.total(),
            shared.program + shared.points + shared.rewards + shared.agents + shared.model);
  const MemoryEstimate separate = estimate_memory(study, {50, 400}, protocol::Sharing::kRegions, 2);
  EXPECT_EQ(separate.points, 10U * 8 * 3 * (100 + 2 * 300));
  EXPECT_EQ(separate.agents, 10U * (3000 + 3 * 8 * 300));  // raw rewards are the shorter upload
}

TEST(MemoryEstimate, TheModelFollowsTheRank) {
  protocol::Study study = study_of(domain::Domain::box(3));
  const auto model = [&](std::uint64_t rank) {
    return estimate_memory(study, {rank, 1}, protocol::Sharing::kPoints, 2).model;
  };
  study.agents = 1000;  // 100 000 and 300 000 points
  EXPECT_EQ(model(50), 8U * 50 * (16384 + 4096 + 2048) + 8 * 2500 * 6);
  EXPECT_EQ(model(100'000), 8U * 2000 * (16384 + 4096 + 2048) + 8 * 4'000'000 * 6);
  study.agents = 10;  // 3000 points: dense when a quarter of them is not enough
  EXPECT_EQ(model(751), 8U * 3000 * 3000);
  EXPECT_EQ(model(750), 8U * 750 * (16384 + 4096 + 2048) + 8 * 750 * 750 * 6);
  study.domain = std::make_shared<const domain::Domain>(
      domain::Domain::finite(numeric::Points::Random(200, 3)));
  EXPECT_EQ(model(1001), 8U * 200 * 200);
}

TEST(MemoryEstimate, ProcessesShareTheAgents) {
  const protocol::Study study = study_of(domain::Domain::box(3));
  const MemoryEstimate one = estimate_memory(study, {50, 40}, protocol::Sharing::kPoints, 2);
  const MemoryEstimate five = estimate_memory(study, {50, 40}, protocol::Sharing::kPoints, 2, 5);
  EXPECT_EQ(five.points, one.points / 5);
  EXPECT_EQ(five.model, one.model);
  EXPECT_EQ(five.rewards, 2U * 9 * 900 + 10 * 24 * 300);
}

TEST(MemoryEstimate, SurvivingDataKeepEarlierEpochs) {
  protocol::Study study = study_of(domain::Domain::box(3));
  study.data = protocol::DataPolicy::kSurviving;
  EXPECT_EQ(estimate_memory(study, {}, protocol::Sharing::kPoints, 1).points, 10U * 8 * 3 * 600);
}

TEST(MemoryEstimate, FiniteSetsKeepIndicesToo) {
  const protocol::Study study = study_of(domain::Domain::finite(numeric::Points::Zero(2, 3)));
  EXPECT_EQ(estimate_memory(study, {}, protocol::Sharing::kPoints, 1).points, 10U * 28 * 500);
}

// Ten million queries of one agent: no product overflows 32 bits.
TEST(MemoryEstimate, LargeNumbers) {
  protocol::Study study = study_of(domain::Domain::box(1));
  study.agents = 1'000'000'000;
  study.epochs = {4'000'000'000};
  study.horizon = 4'000'000'000;
  EXPECT_EQ(estimate_memory(study, {}, protocol::Sharing::kPoints, 1).points,
            std::uint64_t{32'000'000'000} * 1'000'000'000);
}

TEST(MemoryEstimate, Texts) {
  EXPECT_EQ(bytes_text(412'400'000), "412 MB");
  EXPECT_EQ(bytes_text(1'240'000'000), "1.2 GB");
  MemoryEstimate memory;
  memory.points = 2'000'000;
  EXPECT_EQ(memory_text(memory),
            "about 2 MB at most (points 2 MB, rewards 0 MB, agents 0 MB, model 0 MB, program 0 "
            "MB)");
}

}  // namespace
}  // namespace duets::harness
