#include "duets/base/ledger.h"

#include <string>

#include "duets/base/error.h"

namespace duets::base {

Ledger::Ledger(std::size_t num_agents) : num_agents_(num_agents) {
  require(num_agents > 0, "num_agents", "0", "must be at least 1");
}

void Ledger::check_agent(AgentId agent) const {
  require(value(agent) < num_agents_, "agent", std::to_string(value(agent)),
          "must be below " + std::to_string(num_agents_));
}

void Ledger::uplink(AgentId agent, std::uint64_t reals, std::uint64_t bytes) {
  check_agent(agent);
  up_.reals += reals;
  up_.bytes += bytes;
}

void Ledger::broadcast(std::uint64_t reals, std::uint64_t bytes, std::uint64_t held) {
  require(held <= reals, "held", std::to_string(held),
          "must be at most the " + std::to_string(reals) + " reals of the message");
  down_.reals += reals;
  down_.bytes += bytes;
  down_links_ += num_agents_ * (reals - held);
}

void Ledger::closing_uplink(AgentId agent, std::uint64_t reals, std::uint64_t bytes) {
  check_agent(agent);
  closing_.reals += reals;
  closing_.bytes += bytes;
}

void Ledger::closing_broadcast(std::uint64_t reals, std::uint64_t bytes) {
  closing_.reals += num_agents_ * reals;
  closing_.bytes += num_agents_ * bytes;
}

LedgerTotals Ledger::totals() const {
  // One division of exact integers, so the mean is rounded once.
  const double mean_uplink = static_cast<double>(up_.reals) / static_cast<double>(num_agents_);
  return {.paper = mean_uplink + static_cast<double>(down_.reals),
          .figure = up_.reals,
          .links = up_.reals + down_links_,
          .bytes = up_.bytes + num_agents_ * down_.bytes,
          .closing = closing_.reals,
          .closing_bytes = closing_.bytes};
}

}  // namespace duets::base
