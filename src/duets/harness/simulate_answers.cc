#include "duets/harness/simulate_answers.h"

#include <algorithm>
#include <utility>

#include "duets/domain/domain.h"

namespace duets::harness {
namespace {

using numeric::Points;

// Features of a long plan are computed for this many points at a time.
constexpr Eigen::Index kBlock = 4096;

std::vector<std::uint32_t> shown_slots(const QueryThinning& trials, const QueryThinning& picture,
                                       const Answers& answers) {
  std::vector<std::uint32_t> slots;
  const std::uint32_t agent = base::value(answers.agent);
  for (std::uint32_t slot = 0; slot < answers.truth.size(); ++slot) {
    const std::uint32_t t = answers.first_t + slot;
    if (trials.keeps(agent, t) || picture.keeps(agent, t)) slots.push_back(slot);
  }
  return slots;
}

base::Bytes encode_answers(const Answers& answers) {
  base::ByteWriter out;
  out.u32(base::value(answers.agent));
  out.u32(base::value(answers.epoch));
  out.u32(answers.first_t);
  out.f64s(answers.truth);
  out.u32s(answers.shown);
  out.f64s(answers.shown_values);
  protocol::write_points(out, answers.shown_latents);
  return out.take();
}

}  // namespace

std::vector<double> true_values(const Simulation& simulation, const Points& latents) {
  std::vector<double> truth(static_cast<std::size_t>(latents.rows()));
  for (Eigen::Index first = 0; first < latents.rows(); first += kBlock) {
    const Eigen::Index count = std::min(kBlock, latents.rows() - first);
    const Points features = simulation.study->domain->features(latents.middleRows(first, count));
    simulation.problem->values(features, std::span(truth).subspan(static_cast<std::size_t>(first),
                                                                  static_cast<std::size_t>(count)));
  }
  return truth;
}

protocol::PlanAnswers query_plan(const Simulation& simulation, const random::Coin& problem_coin,
                                 const QueryThinning& picture, const protocol::Agent& agent) {
  const protocol::Plan& plan = agent.plan();
  Answers answers;
  answers.agent = agent.id();
  answers.epoch = plan.epoch;
  answers.first_t = plan.first_t;
  answers.truth = true_values(simulation, plan.latents());
  answers.shown = shown_slots(simulation.trials, picture, answers);
  answers.shown_values.reserve(answers.shown.size());
  answers.shown_latents.resize(static_cast<Eigen::Index>(answers.shown.size()),
                               plan.latents().cols());
  std::vector<double> rewards(answers.truth.size());
  for (std::uint32_t slot = 0; slot < rewards.size(); ++slot) {
    const double value =
        answers.truth[slot] +
        problems::draw_noise(simulation.noise, problem_coin, agent.id(), plan.first_t + slot);
    const std::size_t row = answers.shown_values.size();
    if (row < answers.shown.size() && answers.shown[row] == slot) {
      answers.shown_values.push_back(value);
      answers.shown_latents.row(static_cast<Eigen::Index>(row)) = plan.latents().row(slot);
    }
    rewards[slot] = simulation.reward(value);
  }
  return {std::move(rewards), encode_answers(answers)};
}

Answers decode_answers(std::span<const std::uint8_t> bytes) {
  base::ByteReader in(bytes);
  Answers answers;
  answers.agent = base::AgentId{in.u32()};
  answers.epoch = base::EpochId{in.u32()};
  answers.first_t = in.u32();
  answers.truth = in.f64s();
  answers.shown = in.u32s();
  answers.shown_values = in.f64s();
  answers.shown_latents = protocol::read_points(in);
  in.expect_end();
  return answers;
}

}  // namespace duets::harness
