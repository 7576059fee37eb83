#include "duets/problems/rkhs.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "duets/base/error.h"
#include "duets/numeric/strict.h"
#include "duets/problems/ascent.h"
#include "duets/problems/draw.h"

namespace duets::problems {
namespace {

constexpr std::uint32_t kCenterLane = 0;
constexpr std::uint32_t kWeightLane = 1;
constexpr std::uint32_t kSearchLane = 2;
constexpr std::size_t kSearchPoints = 1024;
constexpr std::size_t kClimbs = 16;

void check(const RkhsOptions& options) {
  const auto check_count = [](const char* field, std::size_t count, std::size_t highest) {
    base::require(1 <= count && count <= highest, field, std::to_string(count),
                  "must be between 1 and " + std::to_string(highest));
  };
  check_count("dimension", options.dimension, kMaxDimension);
  check_count("num_centers", options.num_centers, kMaxCenters);
  base::require(options.norm > 0 && options.norm <= 1e100, "norm", std::to_string(options.norm),
                "must be positive and at most 1e100");
  kernel::validate(options.kernel, options.dimension);
}

random::Address address(std::size_t slot, std::uint32_t lane) {
  return {.purpose = random::Purpose::kProblem,
          .slot = static_cast<std::uint32_t>(slot),
          .attempt = lane};
}

numeric::Points draw_points(const RkhsOptions& options, const random::Coin& coin, std::size_t count,
                            std::uint32_t lane) {
  numeric::Points points(static_cast<Eigen::Index>(count),
                         static_cast<Eigen::Index>(options.dimension));
  for (std::size_t i = 0; i < count; ++i) {
    const std::span<double> x{points.data() + i * options.dimension, options.dimension};
    if (options.shape == Shape::kCube) {
      draw_in_cube(coin, address(i, lane), x);
    } else {
      draw_in_ball(coin, address(i, lane), x);
    }
  }
  return points;
}

Expansion draw_expansion(const RkhsOptions& options, const random::Coin& coin) {
  numeric::Vector weights(static_cast<Eigen::Index>(options.num_centers));
  for (std::size_t i = 0; i < options.num_centers; ++i) {
    coin.normals(address(i, kWeightLane), {weights.data() + i, 1});
  }
  const Expansion drawn(options.kernel,
                        draw_points(options, coin, options.num_centers, kCenterLane), weights);
  const double squared_norm = drawn.squared_norm();
  if (!(squared_norm > 0 && std::isfinite(squared_norm))) {
    throw base::Error(base::ErrorKind::kNumeric,
                      "the norm of a random function of " + std::to_string(options.num_centers) +
                          " centers is lost to rounding; take fewer centers or a shorter length "
                          "scale");
  }
  return drawn.scaled(options.norm / std::sqrt(squared_norm));
}

void project(Shape shape, std::span<double> x) {
  if (shape == Shape::kCube) {
    for (double& coordinate : x) coordinate = std::clamp(coordinate, 0.0, 1.0);
    return;
  }
  const double length = std::sqrt(numeric::strict_dot(x, x));
  if (length <= 1) return;
  for (double& coordinate : x) coordinate /= length;
}

/// The rows of `points` with the largest values, best first, ties to the lowest index.
std::vector<std::vector<double>> best_rows(const Expansion& f, const numeric::Points& points,
                                           std::size_t count) {
  std::vector<double> values(static_cast<std::size_t>(points.rows()));
  f.values(points, values);
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return values[a] > values[b]; });
  order.resize(std::min(count, order.size()));
  std::vector<std::vector<double>> rows;
  for (const std::size_t i : order) {
    const double* row = points.data() + i * static_cast<std::size_t>(points.cols());
    rows.emplace_back(row, row + points.cols());
  }
  return rows;
}

Summit search(const Expansion& f, const RkhsOptions& options, const random::Coin& coin) {
  const numeric::Points random_points = draw_points(options, coin, kSearchPoints, kSearchLane);
  numeric::Points starts(f.centers().rows() + random_points.rows(), random_points.cols());
  starts << f.centers(), random_points;

  // |f| <= B sqrt(variance) and |grad f| is of the order of that over the length scale: this sets
  // the first step and the negligible gain.
  const double bound = options.norm * std::sqrt(options.kernel.variance);
  const double shortest =
      *std::min_element(options.kernel.lengthscales.begin(), options.kernel.lengthscales.end());
  const AscentProblem problem{
      .value = [&](std::span<const double> x) { return f.value(x); },
      .gradient = [&](std::span<const double> x, std::span<double> out) { f.gradient(x, out); },
      .project = [&](std::span<double> x) { project(options.shape, x); },
      .first_step = shortest * shortest / bound,
      .tolerance = 1e-15 * bound};
  Summit best;
  for (std::vector<double>& start : best_rows(f, starts, kClimbs)) {
    Summit summit = climb(problem, std::move(start));
    if (best.x.empty() || summit.value > best.value) best = std::move(summit);
  }
  return best;
}

}  // namespace

std::unique_ptr<RkhsFunction> make_rkhs(const RkhsOptions& options,
                                        const random::Coin& problem_coin) {
  check(options);
  Expansion expansion = draw_expansion(options, problem_coin);
  Summit best = search(expansion, options, problem_coin);
  Facts facts{.name = "rkhs",
              .dimension = options.dimension,
              .shape = options.shape,
              .maximum = best.value,
              .maximisers = {std::move(best.x)},
              .maximum_is_numeric = true,
              .norm = options.norm};
  return std::make_unique<RkhsFunction>(std::move(facts), std::move(expansion));
}

}  // namespace duets::problems
