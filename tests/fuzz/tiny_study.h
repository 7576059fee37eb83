// Studies of a few milliseconds, and all that is said and stored while they run.
#pragma once

#include <memory>
#include <vector>

#include "duets/base/bytes.h"
#include "duets/protocol/ensemble.h"
#include "duets/protocol/study.h"

namespace duets::fuzz {

/// Three epochs of lengths 1, 2, 3 for two agents. Finite: twelve candidates, data = "surviving",
/// a closing projection. Otherwise the unit interval, public inducing points.
std::shared_ptr<const protocol::Study> tiny_study(bool finite);

random::StudySecret tiny_secret();

/// Everything a run of the study produced, in order.
struct Transcript {
  std::vector<protocol::Message> messages;
  std::vector<protocol::Record> records;
};

Transcript run_tiny(const std::shared_ptr<const protocol::Study>& study);

}  // namespace duets::fuzz
