#include "protocol_run.h"

#include <utility>

namespace duets::paper {

ProtocolRun::ProtocolRun(std::shared_ptr<const protocol::Study> study,
                         const problems::Problem& problem, const problems::Noise& noise,
                         std::uint64_t seed)
    : study_(std::move(study)),
      problem_(problem),
      noise_(noise),
      secret_(random::StudySecret::from_seed(seed)),
      problem_coin_(secret_.problem_coin()),
      coordinator_(study_, secret_, executor_) {
  const auto view =
      std::make_shared<protocol::PublicView>(study_, secret_.public_coin(), executor_);
  for (std::uint32_t a = 0; a < study_->agents; ++a) {
    const base::AgentId id{a};
    agents_.emplace_back(study_, id, secret_.agent_coin(id), view);
  }
  carry_out(coordinator_.start());
}

void ProtocolRun::until_epoch(std::uint32_t epoch) {
  while (!coordinator_.finished() && base::value(coordinator_.epoch()) < epoch) run_epoch();
}

void ProtocolRun::run_epoch() {
  talk_.emplace_back();
  for (protocol::Agent& agent : agents_) query_plan(agent);
}

void ProtocolRun::query_plan(protocol::Agent& agent) {
  const protocol::Plan plan = agent.plan();
  numeric::Vector rewards(plan.latents().rows());
  problem_.values(study_->domain->features(plan.latents()),
                  {rewards.data(), static_cast<std::size_t>(rewards.size())});
  std::optional<protocol::Message> message;
  for (std::uint32_t slot = 0; slot < static_cast<std::uint32_t>(rewards.size()); ++slot) {
    rewards[slot] += problems::draw_noise(noise_, problem_coin_, agent.id(), plan.first_t + slot);
    message = agent.report(slot, rewards[slot]);
  }
  talk_.back().points.push_back(plan.latents());
  talk_.back().rewards.push_back(rewards);
  if (!message) return;
  if (const auto* upload = std::get_if<protocol::Upload>(&*message)) {
    talk_.back().uploads.push_back(*upload);
  }
  carry_out(coordinator_.receive(*message));
}

void ProtocolRun::carry_out(const protocol::Effects& effects) {
  for (const protocol::Outgoing& outgoing : effects.messages) {
    for (protocol::Agent& agent : agents_) {
      if (!outgoing.to || *outgoing.to == agent.id()) agent.receive(outgoing.message);
    }
  }
}

numeric::Points ProtocolRun::planned_points() const {
  std::vector<numeric::Points> parts;
  for (const protocol::Agent& agent : agents_) parts.push_back(agent.plan().latents());
  return stacked(parts);
}

numeric::Points stacked(const std::vector<numeric::Points>& parts) {
  Eigen::Index rows = 0;
  for (const numeric::Points& part : parts) rows += part.rows();
  numeric::Points all(rows, parts.front().cols());
  Eigen::Index row = 0;
  for (const numeric::Points& part : parts) {
    all.middleRows(row, part.rows()) = part;
    row += part.rows();
  }
  return all;
}

numeric::Vector stacked(const std::vector<numeric::Vector>& parts) {
  std::vector<numeric::Points> columns;
  for (const numeric::Vector& part : parts) columns.emplace_back(part);
  return stacked(columns).col(0);
}

}  // namespace duets::paper
