// Strict membership against the loop that a scalar program would have (exp of the C library, one
// point after the other), and against the fastest way that gives up reproducible bits: distances by
// a matrix product, Eigen's exp, fused operations. All compiled with the same flags.
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
// Squares of up to 50 cancel when points are near each other: 1e-14 in a squared distance, and its
// root in the exponent of a Matern kernel.
constexpr double kProductTolerance = 1e-7;

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

// What the matrix product needs of the centers, made once, as a cut does for us: with rows
// (-2 s, 1, |s|^2), a product with (x, |x|^2, 1) is a squared distance.
struct Centers {
  explicit Centers(const Case& made) : columns(made.points.cols() + 2, made.inducing.rows()) {
    const numeric::Matrix scaled = made.inducing.transpose() / made.kernel.lengthscales[0];
    columns << -2.0 * scaled, Eigen::RowVectorXd::Ones(scaled.cols()),
        scaled.colwise().squaredNorm();
  }
  numeric::Matrix columns;
};

// Squared distances of all pairs by one product, then the shape, then the sum by another. The block
// of a few points stays in the first level cache.
template <Family kFamily>
void product_sums(const Case& made, const Centers& centers, numeric::Vector& sums) {
  constexpr Eigen::Index kAtOnce = 32;
  const Eigen::Index d = made.points.cols();
  const double inverse = 1.0 / made.kernel.lengthscales[0];
  numeric::Matrix x = numeric::Matrix::Ones(kAtOnce, d + 2);
  numeric::Matrix k(kAtOnce, centers.columns.cols());
  for (Eigen::Index first = 0; first < made.points.rows(); first += kAtOnce) {
    x.leftCols(d) = made.points.middleRows(first, kAtOnce) * inverse;
    x.col(d) = x.leftCols(d).rowwise().squaredNorm();
    k.noalias() = x * centers.columns;
    if constexpr (kFamily == Family::kSquaredExponential) {
      k = (-0.5 * k.array()).exp();
    } else {
      // Rounding may leave less than 0, which has no root.
      k = (5.0 * k.array().max(0.0)).sqrt();
      k = (1.0 + k.array() + k.array().square() / 3.0) * (-k.array()).exp();
    }
    sums.segment(first, kAtOnce).noalias() = k * made.weights;
  }
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

template <Family kFamily>
void membership_product(benchmark::State& state) {
  const Case made = make_case<kFamily>(static_cast<std::size_t>(state.range(0)));
  const Centers centers(made);
  numeric::Vector sums(kNumPoints);
  product_sums<kFamily>(made, centers, sums);
  const std::vector<double> scalar = scalar_sums<kFamily>(made);
  const Eigen::Map<const numeric::Vector> truth(scalar.data(), kNumPoints);
  const double error = (sums - truth).cwiseAbs().maxCoeff();
  if (!(error <= kProductTolerance)) {
    state.SkipWithError(("sums differ by " + std::to_string(error)).c_str());
  }
  std::vector<std::uint8_t> inside(kNumPoints);
  for (auto _ : state) {
    product_sums<kFamily>(made, centers, sums);
    for (std::size_t i = 0; i < kNumPoints; ++i) {
      inside[i] = sums[static_cast<Eigen::Index>(i)] >= made.tau ? 1 : 0;
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
BENCHMARK(membership_product<Family::kSquaredExponential>)
    ->Name("membership/se/gemm")
    ->Arg(2)
    ->Arg(10);
BENCHMARK(membership_strict<Family::kMatern52>)->Name("membership/matern52/ours")->Arg(2)->Arg(10);
BENCHMARK(membership_scalar<Family::kMatern52>)->Name("membership/matern52/libm")->Arg(2)->Arg(10);
BENCHMARK(membership_product<Family::kMatern52>)->Name("membership/matern52/gemm")->Arg(2)->Arg(10);

}  // namespace
}  // namespace duets::bench
