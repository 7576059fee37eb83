// Computes the result of a run from its records: a deployment's, or any other stored run.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "duets/base/executor.h"
#include "duets/harness/run_result.h"
#include "duets/harness/simulate.h"

namespace duets::harness {

/// The records of a run, and the other known facts about it.
struct RecordedRun {
  std::shared_ptr<const protocol::Study> study;
  protocol::RewardScale scale;
  std::span<const base::Bytes> records;       ///< protocol::encode_record; must outlive this
  std::optional<random::StudySecret> secret;  ///< if known, the agents' points follow
  std::optional<Simulation> truth;            ///< for a built-in function: its true values
};

/// f(x*) - f(x) of the queries of closed epochs, by epoch and agent, one per slot; NaN for a hole.
using Regrets = std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<double>>;

struct RecordedResult {
  RunResult run;    ///< without objective and seed, which the caller sets
  Regrets regrets;  ///< if secret and truth are known
};

/// The result of `simulate` with the same secret, rewards and participation, to the bit, as far as
/// it can be known: without the secret there is no picture and no point of the best trial, without
/// the truth no optimum, and without either no regret; an unfinished run has no regret. Throws
/// kDecode, kProtocol or kInvalid for records that no run of the study leaves. With the secret O(N
/// T) draws.
RecordedResult result_of(const RecordedRun& run, const base::Executor& executor);

}  // namespace duets::harness
