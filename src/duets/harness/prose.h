// The prose of the report (prose/*.md).
#pragma once

#include "duets/report/prose.h"

namespace duets::harness {

const report::Prose& prose();

}  // namespace duets::harness
