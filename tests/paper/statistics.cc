#include "statistics.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace duets::paper {

using numeric::Points;
using numeric::Vector;

double two_sample_ks(Vector a, Vector b) {
  std::sort(a.data(), a.data() + a.size());
  std::sort(b.data(), b.data() + b.size());
  const double n = static_cast<double>(a.size());
  const double m = static_cast<double>(b.size());
  double distance = 0;
  Eigen::Index i = 0;
  Eigen::Index j = 0;
  while (i < a.size() && j < b.size()) {
    const double x = std::min(a[i], b[j]);
    while (i < a.size() && a[i] == x) ++i;
    while (j < b.size() && b[j] == x) ++j;
    distance =
        std::max(distance, std::abs(static_cast<double>(i) / n - static_cast<double>(j) / m));
  }
  return std::sqrt(n * m / (n + m)) * distance;
}

double two_sample_deviate(const Points& a, const Points& b, int cells) {
  const auto counts = [cells](const Points& points) {
    std::vector<double> count(static_cast<std::size_t>(cells * cells));
    for (Eigen::Index i = 0; i < points.rows(); ++i) {
      const int x = std::clamp(static_cast<int>(points(i, 0) * cells), 0, cells - 1);
      const int y = std::clamp(static_cast<int>(points(i, 1) * cells), 0, cells - 1);
      count[static_cast<std::size_t>(y * cells + x)] += 1;
    }
    return count;
  };
  const std::vector<double> count_a = counts(a);
  const std::vector<double> count_b = counts(b);
  const double share = static_cast<double>(a.rows()) / static_cast<double>(a.rows() + b.rows());
  double statistic = 0;
  double freedom = -1;
  for (std::size_t i = 0; i < count_a.size(); ++i) {
    const double both = count_a[i] + count_b[i];
    if (both < 20) continue;
    const double difference = count_a[i] - share * both;
    statistic += difference * difference / (share * (1 - share) * both);
    freedom += 1;
  }
  const double spread = 2 / (9 * freedom);
  return (std::cbrt(statistic / freedom) - (1 - spread)) / std::sqrt(spread);
}

double sample_variance(const Vector& x) {
  return (x.array() - x.mean()).square().sum() / static_cast<double>(x.size() - 1);
}

}  // namespace duets::paper
