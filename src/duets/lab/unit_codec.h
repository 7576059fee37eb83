// Units as bytes, for processes that run an experiment together.
#pragma once

#include <optional>

#include "duets/base/bytes.h"
#include "duets/lab/experiment.h"

namespace duets::lab {

/// Every bit of the curves. Nothing becomes no bytes.
base::Bytes unit_bytes(const std::optional<Unit>& unit);

/// What unit_bytes() was given; kDecode for anything else.
std::optional<Unit> unit_of(const base::Bytes& bytes);

}  // namespace duets::lab
