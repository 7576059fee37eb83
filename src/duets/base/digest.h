// Digests: short fingerprints of bytes, the same on every machine.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace duets::base {

/// SipHash-2-4 with 128 bits of output. It finds accidents, not forgeries: with a public key it
/// only shows that two machines saw the same numbers.
struct Digest {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  friend bool operator==(const Digest&, const Digest&) = default;
};

/// 32 lower-case hexadecimal digits, in the byte order of the published SipHash vectors.
std::string to_hex(const Digest& digest);

/// SipHash-2-4-128 of `bytes` under a 16-byte key. O(n).
Digest siphash(std::span<const std::uint8_t> bytes, const std::array<std::uint8_t, 16>& key);

/// The project's digest: SipHash-2-4-128 under the all-zero key.
Digest digest_of(std::span<const std::uint8_t> bytes);

}  // namespace duets::base
