// Measures how well a Gaussian process with given parameters explains rewards: its evidence, and
// its predictions of rewards that it has not seen.
#pragma once

#include "duets/kernel/kernel.h"
#include "duets/numeric/matrix.h"

namespace duets::gp {

/// y = offset + f(x) + noise, f drawn from the kernel, noise normal with variance lambda.
struct Parameters {
  kernel::Kernel kernel;  ///< its variance is that of f, in squared units of the rewards
  double lambda = 0.1;    ///< > 0, finite; squared units of the rewards
  double offset = 0;      ///< finite; units of the rewards

  friend bool operator==(const Parameters&, const Parameters&) = default;
};

/// The noise expected before any reward is known, as a part of the kernel's variance.
inline constexpr double kExpectedNoise = 0.1;

/// Logarithm of weak priors, without their normalising constants:
///   t_k = ln(l_k / guess_k) = m + e_k,  m ~ N(0, 1) for the mean over k,  e_k ~ N(0, 1);
///   ln(lambda / (kExpectedNoise variance)) ~ N(0, 4), variance 4.
/// One length scale (of the guess, too) counts for all dimensions; then, and whenever all t_k are
/// equal, only m counts. Units of rewards do not matter; guess.variance is not used.
double log_prior(const kernel::Kernel& guess, const Parameters& parameters);

/// log N(rewards; offset, K + lambda I) + log_prior. kInvalid when shapes do not fit or something
/// is not finite or not positive; kNumeric when K + lambda I cannot be factored. Without rewards
/// the result is log_prior. O(n^3 / 3 + n^2 d) for n x d features.
double log_evidence(const kernel::Kernel& guess, const Parameters& parameters,
                    const numeric::Points& features, const numeric::Vector& rewards);

/// (y - mean) / sqrt(variance + lambda) for new rewards y, given the ones seen, which may be none.
/// If the parameters are right, each is N(0, 1) and their mean square is 1 on average, but those of
/// neighbours are not independent. Errors as log_evidence. O(m^3 / 3 + n m^2) for m seen, n new.
numeric::Vector standardised_residuals(const Parameters& parameters,
                                       const numeric::Points& seen_features,
                                       const numeric::Vector& seen_rewards,
                                       const numeric::Points& features,
                                       const numeric::Vector& rewards);

/// The parts of a likelihood.
struct EvidenceTerms {
  double log_det = 0;    ///< ln det(K + noise I)
  double quadratic = 0;  ///< y^T (K + noise I)^-1 y
};

/// By Cholesky, in the memory of `gram`. kNumeric when it cannot be factored. O(n^3 / 3).
EvidenceTerms evidence_terms(numeric::Matrix gram, double noise, const numeric::Vector& y);

}  // namespace duets::gp
