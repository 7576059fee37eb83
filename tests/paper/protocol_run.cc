#include "protocol_run.h"

#include <utility>

namespace duets::paper {

ProtocolRun::ProtocolRun(std::shared_ptr<const protocol::Study> study,
                         const problems::Problem& problem, const problems::Noise& noise,
                         std::uint64_t seed)
    : problem_(problem),
      noise_(noise),
      ensemble_(std::move(study), random::StudySecret::from_seed(seed), executor_,
                protocol::Sharing::kRegions,
                [this](const protocol::Effects& effects) { keep_uploads(effects); }) {
  ensemble_.start();
}

void ProtocolRun::until_epoch(std::uint32_t epoch) {
  while (!ensemble_.finished() && base::value(coordinator().epoch()) < epoch) {
    talk_.emplace_back();
    ensemble_.run_epoch({}, [this](const protocol::Agent& agent) { return query_plan(agent); });
  }
}

protocol::PlanAnswers ProtocolRun::query_plan(const protocol::Agent& agent) {
  const protocol::Plan& plan = agent.plan();
  std::vector<double> rewards(static_cast<std::size_t>(plan.latents().rows()));
  problem_.values(ensemble_.study().domain->features(plan.latents()), rewards);
  const random::Coin coin = ensemble_.secret().problem_coin();
  for (std::uint32_t slot = 0; slot < rewards.size(); ++slot) {
    rewards[slot] += problems::draw_noise(noise_, coin, agent.id(), plan.first_t + slot);
  }
  talk_.back().points.push_back(plan.latents());
  talk_.back().rewards.push_back(
      Eigen::Map<const numeric::Vector>(rewards.data(), static_cast<Eigen::Index>(rewards.size())));
  return {std::move(rewards), {}};
}

void ProtocolRun::keep_uploads(const protocol::Effects& effects) {
  for (const protocol::Record& record : effects.records) {
    const auto* taken = std::get_if<protocol::MessageTaken>(&record);
    if (taken == nullptr) continue;
    if (const auto* upload = std::get_if<protocol::Upload>(&taken->message)) {
      talk_.back().uploads.push_back(*upload);
    }
  }
}

numeric::Points ProtocolRun::planned_points() const {
  std::vector<numeric::Points> parts;
  for (std::uint32_t a = 0; a < ensemble_.study().agents; ++a) {
    parts.push_back(ensemble_.agent(a).plan().latents());
  }
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
