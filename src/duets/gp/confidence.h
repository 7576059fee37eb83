// Confidence widths and the constants of the theory (paper, section 3 and appendix A).
#pragma once

#include <cstdint>

namespace duets::gp {

/// The inputs of the theorem. All > 0; delta < 1.
struct TheoryInputs {
  double norm_bound = 1;   ///< B, bound on the RKHS norm of f
  double subgaussian = 1;  ///< R
  double delta = 0.1;
  double lambda = 1;
  std::uint64_t num_candidates = 1;  ///< |U_T|, the size of the finite domain
  std::uint32_t num_epochs = 1;      ///< J of the actual schedule
  std::uint32_t agents = 1;
  std::uint32_t horizon = 1;
};

/// Throws kInvalid naming the field.
void validate(const TheoryInputs& inputs);

/// delta' = delta / (2 J |U_T|).
double delta_prime(const TheoryInputs& inputs);

/// (1 + sqrt 2) B + R sqrt((2/lambda) ln(2/delta')): the width of the sparse mean, which is the one
/// that is compared with tau.
double sparse_beta(const TheoryInputs& inputs);

/// 72 ln(4 N T / delta'), to be applied to sigma2_max / lambda (the constant belongs to leverage
/// scores, convention R).
double theory_p0(const TheoryInputs& inputs);

}  // namespace duets::gp
