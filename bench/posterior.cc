// The posterior of 2000 points at 2000 others: fit and variance, exact and through pivots.
#include <benchmark/benchmark.h>

#include <Eigen/Cholesky>
#include <string>

#include "duets/gp/exact.h"
#include "duets/gp/sparse.h"
#include "paper_study.h"

namespace duets::bench {
namespace {

using numeric::Matrix;
using numeric::Vector;

const PosteriorCase& the_case() {
  static const PosteriorCase made = make_posterior_case();
  return made;
}

Vector exact_variance(const PosteriorCase& made) {
  return gp::ExactPosterior(made.kernel, made.data, {}, made.lambda)
      .variance(made.queries)
      .variance;
}

Vector sparse_variance(const PosteriorCase& made) {
  const base::SerialExecutor executor;
  return gp::SparsePosterior(made.kernel, made.inducing, made.data, {}, made.lambda, executor)
      .variance(made.queries)
      .variance;
}

// The textbook formula at every hundredth query, by a factorisation that the library does not use.
const Vector& textbook() {
  static const Vector answer = [] {
    const PosteriorCase& made = the_case();
    Matrix noisy = kernel::gram(made.kernel, made.data);
    noisy.diagonal().array() += made.lambda;
    const Eigen::LDLT<Matrix> factor(noisy);
    const numeric::Points few(Eigen::Map<const numeric::Points, 0, Eigen::OuterStride<>>(
        made.queries.data(), made.queries.rows() / 100, 2, Eigen::OuterStride<>(200)));
    const Matrix cross = kernel::cross(made.kernel, made.data, few);
    return Vector(made.kernel.variance -
                  cross.cwiseProduct(factor.solve(cross)).colwise().sum().transpose().array());
  }();
  return answer;
}

// Largest difference from the textbook at every hundredth query.
double error_of(const Vector& variance) {
  const Vector few = Eigen::Map<const Vector, 0, Eigen::InnerStride<>>(
      variance.data(), variance.size() / 100, Eigen::InnerStride<>(100));
  return (few - textbook()).cwiseAbs().maxCoeff();
}

void check(benchmark::State& state, const Vector& variance, double tolerance) {
  const double error = error_of(variance);
  state.counters["error"] = error;
  if (!(error <= tolerance)) {
    state.SkipWithError(("differs from the textbook by " + std::to_string(error)).c_str());
  }
}

void posterior_exact(benchmark::State& state) {
  // 2000 products of numbers up to 1 in two triangular solves: a few thousand roundings of 1e-16.
  check(state, exact_variance(the_case()), 1e-12);
  for (auto _ : state) benchmark::DoNotOptimize(exact_variance(the_case()));
}

void posterior_sparse(benchmark::State& state) {
  // What pivots at residual 1e-4 leave out is of that size (measured: 0.1 to 3.4 times).
  check(state, sparse_variance(the_case()), 4e-4);
  state.counters["inducing"] = static_cast<double>(the_case().inducing.rows());
  for (auto _ : state) benchmark::DoNotOptimize(sparse_variance(the_case()));
}

BENCHMARK(posterior_exact)->Unit(benchmark::kMillisecond);
BENCHMARK(posterior_sparse)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace duets::bench
