#include "naive_posterior.h"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>

#include "duets/kernel/formula_test_support.h"

namespace duets::paper {
namespace {

LongMatrix power(const LongMatrix& a, long double exponent) {
  const Eigen::SelfAdjointEigenSolver<LongMatrix> solver(a);
  const LongVector powers = solver.eigenvalues().array().pow(exponent);
  return solver.eigenvectors() * powers.asDiagonal() * solver.eigenvectors().transpose();
}

}  // namespace

LongMatrix naive_cross(const kernel::Kernel& kernel, const numeric::Points& a,
                       const numeric::Points& b) {
  LongMatrix k(a.rows(), b.rows());
  for (Eigen::Index i = 0; i < a.rows(); ++i) {
    for (Eigen::Index j = 0; j < b.rows(); ++j) k(i, j) = kernel::test::formula(kernel, a, i, b, j);
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
