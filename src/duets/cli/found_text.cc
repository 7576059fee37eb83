#include "duets/cli/found_text.h"

#include <fmt/format.h>

#include "duets/domain/shown_value.h"
#include "duets/service/wire_found.h"
#include "duets/v1/duets.pb.h"

namespace duets::cli {
namespace {

std::string place_text(const google::protobuf::RepeatedPtrField<v1::Param>& params) {
  std::vector<std::string> parts;
  for (const v1::Param& param : params) {
    parts.push_back(param.name() + " = " + domain::to_text(shown_value(param), 6));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

service::Coordinates coordinates_of(const harness::RunResult& run) {
  return {run.coordinate_names, run.parameters};
}

}  // namespace

domain::ShownValue shown_value(const v1::Param& param) {
  if (param.has_integer()) return param.integer();
  if (param.has_choice()) return param.choice();
  return param.number();
}

void add_recommendation(const v1::Recommendation& found, const std::string& truth, Rows& rows) {
  rows.emplace_back("recommendation", place_text(found.params()));
  rows.emplace_back("  posterior mean", fmt::format("{:.6g}, interval [{:.6g}, {:.6g}]",
                                                    found.mean(), found.low(), found.high()));
  if (!found.interval_meaning().empty()) {
    rows.emplace_back("  interval is", found.interval_meaning());
  }
  if (found.has_missed()) {
    const v1::Missed& missed = found.missed();
    rows.emplace_back(
        "  perhaps missed",
        fmt::format("{:.0f} % chance of a point better by more than {:.3g}; expected gain {:.3g}",
                    100 * missed.chance(), missed.better_by(), missed.expected()));
  }
  if (!truth.empty()) rows.emplace_back("  true value", truth);
}

void add_best_trial(const v1::BestTrial& found, Rows& rows) {
  rows.emplace_back("best trial", found.params().empty() ? "the point is in the agent's journal"
                                                         : place_text(found.params()));
  rows.emplace_back("  observed",
                    fmt::format("{:.6g}, with its noise (agent {}, epoch {}, slot {})",
                                found.value(), found.agent(), found.epoch(), found.slot()));
}

std::optional<v1::Recommendation> recommendation_of(const harness::RunResult& run) {
  if (!run.recommendation) return std::nullopt;
  return service::recommendation_to_wire(coordinates_of(run), *run.recommendation,
                                         run.interval_meaning);
}

std::optional<v1::BestTrial> best_trial_of(const harness::RunResult& run) {
  if (!run.best_trial) return std::nullopt;
  return service::best_trial_to_wire(coordinates_of(run), *run.best_trial);
}

}  // namespace duets::cli
