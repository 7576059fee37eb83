#include "tiny_study.h"

#include <utility>

namespace duets::fuzz {
namespace {

using base::AgentId;
using protocol::Agent;

// Carries messages and writes down what passes.
class Recorder {
 public:
  explicit Recorder(std::shared_ptr<const protocol::Study> study)
      : study_(std::move(study)), coordinator_(study_, tiny_secret(), executor_) {
    for (std::uint32_t a = 0; a < study_->agents; ++a) {
      agents_.emplace_back(
          study_, AgentId{a}, tiny_secret().agent_coin(AgentId{a}),
          std::make_shared<protocol::PublicView>(study_, tiny_secret().public_coin(), executor_));
    }
  }

  Transcript run() {
    carry_out(coordinator_.start());
    while (!coordinator_.finished()) {
      for (Agent& agent : agents_) query(agent);
    }
    return std::move(transcript_);
  }

 private:
  void query(Agent& agent) {
    const auto slots = static_cast<std::uint32_t>(agent.plan().latents().rows());
    std::optional<protocol::Message> message;
    for (std::uint32_t slot = 0; slot < slots; ++slot) {
      const bool hole = slot == 1 && base::value(agent.id()) == 0;
      message =
          hole ? agent.report_hole(slot) : agent.report(slot, agent.plan().latents()(slot, 0));
    }
    if (!message) return;
    transcript_.messages.push_back(*message);
    carry_out(coordinator_.receive(*message));
  }

  void carry_out(const protocol::Effects& effects) {
    for (const protocol::Record& record : effects.records) transcript_.records.push_back(record);
    for (const protocol::Outgoing& outgoing : effects.messages) {
      transcript_.messages.push_back(outgoing.message);
      for (Agent& agent : agents_) agent.receive(outgoing.message);
    }
  }

  std::shared_ptr<const protocol::Study> study_;
  base::SerialExecutor executor_;
  protocol::Coordinator coordinator_;
  std::vector<Agent> agents_;
  Transcript transcript_;
};

}  // namespace

std::shared_ptr<const protocol::Study> tiny_study(bool finite) {
  auto study = std::make_shared<protocol::Study>();
  study->agents = 2;
  study->horizon = 6;
  study->schedule = protocol::ScheduleRule::kExplicit;
  study->epochs = {1, 2, 3};
  study->kernel.lengthscales = {0.3};
  if (finite) {
    numeric::Points candidates(12, 1);
    for (Eigen::Index i = 0; i < 12; ++i) candidates(i, 0) = static_cast<double>(i) / 11;
    study->domain = std::make_shared<const domain::Domain>(domain::Domain::finite(candidates));
    study->data = protocol::DataPolicy::kSurviving;
    study->closing = protocol::ClosingRule::kProjection;
  } else {
    study->domain = std::make_shared<const domain::Domain>(domain::Domain::box(1));
    study->inducing = protocol::Inducing::kPublic;
  }
  return study;
}

random::StudySecret tiny_secret() { return random::StudySecret::from_seed(1); }

Transcript run_tiny(const std::shared_ptr<const protocol::Study>& study) {
  return Recorder(study).run();
}

}  // namespace duets::fuzz
