// Uses the installed library as a stranger would: draws points from a coin, fits a posterior, and
// checks what must hold for any of them. Matrices made here are freed there and the other way
// round, which crashes when the two sides disagree about alignment (docs/dependencies.md).
#include <Eigen/Cholesky>
#include <cmath>
#include <cstdio>
#include <vector>

#include "duets/base/error.h"
#include "duets/gp/exact.h"
#include "duets/kernel/kernel.h"
#include "duets/random/coin.h"

namespace {

using duets::numeric::Matrix;
using duets::numeric::Points;
using duets::numeric::Vector;

Points draw_points(const duets::random::Coin& coin, int count) {
  Points points(count, 2);
  for (int slot = 0; slot < count; ++slot) {
    const duets::random::Address address{.purpose = duets::random::Purpose::kPoint,
                                         .slot = static_cast<std::uint32_t>(slot)};
    coin.uniforms(address, {points.row(slot).data(), 2});
  }
  return points;
}

bool check(bool ok, const char* what) {
  std::printf("%s: %s\n", ok ? "ok" : "FAILED", what);
  return ok;
}

// The library's posterior (its instruction set) against the textbook formula (ours).
bool same_posterior(const duets::kernel::Kernel& kernel, const Points& data, double lambda) {
  const Vector rewards = data.rowwise().sum();
  const duets::gp::ExactPosterior posterior(kernel, data, {}, lambda);
  Matrix gram = duets::kernel::gram(kernel, data);
  const Matrix prior = gram;
  gram.diagonal().array() += lambda;
  const Vector mean = prior * gram.llt().solve(rewards);
  return (posterior.mean(data, rewards) - mean).norm() < 1e-9 * mean.norm();
}

// A matrix allocated by the library changes hands, grows and dies here.
bool matrices_cross_the_border(const duets::kernel::Kernel& kernel, const Points& data) {
  std::vector<Matrix> kept;
  for (int i = 1; i < 40; ++i) {
    const Points few = data.topRows(i);
    Matrix gram = duets::kernel::gram(kernel, few);
    gram.conservativeResize(2 * i, 2 * i);
    kept.push_back(std::move(gram));
  }
  return kept.back()(0, 0) == kernel.variance;
}

bool errors_cross_the_border(const Points& data) {
  try {
    duets::kernel::validate({.lengthscales = {-1.0}}, static_cast<std::size_t>(data.cols()));
  } catch (const duets::base::Error&) {
    return true;
  }
  return false;
}

}  // namespace

int main() {
  const duets::random::Coin coin = duets::random::StudySecret::from_seed(7).public_coin();
  const Points data = draw_points(coin, 40);
  const duets::kernel::Kernel kernel{.lengthscales = {0.3}};
  bool ok = check(data.minCoeff() >= 0 && data.maxCoeff() < 1, "points of a coin");
  ok &= check(same_posterior(kernel, data, 0.1), "posterior against the textbook formula");
  ok &= check(matrices_cross_the_border(kernel, data), "matrices cross the border");
  ok &= check(errors_cross_the_border(data), "errors cross the border");
  return ok ? 0 : 1;
}
