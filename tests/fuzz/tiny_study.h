// Studies of a few milliseconds, and all that is said and stored while they run.
#pragma once

#include <memory>
#include <string_view>
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

/// True when a text has a number of more than five digits: a million candidates are legal and take
/// seconds under the sanitizers.
bool has_large_number(std::string_view text);

}  // namespace duets::fuzz
