#include "duets/base/digest.h"

#include <bit>

namespace duets::base {
namespace {

std::uint64_t load(const std::uint8_t* bytes, std::size_t count = 8) {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < count; ++i) word |= std::uint64_t{bytes[i]} << (8 * i);
  return word;
}

struct SipState {
  std::uint64_t v0, v1, v2, v3;

  void round() {
    v0 += v1;
    v1 = std::rotl(v1, 13) ^ v0;
    v0 = std::rotl(v0, 32);
    v2 += v3;
    v3 = std::rotl(v3, 16) ^ v2;
    v0 += v3;
    v3 = std::rotl(v3, 21) ^ v0;
    v2 += v1;
    v1 = std::rotl(v1, 17) ^ v2;
    v2 = std::rotl(v2, 32);
  }
  void absorb(std::uint64_t word) {
    v3 ^= word;
    round();
    round();
    v0 ^= word;
  }
  std::uint64_t squeeze() {
    for (int i = 0; i < 4; ++i) round();
    return v0 ^ v1 ^ v2 ^ v3;
  }
};

}  // namespace

Digest siphash(std::span<const std::uint8_t> bytes, const std::array<std::uint8_t, 16>& key) {
  const std::uint64_t k0 = load(key.data());
  const std::uint64_t k1 = load(key.data() + 8);
  SipState state{k0 ^ 0x736f6d6570736575ULL, k1 ^ 0x646f72616e646f6dULL ^ 0xee,
                 k0 ^ 0x6c7967656e657261ULL, k1 ^ 0x7465646279746573ULL};
  const std::size_t whole = bytes.size() / 8;
  for (std::size_t i = 0; i < whole; ++i) state.absorb(load(bytes.data() + 8 * i));
  const std::uint64_t tail = load(bytes.data() + 8 * whole, bytes.size() % 8);
  state.absorb(tail | std::uint64_t{bytes.size() & 0xff} << 56);

  Digest digest;
  state.v2 ^= 0xee;
  digest.low = state.squeeze();
  state.v1 ^= 0xdd;
  digest.high = state.squeeze();
  return digest;
}

Digest digest_of(std::span<const std::uint8_t> bytes) { return siphash(bytes, {}); }

std::string to_hex(const Digest& digest) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const std::uint64_t word : {digest.low, digest.high}) {
    for (int byte = 0; byte < 8; ++byte) {
      const auto value = static_cast<unsigned>(word >> (8 * byte)) & 0xffU;
      text += kDigits[value >> 4];
      text += kDigits[value & 15];
    }
  }
  return text;
}

}  // namespace duets::base
