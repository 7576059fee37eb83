// The state of an agent in its study, without IO. A journal is replayed into it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "duets/protocol/agent.h"
#include "duets/service/agent_journal.h"
#include "duets/service/definition.h"

namespace duets::service {

class AgentBook {
 public:
  AgentBook(const Definition& definition, base::AgentId agent, const random::Coin& coin,
            const random::Coin& public_coin);

  /// Applies an entry of the journal. Broadcasts come in order; answers of epochs that have ended
  /// are only recorded. Throws kDiverged when an answer was measured at a different point than in
  /// this plan, kProtocol or kInvalid for entries that do not fit.
  void apply(const JournalEntry& entry);

  /// True when this answer is already known. Throws kInvalid when no query was made for it, or
  /// when it differs from the known answer.
  bool is_known(const JournalAnswer& answer) const;

  const protocol::Agent& agent() const { return agent_; }
  std::uint32_t epoch() const { return base::value(agent_.plan().epoch); }
  std::uint32_t length() const { return static_cast<std::uint32_t>(answered_.size()); }
  std::uint32_t num_answered() const { return num_answered_; }
  std::uint32_t num_holes() const { return num_holes_; }
  /// The results of the open epoch are disowned (JournalDisowned).
  bool disowned() const { return disowned_; }
  bool has_open_slot() const { return num_answered_ < answered_.size(); }
  /// The lowest slot of the open epoch without an answer. Precondition: there is one.
  std::uint32_t first_open_slot() const;
  std::vector<std::uint32_t> open_slots() const;
  /// The query of a slot of the open epoch.
  Query query(std::uint32_t slot) const;

  /// The number of broadcasts applied so far; they are the first ones of the study.
  std::uint32_t num_broadcasts() const { return num_broadcasts_; }
  std::uint64_t broadcasts_digest() const { return chain_; }
  /// The epoch that is open after this many broadcasts.
  std::uint32_t open_epoch(std::uint32_t num_broadcasts) const;
  /// The position of a broadcast in that order, from 0. Every epoch except the last has a trim, and
  /// each in which agents send values an inducing set. kProtocol for other messages.
  std::uint32_t position(const protocol::Message& broadcast) const;

 private:
  struct Known {
    JournalTrial::Kind kind;
    double value;
  };
  void apply_broadcast(const protocol::Message& broadcast);
  void apply_answer(const JournalAnswer& answer);
  void apply_disowned(const JournalDisowned& disowned);
  void begin_epoch();

  Definition definition_;
  std::vector<std::uint32_t> lengths_;
  std::vector<std::uint32_t> first_broadcasts_;  ///< of each epoch: broadcasts before it
  protocol::Agent agent_;
  std::uint32_t num_broadcasts_ = 0;
  std::uint64_t chain_ = 0;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Known> known_;  ///< by epoch and slot
  std::vector<bool> answered_;                                      ///< slots of the open epoch
  std::uint32_t num_answered_ = 0;
  std::uint32_t num_holes_ = 0;
  bool disowned_ = false;
};

}  // namespace duets::service
