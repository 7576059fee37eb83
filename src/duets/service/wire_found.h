// Writes what a run has found as the messages that every command shows.
#pragma once

#include <string>
#include <vector>

#include "duets/domain/parameter.h"
#include "duets/protocol/found.h"

namespace duets::v1 {
class BestTrial;
class Recommendation;
}  // namespace duets::v1

namespace duets::service {

/// The coordinates of a study: names, and parameters where it has them.
struct Coordinates {
  std::vector<std::string> names;
  std::vector<domain::Parameter> parameters;
};

/// `found` in the user's units. Without values (a point that only its agent knows): no params.
v1::Recommendation recommendation_to_wire(const Coordinates& coordinates,
                                          const protocol::Found& found,
                                          const std::string& interval_meaning);
v1::BestTrial best_trial_to_wire(const Coordinates& coordinates, const protocol::Found& found);

}  // namespace duets::service
