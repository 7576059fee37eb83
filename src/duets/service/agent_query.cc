#include "duets/service/agent_query.h"

#include <fmt/format.h>

#include "duets/base/error.h"

namespace duets::service {
namespace {

std::vector<double> row(const numeric::Points& points, std::uint32_t index) {
  std::vector<double> values(static_cast<std::size_t>(points.cols()));
  for (Eigen::Index k = 0; k < points.cols(); ++k) {
    values[static_cast<std::size_t>(k)] = points(static_cast<Eigen::Index>(index), k);
  }
  return values;
}

}  // namespace

Query query_of(const protocol::Study& study, const protocol::Agent& agent, std::uint32_t slot) {
  const protocol::Plan& plan = agent.plan();
  Query query;
  query.agent = base::value(agent.id());
  query.epoch = base::value(plan.epoch);
  query.slot = slot;
  query.t = plan.first_t + slot;
  query.latent = row(plan.latents(), slot);
  query.values = study.domain->values(query.latent);
  return query;
}

void require_same_point(const protocol::Agent& agent, const JournalAnswer& answer) {
  const numeric::Points& points = agent.plan().latents();
  if (answer.slot < points.rows() && answer.latent == row(points, answer.slot)) return;
  throw base::Error(
      base::ErrorKind::kDiverged,
      fmt::format("agent {}: trial {}-{} in the journal was measured at a different point than "
                  "the coordinator's coin gives: the journal belongs to another run of the study",
                  base::value(agent.id()), answer.epoch, answer.slot));
}

}  // namespace duets::service
