#include "duets/gp/evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "duets/base/error.h"
#include "duets/gp/checks.h"
#include "duets/gp/exact.h"
#include "duets/numeric/cholesky.h"

namespace duets::gp {

using numeric::Matrix;
using numeric::Points;
using numeric::Vector;

namespace {

constexpr double kLogNoiseVariance = 4;

double square(double x) { return x * x; }

double lengthscale(const kernel::Kernel& kernel, std::size_t k) {
  return kernel.lengthscales[kernel.lengthscales.size() == 1 ? 0 : k];
}

void check(const Parameters& parameters, const Points& features, const Vector& rewards) {
  const auto dimension = static_cast<std::size_t>(features.cols());
  kernel::validate(parameters.kernel, dimension);
  require_positive(parameters.lambda, "lambda");
  base::require(std::isfinite(parameters.offset), "offset", fmt::format("{}", parameters.offset),
                "must be finite");
  require_points(features, dimension, "features");
  require_values(rewards, static_cast<std::size_t>(features.rows()), "rewards");
}

}  // namespace

double log_prior(const kernel::Kernel& guess, const Parameters& parameters) {
  const kernel::Kernel& kernel = parameters.kernel;
  const std::size_t num = std::max(guess.lengthscales.size(), kernel.lengthscales.size());
  Vector t(static_cast<Eigen::Index>(num));
  for (std::size_t k = 0; k < num; ++k) {
    t[static_cast<Eigen::Index>(k)] = std::log(lengthscale(kernel, k) / lengthscale(guess, k));
  }
  const double mean = t.mean();
  const double noise = std::log(parameters.lambda / (kExpectedNoise * kernel.variance));
  return -0.5 *
         (square(mean) + (t.array() - mean).square().sum() + square(noise) / kLogNoiseVariance);
}

EvidenceTerms evidence_terms(Matrix gram, double noise, const Vector& y) {
  gram.diagonal().array() += noise;
  const numeric::CholeskyResult factor = numeric::cholesky(std::move(gram));
  if (!factor.ok) {
    throw base::Error(base::ErrorKind::kNumeric,
                      fmt::format("K + noise I of {} rewards cannot be factored at noise = {} of "
                                  "the kernel's variance: raise lambda, or scale the features",
                                  y.size(), noise));
  }
  const Vector white = factor.lower.triangularView<Eigen::Lower>().solve(y);
  return {2 * factor.lower.diagonal().array().log().sum(), white.squaredNorm()};
}

double log_evidence(const kernel::Kernel& guess, const Parameters& parameters,
                    const Points& features, const Vector& rewards) {
  check(parameters, features, rewards);
  kernel::Kernel shape = guess;
  shape.variance = 1;
  kernel::validate(shape, static_cast<std::size_t>(features.cols()));
  const double prior = log_prior(guess, parameters);
  if (rewards.size() == 0) return prior;

  // In units of the kernel's variance, so that the scale of the rewards cannot affect the
  // factorisation.
  shape = parameters.kernel;
  shape.variance = 1;
  const double stddev = std::sqrt(parameters.kernel.variance);
  const Vector y = (rewards.array() - parameters.offset) / stddev;
  const EvidenceTerms terms = evidence_terms(kernel::gram(shape, features),
                                             parameters.lambda / parameters.kernel.variance, y);
  const double n = static_cast<double>(rewards.size());
  return prior - 0.5 * (n * std::log(2 * std::numbers::pi) + 2 * n * std::log(stddev) +
                        terms.log_det + terms.quadratic);
}

Vector standardised_residuals(const Parameters& parameters, const Points& seen_features,
                              const Vector& seen_rewards, const Points& features,
                              const Vector& rewards) {
  check(parameters, seen_features, seen_rewards);
  check(parameters, features, rewards);
  const ExactPosterior posterior(parameters.kernel, seen_features, {}, parameters.lambda);
  const Vector centred = seen_rewards.array() - parameters.offset;
  const Vector mean = posterior.mean(features, centred).array() + parameters.offset;
  const Vector variance = posterior.variance(features).variance.array() + parameters.lambda;
  return (rewards - mean).array() / variance.array().sqrt();
}

}  // namespace duets::gp
