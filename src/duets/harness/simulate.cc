#include "duets/harness/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "duets/base/error.h"
#include "duets/harness/simulate_host.h"
#include "duets/protocol/maximise.h"

namespace duets::harness {
namespace {

using numeric::Points;

bool is_natural(const domain::Domain& domain, const problems::Problem& problem) {
  if (domain.dimension() != problem.dimension() || domain.num_features() != domain.dimension()) {
    return false;
  }
  if (domain.shape() == domain::Shape::kBall) {
    return problem.natural_shape() == problems::Shape::kBall && domain.radius() == 1;
  }
  const auto& parameters = domain.parameters();
  return problem.natural_shape() == problems::Shape::kCube &&
         std::all_of(parameters.begin(), parameters.end(), [](const domain::Parameter& p) {
           return p.type == domain::ParameterType::kFloat;
         });
}

}  // namespace

double best_value(const Simulation& simulation, const base::Executor& executor) {
  const domain::Domain& domain = *simulation.study->domain;
  const double sign = simulation.minimise ? -1.0 : 1.0;
  if (!domain.is_finite() && !simulation.minimise && is_natural(domain, *simulation.problem)) {
    return simulation.problem->maximum();
  }
  const region::Region whole(simulation.study->domain);
  const random::Coin coin = random::StudySecret::from_seed(simulation.seed).problem_coin();
  constexpr std::uint32_t kPool = 16384;
  const Points pool = domain.is_finite() ? domain.candidates()
                                         : region::Sampler(whole, protocol::initial_sampler(domain))
                                               .draw(coin, region::Lane::kPublic,
                                                     {base::EpochId{1}, 0, kPool}, executor)
                                               .latents;
  const auto f = [&](const Points& features) {
    numeric::Vector values(features.rows());
    simulation.problem->values(features, {values.data(), static_cast<std::size_t>(values.size())});
    return numeric::Vector(sign * values);
  };
  return protocol::maximise(whole, pool, f).value;
}

RunResult simulate(const Simulation& simulation, const base::Executor& executor,
                   Observer& observer) {
  protocol::validate(*simulation.study);
  base::require(std::isfinite(simulation.scale) && simulation.scale > 0, "objective.scale",
                fmt::format("{}", simulation.scale), "must be positive and finite");
  base::require(std::isfinite(simulation.offset), "objective.offset",
                fmt::format("{}", simulation.offset), "must be finite");
  problems::validate(simulation.noise);
  return SimulationHost(simulation, executor, observer).run();
}

}  // namespace duets::harness
