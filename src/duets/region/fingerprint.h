// A self-test: does this machine compute the bits that the protocol needs?
#pragma once

#include "duets/base/digest.h"

namespace duets::region {

/// A digest of strict functions, coins, kernels, draws and memberships on fixed inputs. Two parties
/// compare it before they trust each other's points. A few milliseconds.
base::Digest numeric_fingerprint();

/// The value of numeric_fingerprint() on every supported platform.
base::Digest expected_fingerprint();

/// Throws kPlatform, saying what differs, when the rounding mode is not to nearest or the
/// fingerprint is not the expected one. Programs call it before anything else.
void require_platform();

}  // namespace duets::region
