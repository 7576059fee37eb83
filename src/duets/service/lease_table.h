// Who holds which agent: leases with fencing tokens, and what was last heard of each.
//
// Pure: the time is an argument (seconds of any steady clock), tokens and holders that must survive
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

/// Who asks for an agent: the journal, told apart from all others by 16 random bytes, and the start
/// of the process that uses it, by 16 more.
struct Holder {
  std::string instance;
  std::string start;
  std::string host;  ///< for people
};

/// The answer to somebody who wants an agent.
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
  /// whose lease ended. A lease that another journal holds and keeps alive is refused unless
  /// `take_over`, a retired agent always. The same journal and start keep their token; anybody else
  /// gets the next, so that a copied journal cannot be used by two at once.
  Grant join(std::optional<std::uint32_t> agent, const Holder& holder, bool take_over, double now);

  /// True, and the lease is renewed, when the token is the agent's current one.
  bool renew(std::uint32_t agent, std::uint64_t token, double now);
  /// The same, with what the agent says of itself.
  bool beat(const v1::Progress& progress, double now);
  void leave(std::uint32_t agent, std::uint64_t token);

  /// From now on nobody holds the agent, for good. Precondition: the study has it.
  void retire(std::uint32_t agent);
  bool is_retired(std::uint32_t agent) const;
  /// Increasing.
  std::vector<std::uint32_t> retired() const;

  /// A token higher than any that was given: the table was set back to an older copy.
  bool is_from_later(std::uint32_t agent, std::uint64_t token) const;

  /// Why a call with an old token is refused: names the machine that has taken over.
  std::string fenced_text(std::uint32_t agent) const;

  v1::Presence presence(std::uint32_t agent, double now) const;
  /// Fills presence, retired, host, heard_seconds_ago, token, and what the last beat of `epoch`
  /// said.
  v1::AgentStatus status(std::uint32_t agent, std::uint32_t epoch, double now) const;
  /// Median over the agents that have measured any and are not retired; nothing when none has.
  std::optional<double> median_seconds_per_query() const;

  /// Tokens, holders and who is retired, to be persisted when a grant says so.
  base::Bytes save() const;
  /// After a restart. Every holder gets the time of one lease from `now` on. kDecode.
  void load(std::span<const std::uint8_t> bytes, double now);

 private:
  struct Lease {
    std::uint64_t token = 0;  ///< 0: never held
    Holder holder;
    bool left = false;
    bool retired = false;
    std::optional<double> heard;  ///< or since when it may be expected to be heard; empty: never
    bool silent = false;          ///< not heard since the coordinator came back
    v1::Progress last;
  };
  bool is_free(const Lease& lease, double now) const;
  std::optional<std::uint32_t> choose(const std::string& instance, double now) const;

  double lease_seconds_;
  std::vector<Lease> leases_;
};

}  // namespace duets::service
