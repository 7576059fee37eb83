// Watches the answers of an objective: logs those that are no values, and says when it fails too
// often.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "duets/service/log.h"
#include "duets/service/objective.h"

namespace duets::service {

class AnswerWatch {
 public:
  /// `max_failures` in a row are too many; 0: never. `log` may be empty.
  AnswerWatch(std::string study, std::uint32_t max_failures, Log log)
      : study_(std::move(study)), max_failures_(max_failures), log_(std::move(log)) {}

  /// An answer that is not Interrupted. Throws kObjective when there are too many failures.
  void see(const Query& query, const Answer& answer);

 private:
  void tell_infeasible(const Query& query, const Infeasible& infeasible);
  void say(const std::string& message, const Query& query, LogLevel level);

  std::string study_;
  std::uint32_t max_failures_;
  Log log_;
  std::uint32_t epoch_ = 0;           ///< of the last infeasible answer
  std::uint32_t num_infeasible_ = 0;  ///< in this epoch
  std::uint32_t num_failures_ = 0;    ///< in a row
};

}  // namespace duets::service
