// A parameter as it is written on the command line: `duets tune -p 'lr=1e-5..1e-1 log'`.
#pragma once

#include <string>

#include "duets/domain/parameter.h"

namespace duets::cli {

/// "NAME=LOW..HIGH", then any of "int", "log" and "step S"; or "NAME=CHOICE|CHOICE|...". Blanks
/// around names, numbers and choices do not count. kInvalid, quoting the text and saying what is
/// wrong and how to write it.
domain::Parameter parse_parameter(const std::string& text);

}  // namespace duets::cli
