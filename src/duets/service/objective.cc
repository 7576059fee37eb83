#include "duets/service/objective.h"

#include <fmt/format.h>

namespace duets::service {

std::string trial_name(const Query& query) {
  return fmt::format("{}-{}-{}", query.agent, query.epoch, query.slot);
}

}  // namespace duets::service
