#include "duets/problems/channel.h"

namespace duets::problems {

std::vector<double> Channel::uplink(base::AgentId from, std::vector<double> reals,
                                    std::size_t num_points) {
  points_up_ += num_points;
  ledger_.uplink(from, reals.size(), reals.size() * sizeof(double));
  return reals;
}

std::vector<double> Channel::broadcast(std::vector<double> reals, std::size_t held,
                                       std::size_t num_points) {
  points_down_ += num_points;
  const std::size_t sent = held > reals.size() ? 0 : reals.size() - held;
  ledger_.broadcast(reals.size(), sent * sizeof(double), held);
  return reals;
}

double Channel::paper_with_indices() const {
  const double up = static_cast<double>(points_up_) / static_cast<double>(ledger_.num_agents());
  return ledger_.totals().paper -
         static_cast<double>(index_saves_) * (up + static_cast<double>(points_down_));
}

}  // namespace duets::problems
