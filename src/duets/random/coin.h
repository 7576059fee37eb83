// Shared randomness: a draw is a function of a key and an address; there is no state.
//
// docs/formats/coins.md has the layout on one page; tests/golden/coins.kat holds known answers.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "duets/base/ids.h"

namespace duets::random {

/// The use of a draw. Every purpose has its own lane, so no two uses can share words. The numbers
/// are part of the format: never reuse or renumber one.
enum class Purpose : std::uint8_t {
  kPoint = 1,        ///< candidate points of an agent's slot (attempt = rejection attempt)
  kWalk = 2,         ///< a slot's hit-and-run chain (attempt = step; step 0 picks the start)
  kInducing = 3,     ///< the coin that decides whether a slot's point joins the inducing set
  kPublicPoint = 4,  ///< the public stream of points on X_j
  kPublicWalk = 5,   ///< the public stream's chains
  kCandidate = 6,    ///< the points of a random finite set (slot = index)
  kNoise = 7,        ///< simulated noise (agent in the address, slot = t)
  kProblem = 8,      ///< parameters of a random test function
  kPolicy = 9,       ///< choices of a simulated algorithm (agent in the address, slot = t)
  kPoolPoint = 10,   ///< public points that represent X_j when its strata are made
  kPoolWalk = 11,    ///< the chains of those points
  kRotation = 12,    ///< the public word that assigns the strata of an epoch to its slots
  kSample = 13,      ///< joint samples of a posterior, by which a cut is decided (slot = sample)
  kRounding = 14,    ///< by which an agent rounds what it uploads (slot = place in the list)
};

/// The address of a draw. Fields that a purpose does not use are 0.
struct Address {
  Purpose purpose{};
  std::uint32_t agent = 0;  ///< only for coins shared by several agents (noise); else 0
  std::uint32_t epoch = 0;  ///< < 2^24
  std::uint32_t slot = 0;
  std::uint32_t attempt = 0;  ///< < 2^24: rejection attempt or walk step
};

/// The number of words at one address.
inline constexpr std::size_t kWordsPerAddress = 2048;

using Key = std::array<std::uint8_t, 32>;

/// A ChaCha20 stream with random access. Copyable; holds only its key. Thread-safe.
class Coin {
 public:
  explicit Coin(const Key& key) : key_(key) {}

  /// Fills `out` with the first words at `address`. At most kWordsPerAddress; kInvalid when an
  /// address field is out of range. O(size), about 110 ns for up to 8 words.
  void words(const Address& address, std::span<std::uint64_t> out) const;

  /// Uniform doubles in [0, 1): (word >> 11) * 2^-53. Strict. One word each.
  void uniforms(const Address& address, std::span<double> out) const;

  /// Standard normals by Box-Muller from strict log, sqrt and sincospi. Strict. Numbers 2i and 2i+1
  /// come from words 2i and 2i+1, so an odd count uses one word more than numbers.
  void normals(const Address& address, std::span<double> out) const;

  const Key& key() const { return key_; }

 private:
  Key key_;
};

/// floor(word * n / 2^64): a uniform index below n > 0, biased by less than n / 2^64.
std::uint64_t index_below(std::uint64_t word, std::uint64_t n);

/// The secret of a study. A deployment keeps 32 random bytes in a file; a simulation derives it
/// from the study's seed. Only the coordinator holds it.
class StudySecret {
 public:
  explicit StudySecret(const Key& secret) : secret_(secret) {}
  static StudySecret from_seed(std::uint64_t seed);

  /// The private coin of an agent. It reveals nothing about another (BLAKE2b key derivation).
  Coin agent_coin(base::AgentId agent) const;
  /// The coin that every agent holds.
  Coin public_coin() const;
  /// The coin of a simulated problem: noise, random functions. Never given to an agent.
  Coin problem_coin() const;

 private:
  Key secret_;
};

}  // namespace duets::random
