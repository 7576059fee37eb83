// Shared by the tests of the arm posteriors: random points, and the exact posterior to compare
// with, fitted from scratch.
#pragma once

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <memory>
#include <vector>

#include "duets/gp/arm_posterior.h"
#include "duets/gp/exact.h"

namespace duets::gp {

/// Points of the unit cube on a grid of 1/1000, so that duplicates are possible.
inline numeric::Points random_points(Eigen::Index n, Eigen::Index d) {
  numeric::Points out(n, d);
  for (Eigen::Index i = 0; i < out.size(); ++i) {
    out.data()[i] = 0.001 * static_cast<double>(*rc::gen::inRange(0, 1001));
  }
  return out;
}

inline double random_reward() { return 0.01 * static_cast<double>(*rc::gen::inRange(-300, 301)); }

/// Few distinct sites and many repeats.
inline std::vector<Observation> random_block(std::size_t num_sites, int max_size) {
  const int size = *rc::gen::inRange(0, max_size + 1);
  std::vector<Observation> block;
  for (int i = 0; i < size; ++i) {
    block.push_back(
        {.site = *rc::gen::inRange<std::size_t>(0, num_sites), .reward = random_reward()});
  }
  return block;
}

inline std::shared_ptr<const Arms> random_arms() {
  const auto m = *rc::gen::inRange<Eigen::Index>(1, 30);
  const auto d = *rc::gen::inRange<Eigen::Index>(1, 4);
  const auto family = *rc::gen::element(kernel::Family::kSquaredExponential,
                                        kernel::Family::kMatern12, kernel::Family::kMatern52);
  const double variance = *rc::gen::element(0.5, 1.0, 3.0);
  return std::make_shared<Arms>(
      kernel::Kernel{.family = family, .lengthscales = {0.4}, .variance = variance},
      random_points(m, d));
}

/// The largest differences from ExactPosterior, fitted to one row for each observation.
struct Difference {
  double mean = 0;
  double variance = 0;
  double log_det = 0;
};

inline Difference difference(const ArmPosterior& sites, const std::vector<Observation>& data,
                             double lambda, const numeric::Points& x, const numeric::Vector& mean,
                             const numeric::Vector& variance, double log_det) {
  if (data.empty()) {
    return {mean.cwiseAbs().maxCoeff(),
            (variance.array() - sites.arms().prior_variance()).abs().maxCoeff(), std::abs(log_det)};
  }
  numeric::Points points(static_cast<Eigen::Index>(data.size()), x.cols());
  numeric::Vector rewards(points.rows());
  for (std::size_t i = 0; i < data.size(); ++i) {
    points.row(static_cast<Eigen::Index>(i)) = sites.features(data[i].site);
    rewards[static_cast<Eigen::Index>(i)] = data[i].reward;
  }
  const ExactPosterior exact(sites.arms().kernel(), points, {}, lambda);
  return {(mean - exact.mean(x, rewards)).cwiseAbs().maxCoeff(),
          (variance - exact.variance(x).variance).cwiseAbs().maxCoeff(),
          std::abs(log_det - 2 * exact.information_gain())};
}

}  // namespace duets::gp
