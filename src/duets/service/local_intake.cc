#include "duets/service/local_intake.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "duets/base/error.h"
#include "duets/service/agent_journal.h"

namespace duets::service {

using Told = LocalStudy::Told;

LocalIntake::LocalIntake(LocalStudy& study, const IntakeOptions& options)
    : study_(study),
      watch_(study.definition().study->name, options.max_failures, options.log),
      max_failures_(options.max_failures),
      has_worked_(std::ranges::any_of(study.trials(), [](const JournalTrial& trial) {
        return trial.kind != JournalTrial::Kind::kHole;
      })) {}

LocalIntake::~LocalIntake() {
  try {
    for (const Told& one : withheld_) study_.give_back(one.query);
  } catch (const base::Error&) {  // after an error the study is of no use
    return;
  }
}

void LocalIntake::take(std::vector<Told> told) {
  std::vector<Told> counted;
  for (Told& one : told) {
    one.answer = usable_answer(study_.definition(), std::move(one.answer));
    if (std::holds_alternative<Interrupted>(one.answer)) {
      study_.give_back(one.query);
    } else {
      counted.push_back(std::move(one));
    }
  }
  const auto is_failure = [](const Told& one) {
    return std::holds_alternative<Failure>(one.answer);
  };
  has_worked_ = has_worked_ || max_failures_ == 0 || !std::ranges::all_of(counted, is_failure);
  if (!has_worked_) {
    for (const Told& one : counted) watch_.see(one.query, one.answer);
    std::ranges::move(counted, std::back_inserter(withheld_));
    return;
  }
  tell(std::exchange(withheld_, {}));
  tell(counted);
  for (const Told& one : counted) watch_.see(one.query, one.answer);
}

void LocalIntake::give_up() const {
  if (withheld_.empty()) {
    throw base::Error(base::ErrorKind::kProtocol, "an epoch has no query left but is open");
  }
  const Told& last = withheld_.back();
  throw base::Error(
      base::ErrorKind::kObjective,
      fmt::format("the objective failed in every query of the first epoch ({}), the last time in "
                  "trial {}: {}",
                  withheld_.size(), trial_name(last.query), std::get<Failure>(last.answer).why));
}

// An infeasible answer may be one that the study has no use for; the others must not be lost.
void LocalIntake::tell(std::vector<Told> told) {
  const auto infeasible = std::stable_partition(told.begin(), told.end(), [](const Told& one) {
    return !std::holds_alternative<Infeasible>(one.answer);
  });
  const auto count = static_cast<std::size_t>(infeasible - told.begin());
  const bool all_count = study_.definition().objective().infeasible_value.has_value();
  study_.tell(std::span(told).first(all_count ? told.size() : count));
  if (!all_count) study_.tell(std::span(told).subspan(count));
}

}  // namespace duets::service
