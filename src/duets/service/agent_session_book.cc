#include "duets/service/agent_session_book.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "duets/base/error.h"
#include "duets/protocol/ensemble.h"
#include "duets/service/agent_query.h"
#include "duets/service/wire.h"

namespace duets::service {
namespace {

// An agent computes little: more threads would cost more than they gain.
const base::SerialExecutor kSerial;

}  // namespace

AgentBook::AgentBook(const Definition& definition, base::AgentId agent, const random::Coin& coin,
                     const random::Coin& public_coin)
    : definition_(definition),
      lengths_(protocol::lengths(*definition.study)),
      agent_(definition.study, agent, coin,
             std::make_shared<protocol::PublicView>(definition.study, public_coin, kSerial)) {
  std::uint32_t count = 0;
  for (std::uint32_t e = 1; e <= lengths_.size(); ++e) {
    first_broadcasts_.push_back(count);
    count += protocol::sends_values(*definition_.study, base::EpochId{e}) ? 2 : 1;
  }
  begin_epoch();
}

std::uint32_t AgentBook::open_epoch(std::uint32_t num_broadcasts) const {
  const auto after = std::ranges::upper_bound(first_broadcasts_, num_broadcasts);
  return static_cast<std::uint32_t>(after - first_broadcasts_.begin());
}

void AgentBook::begin_epoch() {
  answered_.assign(lengths_[epoch() - 1], false);
  num_answered_ = 0;
  num_holes_ = 0;
  disowned_ = false;
}

std::uint32_t AgentBook::position(const protocol::Message& broadcast) const {
  const auto* inducing = std::get_if<protocol::InducingSet>(&broadcast);
  const auto* trim = std::get_if<protocol::Trim>(&broadcast);
  const std::uint32_t epoch = inducing != nullptr ? base::value(inducing->epoch)
                              : trim != nullptr   ? base::value(trim->epoch)
                                                  : 0;
  if (epoch == 0) {
    throw base::Error(base::ErrorKind::kProtocol,
                      "the coordinator broadcast a message that only agents send");
  }
  if (epoch > lengths_.size()) {
    throw base::Error(
        base::ErrorKind::kProtocol,
        fmt::format("a broadcast of epoch {}: the study has {}", epoch, lengths_.size()));
  }
  const bool second =
      trim != nullptr && protocol::sends_values(*definition_.study, base::EpochId{epoch});
  return first_broadcasts_[epoch - 1] + (second ? 1 : 0);
}

void AgentBook::apply(const JournalEntry& entry) {
  if (const auto* answer = std::get_if<JournalAnswer>(&entry)) {
    apply_answer(*answer);
  } else if (const auto* disowned = std::get_if<JournalDisowned>(&entry)) {
    apply_disowned(*disowned);
  } else {
    apply_broadcast(std::get<protocol::Message>(entry));
  }
}

void AgentBook::apply_broadcast(const protocol::Message& broadcast) {
  if (position(broadcast) != num_broadcasts_) {
    throw base::Error(base::ErrorKind::kProtocol,
                      fmt::format("agent {}: got broadcast {} instead of broadcast {}",
                                  base::value(agent_.id()), position(broadcast), num_broadcasts_));
  }
  const std::uint32_t before = epoch();
  agent_.receive(broadcast);
  ++num_broadcasts_;
  chain_ = chain_broadcast(chain_, broadcast);
  if (epoch() != before) begin_epoch();
}

bool AgentBook::is_known(const JournalAnswer& answer) const {
  const std::string name =
      fmt::format("{}-{}-{}", base::value(agent_.id()), answer.epoch, answer.slot);
  if (answer.epoch < 1 || answer.epoch > epoch() || answer.slot >= lengths_[answer.epoch - 1]) {
    base::refuse("trial", name, fmt::format("was not asked for; epoch {} is open", epoch()));
  }
  const auto found = known_.find({answer.epoch, answer.slot});
  if (found == known_.end()) return false;
  if (found->second.kind != answer.kind || found->second.value != answer.value) {
    base::refuse("trial", name, "already has a different answer, which counts");
  }
  return true;
}

void AgentBook::apply_answer(const JournalAnswer& answer) {
  if (is_known(answer)) return;
  if (answer.epoch == epoch()) {
    require_same_point(agent_, answer);
    const double reward = reward_of(definition_, answer);
    protocol::answer_slot(agent_, answer.slot, reward);
    answered_[answer.slot] = true;
    ++num_answered_;
    num_holes_ += std::isnan(reward) ? 1 : 0;
  }
  known_[{answer.epoch, answer.slot}] = {answer.kind, answer.value};
}

void AgentBook::apply_disowned(const JournalDisowned& disowned) {
  if (disowned.epoch != epoch()) {
    throw base::Error(
        base::ErrorKind::kProtocol,
        fmt::format("agent {}: results of epoch {} are disowned, but epoch {} is open",
                    base::value(agent_.id()), disowned.epoch, epoch()));
  }
  agent_.disown();
  disowned_ = true;
}

std::uint32_t AgentBook::first_open_slot() const {
  return static_cast<std::uint32_t>(std::ranges::find(answered_, false) - answered_.begin());
}

std::vector<std::uint32_t> AgentBook::open_slots() const {
  std::vector<std::uint32_t> slots;
  for (std::uint32_t slot = 0; slot < answered_.size(); ++slot) {
    if (!answered_[slot]) slots.push_back(slot);
  }
  return slots;
}

Query AgentBook::query(std::uint32_t slot) const {
  return query_of(*definition_.study, agent_, slot);
}

}  // namespace duets::service
