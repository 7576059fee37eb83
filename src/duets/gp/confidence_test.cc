#include "duets/gp/confidence.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "duets/base/error.h"

namespace duets::gp {
namespace {

// N = 10, T = 50, four epochs, 2000 candidates: delta' = 0.1 / 16000.
TheoryInputs paper_size() {
  return {.norm_bound = 3,
          .subgaussian = 0.5,
          .delta = 0.1,
          .lambda = 0.2,
          .num_candidates = 2000,
          .num_epochs = 4,
          .agents = 10,
          .horizon = 50};
}

// Reference values from 30-digit arithmetic.
TEST(Confidence, PaperSizeByHand) {
  EXPECT_NEAR(delta_prime(paper_size()), 6.25e-6, 1e-20);
  EXPECT_NEAR(sparse_beta(paper_size()), 12.872044801849349, 1e-14 * 12.9);
  EXPECT_NEAR(theory_p0(paper_size()), 1410.0358718705793, 1e-14 * 1411);
}

TEST(Confidence, SmallestStudyByHand) {
  const TheoryInputs inputs{.delta = 0.1, .lambda = 2};
  EXPECT_EQ(delta_prime(inputs), 0.05);
  EXPECT_NEAR(sparse_beta(inputs), 4.3348591450129366, 1e-14);
}

TEST(Confidence, AskingForMoreNeedsMore) {
  const TheoryInputs base = paper_size();
  TheoryInputs surer = base;
  surer.delta = 0.01;
  TheoryInputs larger = base;
  larger.num_candidates = 4000;
  TheoryInputs longer = base;
  longer.num_epochs = 5;
  for (const TheoryInputs& harder : {surer, larger, longer}) {
    EXPECT_LT(delta_prime(harder), delta_prime(base));
    EXPECT_GT(sparse_beta(harder), sparse_beta(base));
    EXPECT_GT(theory_p0(harder), theory_p0(base));
  }
  TheoryInputs crowd = base;
  crowd.agents = 20;
  EXPECT_GT(theory_p0(crowd), theory_p0(base));
  EXPECT_EQ(sparse_beta(crowd), sparse_beta(base));
  TheoryInputs noisy = base;
  noisy.subgaussian = 1;
  EXPECT_GT(sparse_beta(noisy), sparse_beta(base));
  TheoryInputs regular = base;
  regular.lambda = 1;
  EXPECT_LT(sparse_beta(regular), sparse_beta(base));
}

// By sqrt(2) B than B + R sqrt((2/lambda) ln(2/delta')), the width of the exact mean.
TEST(Confidence, TheSparseMeanIsWiderThanTheExactOne) {
  const TheoryInputs i = paper_size();
  const double exact =
      i.norm_bound + i.subgaussian * std::sqrt(2 / i.lambda * std::log(2 / delta_prime(i)));
  EXPECT_NEAR(sparse_beta(i) - exact, std::sqrt(2.0) * i.norm_bound, 1e-14);
}

// The largest counts of their types must not overflow on the way.
TEST(Confidence, LargestStudyIsFinite) {
  TheoryInputs inputs = paper_size();
  inputs.num_candidates = std::numeric_limits<std::uint64_t>::max();
  inputs.num_epochs = inputs.agents = inputs.horizon = std::numeric_limits<std::uint32_t>::max();
  EXPECT_GT(delta_prime(inputs), 0);
  EXPECT_TRUE(std::isfinite(sparse_beta(inputs)));
  // 4 N T / delta' = 2^2 2^32 2^32 * 2 * 2^32 * 2^64 / 0.1 = 10 * 2^163, less a part in 2^32.
  EXPECT_NEAR(theory_p0(inputs), 72 * (163 * std::log(2.0) + std::log(10.0)), 1e-5);
}

TEST(Confidence, NamesTheBadField) {
  const auto expect_bad = [](const std::string& field, auto change) {
    TheoryInputs inputs = paper_size();
    change(inputs);
    try {
      validate(inputs);
      FAIL() << field;
    } catch (const base::Error& error) {
      EXPECT_EQ(error.kind(), base::ErrorKind::kInvalid);
      EXPECT_EQ(std::string(error.what()).substr(0, field.size() + 1), field + " ");
    }
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  expect_bad("norm_bound", [](TheoryInputs& i) { i.norm_bound = 0; });
  expect_bad("norm_bound", [nan](TheoryInputs& i) { i.norm_bound = nan; });
  expect_bad("subgaussian", [](TheoryInputs& i) { i.subgaussian = -1; });
  expect_bad("lambda", [](TheoryInputs& i) { i.lambda = 0; });
  expect_bad("delta", [](TheoryInputs& i) { i.delta = 0; });
  expect_bad("delta", [](TheoryInputs& i) { i.delta = 1; });
  expect_bad("delta", [nan](TheoryInputs& i) { i.delta = nan; });
  expect_bad("num_candidates", [](TheoryInputs& i) { i.num_candidates = 0; });
  expect_bad("num_epochs", [](TheoryInputs& i) { i.num_epochs = 0; });
  expect_bad("agents", [](TheoryInputs& i) { i.agents = 0; });
  expect_bad("horizon", [](TheoryInputs& i) { i.horizon = 0; });
  validate(paper_size());
}

}  // namespace
}  // namespace duets::gp
