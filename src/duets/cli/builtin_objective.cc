#include "duets/cli/builtin_objective.h"

#include <algorithm>

#include "duets/problems/noise.h"

namespace duets::cli {

BuiltinFunction::BuiltinFunction(const StudyFile& file, std::span<const OwnFunction> functions)
    : domain_(file.study.domain),
      problem_(make_builtin(file, functions)),
      noise_(noise_of(file.objective)),
      coin_(random::StudySecret::from_seed(file.seed).problem_coin()) {}

double BuiltinFunction::observe(const service::Query& query) const {
  numeric::Points latent(1, static_cast<Eigen::Index>(query.latent.size()));
  std::copy(query.latent.begin(), query.latent.end(), latent.data());
  double truth = 0;
  problem_->values(domain_->features(latent), {&truth, 1});
  return truth + problems::draw_noise(noise_, coin_, base::AgentId{query.agent}, query.t);
}

service::Answer BuiltinObjective::ask(const service::Query& query,
                                      const std::atomic<bool>& /*abandon*/) {
  return service::Value{function_->observe(query)};
}

}  // namespace duets::cli
