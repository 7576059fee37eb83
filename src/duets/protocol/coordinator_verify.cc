// What the coordinator would decide where a journal says what it did decide.
#include <cmath>
#include <limits>
#include <utility>

#include "duets/base/error.h"
#include "duets/protocol/coordinator.h"

namespace duets::protocol {

namespace {

gp::Parameters recorded_parameters(const EpochClosed& recorded, const ResolvedInducing& inducing) {
  const Model& model = model_of_cut(inducing, recorded.trim);
  return {model.kernel, recorded.report.lambda, model.reward_offset};
}

bool is_close(double a, double b) { return std::abs(a - b) <= 1e-6 * std::abs(b); }

// Whether the rest of a model follows from its length scales as it does here. Models with other
// length scales may be as plausible; what the rewards say of these numbers is one thing only.
bool follows(const gp::Parameters& recorded, const gp::Parameters& own) {
  if (recorded.kernel.lengthscales != own.kernel.lengthscales) return true;
  const double scale = std::sqrt(own.kernel.variance);
  return is_close(recorded.kernel.variance, own.kernel.variance) &&
         is_close(recorded.lambda, own.lambda) &&
         std::abs(recorded.offset - own.offset) <= 1e-6 * (scale + std::abs(own.offset));
}

}  // namespace

// The view is shared with nobody: both go their own way from here.
Coordinator Coordinator::fork() const {
  Coordinator copy = *this;
  copy.view_ = std::make_shared<PublicView>(*view_);
  return copy;
}

std::optional<Reason> Coordinator::refusal_of(const Message& message) const {
  const auto* upload = std::get_if<Upload>(&message);
  return upload != nullptr ? objection(*upload) : objection(std::get<Closing>(message));
}

EpochOpened Coordinator::recompute(const EpochOpened& recorded) const {
  base::require(!is_open() && !finished_, "epoch", std::to_string(base::value(recorded.epoch)),
                "no epoch is due to open");
  Coordinator copy = fork();
  if (base::value(epoch_) == 0) copy.epoch_ = EpochId{1};
  return copy.make_opening(recorded.report.sigma2_max_open);
}

RecomputedClosing Coordinator::recompute(const EpochClosed& recorded) const {
  base::require(is_open(), "epoch", std::to_string(base::value(recorded.epoch)),
                "no epoch is open");
  std::vector<AgentId> agents;
  for (const std::uint32_t a : recorded.participants) agents.push_back(AgentId{a});
  Coordinator copy = fork();
  RecomputedClosing result;
  EpochClosed& closed = result.record;
  closed = copy.begin_closing(checked_participants(recorded.epoch, agents));
  if (copy.sends_values()) {
    std::optional<gp::Parameters> learned = copy.learn(closed.report);
    if (learned) result.own_evidence = copy.learner_.log_evidence(*learned);
    if (learned && recorded.has_trim) {
      const gp::Parameters own = *learned;
      learned = recorded_parameters(recorded, view_->inducing(epoch_));
      result.recorded_evidence = follows(*learned, own) ? copy.learner_.log_evidence(*learned)
                                                        : -std::numeric_limits<double>::infinity();
    }
    const ResolvedInducing inducing = copy.inducing_with(learned, closed.report);
    result.inducing = inducing;
    Solution solution = copy.solve(inducing, closed.participants, closed.report);
    result.weights = solution.weights;
    result.cut = solution.cut;
    result.width = solution.width;
    result.max_stddev = solution.max_stddev;
    result.decision = solution.decision;
    // The last epoch sends no weights: there is nothing recorded to start from.
    if (recorded.has_trim) result.recorded_cut = cut_form(*view_, inducing, recorded.trim);
    const bool usable = recorded.has_trim && recorded.trim.weights.allFinite() &&
                        recorded.trim.weights.size() == result.recorded_cut.features.rows() &&
                        std::isfinite(recorded.report.width) &&
                        std::isfinite(recorded.report.max_stddev) &&
                        std::isfinite(recorded.report.kept_share);
    if (usable) {
      solution.cut = result.recorded_cut;
      solution.width = recorded.report.width;
      solution.max_stddev = recorded.report.max_stddev;
      solution.decision.share = recorded.report.kept_share;
    }
    copy.cut_region(inducing, solution, closed);
    if (copy.recalls()) {
      const EpochReport& own = closed.report;
      result.final_point =
          FinalPoint{own.best_point, own.max_mean, own.best_stddev, own.shortfall, own.missed};
      result.decision.shortfall = own.shortfall;
      if (recorded.report.best_point.size() == own.best_point.size()) {
        result.recorded_point = final_point_at(solution.posterior, solution.weights, inducing,
                                               *study_->domain, recorded.report.best_point);
      }
    }
  }
  copy.advance_digests(closed);
  return result;
}

}  // namespace duets::protocol
