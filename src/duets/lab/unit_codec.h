// Encodes units as bytes, for processes that run an experiment together.
#pragma once

#include <optional>

#include "duets/base/bytes.h"
#include "duets/lab/experiment.h"

namespace duets::lab {

/// Keeps every bit of the curves. An empty optional becomes no bytes.
base::Bytes unit_bytes(const std::optional<Unit>& unit);

/// The inverse of unit_bytes(); kDecode for anything else.
std::optional<Unit> unit_of(const base::Bytes& bytes);

}  // namespace duets::lab
