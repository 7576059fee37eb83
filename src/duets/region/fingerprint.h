// A self-test: does this machine compute the bits that the protocol needs?
#pragma once

#include <cstdint>

#include "duets/base/digest.h"

namespace duets::region {

/// A digest of strict functions, coins, kernels, draws and memberships on inputs that follow from
/// the seed. Two parties compare it before they trust each other's points; with a new seed each
/// time neither can give a value that it has not computed. A few milliseconds.
inline constexpr std::uint64_t kUsualFingerprint = 20240215;
base::Digest numeric_fingerprint(std::uint64_t seed = kUsualFingerprint);

/// The value of the usual one on every supported platform.
base::Digest expected_fingerprint();

/// Throws kPlatform, saying what differs, when the rounding mode is not to nearest or the
/// fingerprint is not the expected one. Programs call it before anything else.
void require_platform();

}  // namespace duets::region
