#include "duets/random/coin.h"

#include <sodium.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <string>
#include <string_view>

#include "duets/base/error.h"
#include "duets/numeric/strict.h"
#include "duets/random/seed_key.h"

namespace duets::random {
namespace {

constexpr std::size_t kWordsPerBlock = 8;
// Words drawn at once for uniforms and normals: on the stack, a whole number of blocks.
constexpr std::size_t kBatch = 16 * kWordsPerBlock;
constexpr std::uint32_t kLimit24 = std::uint32_t{1} << 24;

static_assert(sizeof(Key) == crypto_stream_chacha20_KEYBYTES);
static_assert(sizeof(Key) == crypto_kdf_KEYBYTES);
static_assert(kBatch % kWordsPerBlock == 0 && kWordsPerAddress % kBatch == 0);
static_assert(kWordsPerAddress == 256 * kWordsPerBlock, "the block number has 8 bits");

// libsodium chooses its vector code in sodium_init; before that it is correct but slow. The static
// makes the first call safe from any thread.
void require_sodium() {
  static const bool ready = sodium_init() >= 0;
  if (!ready) throw base::Error(base::ErrorKind::kPlatform, "libsodium does not initialise");
}

// The texts are built only when they are needed: this is called for every draw.
void require_below(std::uint32_t value, std::uint32_t limit, const char* field) {
  if (value < limit) return;
  base::refuse(field, std::to_string(value), "must be below " + std::to_string(limit));
}

void validate(const Address& address, std::size_t num_words) {
  if (address.purpose == Purpose{}) base::refuse("coin.purpose", "0", "must be set");
  require_below(address.epoch, kLimit24, "coin.epoch");
  require_below(address.attempt, kLimit24, "coin.attempt");
  if (num_words > kWordsPerAddress) {
    base::refuse("coin.words", std::to_string(num_words),
                 "must be at most " + std::to_string(kWordsPerAddress));
  }
}

std::array<std::uint8_t, 8> little_endian(std::uint64_t value) {
  std::array<std::uint8_t, 8> bytes;
  for (std::size_t i = 0; i < 8; ++i) bytes[i] = static_cast<std::uint8_t>(value >> (8 * i));
  return bytes;
}

// The words of an address from block `first_block` on. The address is valid.
void stream(const Key& key, const Address& address, std::size_t first_block,
            std::span<std::uint64_t> out) {
  if (out.empty()) return;
  require_sodium();
  const std::uint64_t lane = std::uint64_t{static_cast<std::uint8_t>(address.purpose)} << 56 |
                             std::uint64_t{address.epoch} << 32 | std::uint64_t{address.agent};
  const std::uint64_t counter = std::uint64_t{address.slot} << 32 |
                                std::uint64_t{address.attempt} << 8 | std::uint64_t{first_block};
  const auto nonce = little_endian(lane);
  // Zeros xor keystream, in place: no buffer, no allocation.
  std::ranges::fill(out, 0);
  auto* bytes = reinterpret_cast<unsigned char*>(out.data());
  crypto_stream_chacha20_xor_ic(bytes, bytes, out.size_bytes(), nonce.data(), counter, key.data());
  if constexpr (std::endian::native == std::endian::big) {
    for (std::uint64_t& word : out) word = std::bit_cast<std::uint64_t>(little_endian(word));
  }
}

double unit(std::uint64_t word) { return static_cast<double>(word >> 11) * 0x1p-53; }

// In (0, 1], so that its logarithm is finite.
double positive_unit(std::uint64_t word) { return static_cast<double>((word >> 11) + 1) * 0x1p-53; }

Key derive(const Key& secret, std::string_view context, std::uint64_t id) {
  static_assert(crypto_kdf_CONTEXTBYTES == 8);
  require_sodium();
  Key key;
  crypto_kdf_derive_from_key(key.data(), key.size(), id, context.data(), secret.data());
  return key;
}

}  // namespace

void Coin::words(const Address& address, std::span<std::uint64_t> out) const {
  validate(address, out.size());
  stream(key_, address, 0, out);
}

void Coin::uniforms(const Address& address, std::span<double> out) const {
  validate(address, out.size());
  std::array<std::uint64_t, kBatch> batch;
  for (std::size_t first = 0; first < out.size(); first += kBatch) {
    const std::size_t count = std::min(kBatch, out.size() - first);
    stream(key_, address, first / kWordsPerBlock, std::span(batch).first(count));
    for (std::size_t i = 0; i < count; ++i) out[first + i] = unit(batch[i]);
  }
}

void Coin::normals(const Address& address, std::span<double> out) const {
  validate(address, out.size());
  std::array<std::uint64_t, kBatch> batch;
  for (std::size_t first = 0; first < out.size(); first += kBatch) {
    const std::size_t count = std::min(kBatch, out.size() - first);
    stream(key_, address, first / kWordsPerBlock, std::span(batch).first(count + count % 2));
    for (std::size_t i = 0; i < count; i += 2) {
      const double radius = std::sqrt(-2.0 * numeric::strict_log(positive_unit(batch[i])));
      const numeric::SinCos angle = numeric::strict_sincospi(2.0 * unit(batch[i + 1]));
      out[first + i] = radius * angle.cos;
      if (i + 1 < count) out[first + i + 1] = radius * angle.sin;
    }
  }
}

std::uint64_t index_below(std::uint64_t word, std::uint64_t n) {
  if (n == 0) base::refuse("n", "0", "must be positive");
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((Wide{word} * n) >> 64);
}

Key key_of_seed(std::uint64_t seed) {
  static constexpr std::string_view kLabel = "duets-study-seed";
  require_sodium();
  std::array<std::uint8_t, kLabel.size() + 8> message;
  std::ranges::copy(kLabel, message.begin());
  std::ranges::copy(little_endian(seed), message.begin() + kLabel.size());
  Key secret;
  crypto_generichash(secret.data(), secret.size(), message.data(), message.size(), nullptr, 0);
  return secret;
}

StudySecret StudySecret::from_seed(std::uint64_t seed) { return StudySecret(key_of_seed(seed)); }

Coin StudySecret::agent_coin(base::AgentId agent) const {
  return Coin(derive(secret_, "duetsagt", base::value(agent)));
}

Coin StudySecret::public_coin() const { return Coin(derive(secret_, "duetspub", 0)); }

Coin StudySecret::problem_coin() const { return Coin(derive(secret_, "duetsprb", 0)); }

}  // namespace duets::random
