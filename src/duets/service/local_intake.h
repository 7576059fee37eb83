// Tells a local study the answers of an objective that may be broken.
#pragma once

#include <cstdint>
#include <vector>

#include "duets/service/answer_watch.h"
#include "duets/service/local_study.h"
#include "duets/service/log.h"

namespace duets::service {

struct IntakeOptions {
  std::uint32_t max_failures = 0;  ///< in a row are too many; 0: never
  Log log = {};                    ///< may be empty
};

/// Failures before the first answer are not told until there is one; when the intake ends before,
/// their queries are given back: an objective that never worked leaves the study as new. Without
/// `max_failures` every failure is told at once. One thread at a time; the study must outlive it.
class LocalIntake {
 public:
  LocalIntake(LocalStudy& study, const IntakeOptions& options);
  ~LocalIntake();
  LocalIntake(const LocalIntake&) = delete;
  LocalIntake& operator=(const LocalIntake&) = delete;

  /// Tells what counts; a query with an interrupted answer is given back. A value that cannot be a
  /// reward is a failure. Throws kObjective when there are too many failures, and like
  /// LocalStudy::tell.
  void take(std::vector<LocalStudy::Told> told);
  /// Nothing is left to ask and nothing under way, but the epoch is open: no query has worked.
  [[noreturn]] void give_up() const;

 private:
  void tell(std::vector<LocalStudy::Told> told);

  LocalStudy& study_;
  AnswerWatch watch_;
  std::uint32_t max_failures_;
  bool has_worked_;                         ///< the objective has answered a query
  std::vector<LocalStudy::Told> withheld_;  ///< failures before that
};

}  // namespace duets::service
