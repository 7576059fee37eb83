#include "duets/gp/confidence.h"

#include <fmt/format.h>

#include <cmath>

#include "duets/base/error.h"
#include "duets/gp/checks.h"

namespace duets::gp {
namespace {

void require_probability(double value, const char* field) {
  base::require(value > 0 && value < 1, field, fmt::format("{}", value),
                "must lie strictly between 0 and 1");
}

void require_count(std::uint64_t value, const char* field) {
  base::require(value >= 1, field, fmt::format("{}", value), "must be at least 1");
}

// R sqrt((2/lambda) ln(2/delta)): what the noise adds.
double noise_width(double subgaussian, double lambda, double delta) {
  return subgaussian * std::sqrt(2 / lambda * std::log(2 / delta));
}

}  // namespace

void validate(const TheoryInputs& inputs) {
  require_positive(inputs.norm_bound, "norm_bound");
  require_positive(inputs.subgaussian, "subgaussian");
  require_positive(inputs.lambda, "lambda");
  require_probability(inputs.delta, "delta");
  require_count(inputs.num_candidates, "num_candidates");
  require_count(inputs.num_epochs, "num_epochs");
  require_count(inputs.agents, "agents");
  require_count(inputs.horizon, "horizon");
}

double delta_prime(const TheoryInputs& inputs) {
  validate(inputs);
  return inputs.delta / (2.0 * inputs.num_epochs * static_cast<double>(inputs.num_candidates));
}

double sparse_beta(const TheoryInputs& inputs) {
  return (1 + std::sqrt(2.0)) * inputs.norm_bound +
         noise_width(inputs.subgaussian, inputs.lambda, delta_prime(inputs));
}

double theory_p0(const TheoryInputs& inputs) {
  return 72 * std::log(4.0 * inputs.agents * inputs.horizon / delta_prime(inputs));
}

}  // namespace duets::gp
