#include "duets/service/answer_watch.h"

#include <fmt/format.h>

#include "duets/base/count_text.h"
#include "duets/base/error.h"

namespace duets::service {
namespace {

constexpr std::uint32_t kMaxInfeasibleLines = 20;  ///< per epoch

}  // namespace

void AnswerWatch::see(const Query& query, const Answer& answer) {
  const auto* failure = std::get_if<Failure>(&answer);
  if (failure == nullptr) {
    num_failures_ = 0;
    if (const auto* infeasible = std::get_if<Infeasible>(&answer)) {
      tell_infeasible(query, *infeasible);
    }
    return;
  }
  ++num_failures_;
  say(fmt::format("trial {} has no answer: {}", trial_name(query), failure->why), query,
      LogLevel::kWarning);
  if (max_failures_ == 0 || num_failures_ < max_failures_) return;
  throw base::Error(base::ErrorKind::kObjective,
                    fmt::format("the objective failed {} in a row, the last time in trial {}: {}",
                                base::count_text(num_failures_, "time", "times"), trial_name(query),
                                failure->why));
}

// A whole region may be infeasible: some of the answers are logged, the journal has them all.
void AnswerWatch::tell_infeasible(const Query& query, const Infeasible& infeasible) {
  if (query.epoch != epoch_) num_infeasible_ = 0;
  epoch_ = query.epoch;
  ++num_infeasible_;
  if (num_infeasible_ > kMaxInfeasibleLines) return;
  say(fmt::format("trial {} is infeasible: {}{}", trial_name(query), infeasible.why,
                  num_infeasible_ == kMaxInfeasibleLines
                      ? "; more in this epoch are only in the journal"
                      : ""),
      query, LogLevel::kInfo);
}

void AnswerWatch::say(const std::string& message, const Query& query, LogLevel level) {
  if (!log_) return;
  log_({.message = message, .level = level, .study = study_, .agent = query.agent});
}

}  // namespace duets::service
