#include "naive_posterior.h"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <cmath>

namespace duets::paper {
namespace {

using kernel::Family;

long double shape(Family family, long double r) {
  const long double a3 = std::sqrt(3.0L) * r;
  const long double a5 = std::sqrt(5.0L) * r;
  switch (family) {
    case Family::kSquaredExponential:
      return std::exp(-r * r / 2);
    case Family::kMatern12:
      return std::exp(-r);
    case Family::kMatern32:
      return (1 + a3) * std::exp(-a3);
    case Family::kMatern52:
      return (1 + a5 + a5 * a5 / 3) * std::exp(-a5);
  }
  return 0;
}

LongMatrix power(const LongMatrix& a, long double exponent) {
  const Eigen::SelfAdjointEigenSolver<LongMatrix> solver(a);
  const LongVector powers = solver.eigenvalues().array().pow(exponent);
  return solver.eigenvectors() * powers.asDiagonal() * solver.eigenvectors().transpose();
}

}  // namespace

LongMatrix naive_cross(const kernel::Kernel& kernel, const numeric::Points& a,
                       const numeric::Points& b) {
  LongMatrix k(a.rows(), b.rows());
  const auto& scales = kernel.lengthscales;
  for (Eigen::Index i = 0; i < a.rows(); ++i) {
    for (Eigen::Index j = 0; j < b.rows(); ++j) {
      long double squared = 0;
      for (Eigen::Index c = 0; c < a.cols(); ++c) {
        const long double scale = scales[scales.size() == 1 ? 0 : static_cast<std::size_t>(c)];
        const long double difference = (static_cast<long double>(a(i, c)) - b(j, c)) / scale;
        squared += difference * difference;
      }
      k(i, j) = kernel.variance * shape(kernel.family, std::sqrt(squared));
    }
  }
  return k;
}

LongMatrix naive_inverse(const LongMatrix& a) { return a.fullPivLu().inverse(); }
LongMatrix naive_inverse_root(const LongMatrix& a) { return power(a, -0.5L); }
LongMatrix naive_root(const LongMatrix& a) { return power(a, 0.5L); }

NaivePosterior naive_exact(const kernel::Kernel& kernel, const numeric::Points& data,
                           const numeric::Vector& rewards, double lambda,
                           const numeric::Points& x) {
  const LongMatrix k_x = naive_cross(kernel, data, x);
  LongMatrix ridge = naive_cross(kernel, data, data);
  ridge.diagonal().array() += static_cast<long double>(lambda);
  const LongMatrix inverse = naive_inverse(ridge);
  NaivePosterior posterior;
  posterior.mean = k_x.transpose() * inverse * rewards.cast<long double>();
  posterior.variance = LongVector::Constant(x.rows(), kernel.variance) -
                       (k_x.array() * (inverse * k_x).array()).colwise().sum().transpose().matrix();
  return posterior;
}

LongMatrix naive_z(const kernel::Kernel& kernel, const numeric::Points& inducing,
                   const numeric::Points& data) {
  return naive_cross(kernel, data, inducing) *
         naive_inverse_root(naive_cross(kernel, inducing, inducing));
}

NaivePosterior naive_sparse(const kernel::Kernel& kernel, const numeric::Points& inducing,
                            const numeric::Points& data, const numeric::Vector& rewards,
                            double lambda, const numeric::Points& x) {
  const LongMatrix z_data = naive_z(kernel, inducing, data);
  const LongMatrix z = naive_z(kernel, inducing, x);
  const LongMatrix gram = z_data.transpose() * z_data;
  LongMatrix ridge = gram;
  ridge.diagonal().array() += static_cast<long double>(lambda);
  const LongMatrix inverse = naive_inverse(ridge);
  NaivePosterior posterior;
  posterior.mean = z * inverse * (z_data.transpose() * rewards.cast<long double>());
  posterior.variance = LongVector::Constant(x.rows(), kernel.variance) -
                       (z.array() * (z * gram * inverse).array()).rowwise().sum().matrix();
  return posterior;
}

}  // namespace duets::paper
