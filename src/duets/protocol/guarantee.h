// What the theorem says about a run, in a sentence: the same words in simulation and deployment.
#pragma once

#include <string>

#include "duets/protocol/study.h"

namespace duets::protocol {

/// `complete`: nobody was excluded and no query failed.
std::string guarantee_of(const Study& study, bool complete);

/// What the interval of a recommendation means, in a phrase.
std::string interval_meaning_of(const Study& study);

}  // namespace duets::protocol
