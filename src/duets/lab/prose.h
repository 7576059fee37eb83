// The prose of the experiments' reports (prose/*.md).
#pragma once

#include "duets/report/prose.h"

namespace duets::lab {

const report::Prose& prose();

}  // namespace duets::lab
