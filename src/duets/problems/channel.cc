#include "duets/problems/channel.h"

namespace duets::problems {

std::vector<double> Channel::uplink(base::AgentId from, std::vector<double> reals) {
  ledger_.uplink(from, reals.size(), reals.size() * sizeof(double));
  return reals;
}

std::vector<double> Channel::broadcast(std::vector<double> reals, std::size_t held) {
  const std::size_t sent = held > reals.size() ? 0 : reals.size() - held;
  ledger_.broadcast(reals.size(), sent * sizeof(double), held);
  return reals;
}

}  // namespace duets::problems
