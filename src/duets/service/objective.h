// The interface of an objective: one query in, one answer out.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "duets/domain/domain.h"

namespace duets::service {

/// One query of an agent, and the name of a trial: (agent, epoch, slot) is unique in a study.
struct Query {
  std::uint32_t agent = 0;
  std::uint32_t epoch = 0;     ///< from 1
  std::uint32_t slot = 0;      ///< from 0, within the epoch
  std::uint32_t t = 0;         ///< from 0, at this agent
  std::vector<double> latent;  ///< the point in the model's coordinates
  std::vector<double> values;  ///< parameter values, user's units; a categorical's is its index
};

/// "AGENT-EPOCH-SLOT".
std::string trial_name(const Query& query);

struct Value {
  double value = 0;  ///< finite, user's units
};
struct Infeasible {
  std::string why;
};
/// The query has no answer: a hole.
struct Failure {
  std::string why;       ///< one line
  std::string log_tail;  ///< the end of the program's log, at most 4 KiB
};
/// `abandon` was set: the query was not finished and may be asked again.
struct Interrupted {};
using Answer = std::variant<Value, Infeasible, Failure, Interrupted>;

class Objective {
 public:
  virtual ~Objective() = default;
  /// May take hours. Returns Interrupted soon after `abandon` becomes true. Never throws because of
  /// what the objective does; throws kInvalid when it cannot be run at all (no such program).
  virtual Answer ask(const Query& query, const std::atomic<bool>& abandon) = 0;
};

}  // namespace duets::service
