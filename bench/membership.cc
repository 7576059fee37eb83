// Strict membership against the loop that a scalar program would have: exp of the C library, one
// point after the other, compiled with the same flags.
#include <benchmark/benchmark.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "duets/kernel/kernel.h"
#include "duets/random/coin.h"
#include "duets/region/draw.h"
#include "duets/region/region.h"

namespace duets::bench {
namespace {

using kernel::Family;
using numeric::Points;

constexpr std::size_t kNumInducing = 100;
constexpr std::size_t kNumPoints = 4096;
// The weights' magnitudes sum to 1, so this is a hundred roundings of the sum, and more than the
// two exponentials can differ by.
constexpr double kTolerance = 1e-13;

double shape(Family family, double r2) {
  if (family == Family::kSquaredExponential) return std::exp(-0.5 * r2);
  const double a = std::sqrt(5.0 * r2);
  return (1.0 + a + 5.0 / 3.0 * r2) * std::exp(-a);
}

struct Case {
  kernel::Kernel kernel;
  Points inducing;
  numeric::Vector weights;
  Points points;
  double tau = 0;
};

// sum_j w_j k(x, s_j) by the C library.
template <Family kFamily>
double scalar_sum(const Case& made, const double* x) {
  const double inverse = 1.0 / made.kernel.lengthscales[0];
  const Eigen::Index d = made.points.cols();
  double sum = 0;
  for (Eigen::Index j = 0; j < made.inducing.rows(); ++j) {
    const double* s = made.inducing.data() + j * d;
    double r2 = 0;
    for (Eigen::Index k = 0; k < d; ++k) {
      const double diff = (x[k] - s[k]) * inverse;
      r2 += diff * diff;
    }
    sum += made.weights[j] * shape(kFamily, r2);
  }
  return sum;
}

template <Family kFamily>
std::vector<double> scalar_sums(const Case& made) {
  std::vector<double> sums(kNumPoints);
  for (std::size_t i = 0; i < kNumPoints; ++i) {
    sums[i] = scalar_sum<kFamily>(made, made.points.row(static_cast<Eigen::Index>(i)).data());
  }
  return sums;
}

// A cut that about half of the points pass.
template <Family kFamily>
Case make_case(std::size_t dimension) {
  const random::Coin coin = random::StudySecret::from_seed(dimension).public_coin();
  const Points drawn = region::random_candidates(coin, region::CandidateShape::kCube,
                                                 kNumInducing + kNumPoints, dimension, 1.0);
  Case made;
  made.kernel.family = kFamily;
  // Distances grow like the root of the dimension; so does a sensible length scale.
  made.kernel.lengthscales = {0.15 * std::sqrt(static_cast<double>(dimension))};
  made.inducing = drawn.topRows(kNumInducing);
  made.points = drawn.bottomRows(kNumPoints);
  made.weights.resize(kNumInducing);
  coin.normals({.purpose = random::Purpose::kProblem}, {made.weights.data(), kNumInducing});
  made.weights /= made.weights.lpNorm<1>();
  std::vector<double> sums = scalar_sums<kFamily>(made);
  std::nth_element(sums.begin(), sums.begin() + kNumPoints / 2, sums.end());
  made.tau = sums[kNumPoints / 2];
  return made;
}

region::Region region_of(const Case& made) {
  const auto box = std::make_shared<const domain::Domain>(
      domain::Domain::box(static_cast<std::size_t>(made.points.cols())));
  return region::Region(box).trimmed(
      std::make_shared<const region::Cut>(made.kernel, 0.0, made.inducing, made.weights, made.tau));
}

// Empty when both sides say the same of every point whose sum is not within rounding of tau.
template <Family kFamily>
std::string disagreement(const Case& made, const region::Region& region) {
  const std::vector<double> scalar = scalar_sums<kFamily>(made);
  const numeric::Vector strict = region.cuts().front()->sum_at(made.points);
  const region::Membership membership = region.contains(made.points);
  std::size_t num_inside = 0;
  for (std::size_t i = 0; i < kNumPoints; ++i) {
    const double error = std::abs(strict[static_cast<Eigen::Index>(i)] - scalar[i]);
    if (!(error <= kTolerance)) return "sums differ by " + std::to_string(error);
    const bool decided = std::abs(scalar[i] - made.tau) > kTolerance;
    if (decided && (membership.inside[i] != 0) != (scalar[i] >= made.tau)) {
      return "membership differs at point " + std::to_string(i);
    }
    num_inside += membership.inside[i];
  }
  const bool half = num_inside > kNumPoints / 3 && num_inside < kNumPoints * 2 / 3;
  return half ? "" : "the cut does not halve the points";
}

template <Family kFamily>
void membership_strict(benchmark::State& state) {
  const Case made = make_case<kFamily>(static_cast<std::size_t>(state.range(0)));
  const region::Region region = region_of(made);
  const std::string wrong = disagreement<kFamily>(made, region);
  if (!wrong.empty()) state.SkipWithError(wrong.c_str());
  for (auto _ : state) benchmark::DoNotOptimize(region.contains(made.points));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kNumPoints));
}

template <Family kFamily>
void membership_scalar(benchmark::State& state) {
  const Case made = make_case<kFamily>(static_cast<std::size_t>(state.range(0)));
  std::vector<std::uint8_t> inside(kNumPoints);
  for (auto _ : state) {
    for (std::size_t i = 0; i < kNumPoints; ++i) {
      const double* x = made.points.row(static_cast<Eigen::Index>(i)).data();
      inside[i] = scalar_sum<kFamily>(made, x) >= made.tau ? 1 : 0;
    }
    benchmark::DoNotOptimize(inside.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kNumPoints));
}

BENCHMARK(membership_strict<Family::kSquaredExponential>)
    ->Name("membership/se/ours")
    ->Arg(2)
    ->Arg(10);
BENCHMARK(membership_scalar<Family::kSquaredExponential>)
    ->Name("membership/se/libm")
    ->Arg(2)
    ->Arg(10);
BENCHMARK(membership_strict<Family::kMatern52>)->Name("membership/matern52/ours")->Arg(2)->Arg(10);
BENCHMARK(membership_scalar<Family::kMatern52>)->Name("membership/matern52/libm")->Arg(2)->Arg(10);

}  // namespace
}  // namespace duets::bench
