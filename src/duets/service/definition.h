// A study as the service carries it: the model, how answers become rewards, when an epoch may end.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "duets/base/bytes.h"
#include "duets/protocol/reward_scale.h"
#include "duets/protocol/study.h"

namespace duets::service {

struct ObjectiveSettings : protocol::RewardScale {
  std::optional<double> infeasible_value;  ///< in the program's own units
  double timeout_seconds = 600;            ///< of one query; > 0
  std::uint32_t retries = 0;               ///< more attempts after a failed one
  std::vector<std::string> command;        ///< empty: every agent brings its own

  /// Why a value cannot be used as a reward: "value = 1e308: ...". Empty: it can.
  std::string objection_to(double value) const;
};

/// When an epoch may end without everybody. By default never.
struct ClosePolicy {
  std::uint32_t quorum = 0;  ///< at least so many uploads; 0: all agents
  double deadline = 0;  ///< an epoch's time limit in multiples of T_j x the measured seconds per
                        ///< query (median over agents); 0: none
};

/// Throws kInvalid naming the field of the study file.
void validate(const ClosePolicy& policy, std::uint32_t agents);

/// Everything public about a study on a server.
struct Definition {
  std::shared_ptr<const protocol::Study> study;
  ObjectiveSettings objective;
  ClosePolicy policy;
  std::string toml;  ///< the resolved study file, for people and for built-in objectives
};

/// 1 to 100 letters, digits, '-', '_' or '.', not starting with '.': it becomes a file name and a
/// part of certificates.
bool is_study_name(std::string_view name);

/// Throws kInvalid naming the field of the study file.
void validate(const Definition& definition);

/// The bytes of its wire form, as stored. `decode_definition` throws kDecode or kInvalid.
base::Bytes encode_definition(const Definition& definition);
Definition decode_definition(std::span<const std::uint8_t> bytes);

}  // namespace duets::service
