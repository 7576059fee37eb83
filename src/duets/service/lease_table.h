// Leases of agents with fencing tokens, and when each holder was last heard from.
//
// Pure: the time is an argument (seconds of any steady clock). Tokens and holders that must survive
// a restart are returned as bytes to persist.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "duets/base/bytes.h"
#include "duets/v1/duets.pb.h"

namespace duets::service {

/// A machine that asks for an agent: 16 random bytes identify its journal, 16 more the start of the
/// process that uses it.
struct Holder {
  std::string instance;
  std::string start;
  std::string host;  ///< for people
};

/// The answer to a request for an agent.
struct Grant {
  bool granted = false;
  bool changed = false;  ///< the token is new: persist before answering
  std::uint32_t agent = 0;
  std::uint64_t token = 0;
  std::string objection;  ///< when not granted
};

class LeaseTable {
 public:
  LeaseTable(std::uint32_t num_agents, double lease_seconds);

  /// `agent` empty: the one this journal held, else the lowest that was never held, was left, or
  /// whose lease has expired. A live lease of another journal is refused unless `take_over`, a
  /// retired agent always. The same journal and start keep their token; any other holder gets the
  /// next one, so that two processes cannot use copies of a journal at once.
  Grant join(std::optional<std::uint32_t> agent, const Holder& holder, bool take_over, double now);

  /// True, and the lease is renewed, when the token is the agent's current one.
  bool renew(std::uint32_t agent, std::uint64_t token, double now);
  /// The same, with the agent's progress.
  bool beat(const v1::Progress& progress, double now);
  void leave(std::uint32_t agent, std::uint64_t token);

  /// From now on nobody can hold the agent. Precondition: the study has it.
  void retire(std::uint32_t agent);
  bool is_retired(std::uint32_t agent) const;
  /// Increasing.
  std::vector<std::uint32_t> retired() const;

  /// A token higher than any that was granted: the table was set back to an older copy.
  bool is_from_later(std::uint32_t agent, std::uint64_t token) const;

  /// The reason why a call with an old token is refused: names the machine that has taken over.
  std::string fenced_text(std::uint32_t agent) const;

  v1::Presence presence(std::uint32_t agent, double now) const;
  /// Fills presence, retired, host, heard_seconds_ago, token, and the fields of the last beat of
  /// `epoch`.
  v1::AgentStatus status(std::uint32_t agent, std::uint32_t epoch, double now) const;
  /// Median over the agents that have a measurement and are not retired; nothing if there are none.
  std::optional<double> median_seconds_per_query() const;

  /// Tokens, holders and retired agents, to be persisted when a grant says so.
  base::Bytes save() const;
  /// After a restart. Every holder gets a full lease from `now` on. kDecode.
  void load(std::span<const std::uint8_t> bytes, double now);

 private:
  struct Lease {
    std::uint64_t token = 0;  ///< 0: never held
    Holder holder;
    bool left = false;
    bool retired = false;
    std::optional<double> heard;  ///< or the start of its lease after a restart; empty: never
    bool silent = false;          ///< not heard from since the coordinator's restart
    v1::Progress last;
  };
  bool is_free(const Lease& lease, double now) const;
  std::optional<std::uint32_t> choose(const std::string& instance, double now) const;

  double lease_seconds_;
  std::vector<Lease> leases_;
};

}  // namespace duets::service
