#include "tiny_study.h"

#include <cmath>

namespace duets::fuzz {
std::shared_ptr<const protocol::Study> tiny_study(bool finite) {
  auto study = std::make_shared<protocol::Study>();
  study->agents = 2;
  study->schedule = protocol::ScheduleRule::kExplicit;
  study->epochs = {1, 2, 3};
  study->kernel.lengthscales = {0.3};
  study->beta = 1;
  // Ended early or not, then extended.
  study->earlier_horizons = {6};
  if (!finite) study->ended_after = {2};
  study->horizon = finite ? 8 : 5;
  if (finite) {
    numeric::Points candidates(12, 1);
    for (Eigen::Index i = 0; i < 12; ++i) candidates(i, 0) = static_cast<double>(i) / 11;
    study->domain = std::make_shared<const domain::Domain>(domain::Domain::finite(candidates));
    study->data = protocol::DataPolicy::kSurviving;
    study->closing = protocol::ClosingRule::kProjection;
  } else {
    study->domain = std::make_shared<const domain::Domain>(domain::Domain::box(1));
    study->inducing = protocol::Inducing::kPublic;
    study->closing = protocol::ClosingRule::kAll;
    study->numbers = protocol::Numbers::kShort;
  }
  return study;
}

bool has_large_number(std::string_view text) {
  std::size_t run = 0;
  for (const char c : text) {
    const bool digit = (c >= '0' && c <= '9') || c == '_' || c == 'x' || (c >= 'a' && c <= 'f') ||
                       (c >= 'A' && c <= 'F');
    run = digit && (run > 0 || (c >= '0' && c <= '9')) ? run + 1 : 0;
    if (run > 5) return true;
  }
  return false;
}

random::StudySecret tiny_secret() { return random::StudySecret::from_seed(1); }

Transcript run_tiny(const std::shared_ptr<const protocol::Study>& study) {
  Transcript transcript;
  const auto keep = [&transcript](const protocol::Effects& effects) {
    for (const protocol::Record& record : effects.records) {
      const auto* taken = std::get_if<protocol::MessageTaken>(&record);
      if (taken != nullptr) transcript.messages.push_back(taken->message);
      transcript.records.push_back(record);
    }
    for (const protocol::Outgoing& out : effects.messages) {
      transcript.messages.push_back(out.message);
    }
  };
  const base::SerialExecutor executor;
  protocol::Ensemble ensemble(study, tiny_secret(), executor, protocol::Sharing::kNothing, keep);
  ensemble.start();
  ensemble.run([](const protocol::Agent& agent) {
    const numeric::Points& latents = agent.plan().latents();
    protocol::PlanAnswers answers{{latents.col(0).begin(), latents.col(0).end()}, {}};
    if (base::value(agent.id()) == 0 && latents.rows() > 1) answers.rewards[1] = std::nan("");
    return answers;
  });
  return transcript;
}

}  // namespace duets::fuzz
