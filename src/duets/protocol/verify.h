// Recomputes a run from its records and the secret, on any machine.
//
// Everything inside the determinism boundary must agree to the bit: points, inducing sets, the
// supremum of the mean, tau, survivors, samplers, digests. Each epoch is recomputed from the
// recorded numbers of the earlier epochs, and its strict part from its own recorded weights and
// deviation, so that one difference does not affect what follows.
//
// What the coordinator computes outside the boundary (largest variances, weights, the numbers that
// follow from them) may differ between builds in its last bits. Tolerances:
//   condition = 1 + n variance / lambda, which bounds the condition of lambda I + Z Z^T
//   relative  = max(1e-9, 16 epsilon condition)
//   the largest variance of a region    relative * (value + variance / 1000); relative is at least
//                 1e-6 on a box or ball, where a search that stops at gains of 1e-9 finds it
//   a mean        relative * (largest |mean| compared) + 64 * (estimated error of a mean)
// Weights are compared by the means they give, at the inducing points and at the points over which
// the supremum is taken: along directions that the kernel matrix does not see they have no correct
// digits, and nothing depends on them. In 48 runs (all kernels, lambda 0.2 and 0.001, all shapes of
// domain) that a build for AVX-512 wrote and one for SSE2 verified, means differed by up to 1e-10,
// 6 % of the tolerance, the other numbers by less than 1 % of it. All strict numbers agreed to the
// bit.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "duets/base/executor.h"
#include "duets/protocol/coordinator.h"

namespace duets::protocol {

/// One comparison.
struct Finding {
  EpochId epoch{};
  std::string what;        ///< "inducing set", "tau", "points of agent 3"
  std::string recorded;    ///< what the records say
  std::string recomputed;  ///< what this machine finds
  double difference = 0;   ///< for numbers
  double tolerance = 0;    ///< 0: to the bit
  bool ok = true;
  bool from_answers = false;  ///< about the given answers, not about the records
};

/// A message of an agent that follows from its answers to the bit.
struct MadeAgain {
  AgentId agent{};
  EpochId epoch{};
  bool has_rewards = false;  ///< every reward of the epoch is in it; false: only its best trial
};

struct Verification {
  std::vector<Finding> findings;  ///< in the order of the records
  bool finished = false;          ///< the records reach the end of the study
  /// Number of records checked; fewer than there are if one did not fit and ended the check.
  std::size_t num_checked = 0;
  std::size_t num_messages = 0;  ///< of agents, in the records that were checked
  std::size_t num_points = 0;  ///< answers whose values were compared with the point of their slot
  std::vector<MadeAgain> made_again;

  bool ok() const;
};

/// An agent's answer to a query, in model units; no reward: a hole.
struct Answer {
  AgentId agent{};
  EpochId epoch{};
  std::uint32_t slot = 0;
  std::optional<double> reward;
  std::vector<double> values{};  ///< the parameter values of the query; empty: not known
};

/// `records` is a host's journal. Without answers, uploads are checked only for their shape and the
/// digest of their points; with an agent's answers of an epoch, its message is recomputed to the
/// bit, and the values of an answer are compared with the point of its slot. Throws kDecode for
/// bytes that are not a record, kInvalid for a bad study; a wrong run is a finding. Takes about
/// twice the time of the coordinator's own computations.
Verification verify(const std::shared_ptr<const Study>& study, const random::StudySecret& secret,
                    std::span<const base::Bytes> records, const base::Executor& executor,
                    std::span<const Answer> answers = {});

}  // namespace duets::protocol
