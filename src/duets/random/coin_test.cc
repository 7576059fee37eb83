#include "duets/random/coin.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "duets/base/error.h"

namespace duets::random {
namespace {

using Words = std::vector<std::uint64_t>;

Key counting_key() {
  Key key;
  for (std::size_t i = 0; i < key.size(); ++i) key[i] = static_cast<std::uint8_t>(i);
  return key;
}

Words words(const Coin& coin, const Address& address, std::size_t count) {
  Words out(count);
  coin.words(address, out);
  return out;
}

// The bytes of the words, in the order of the published vectors.
std::string hex(const Words& stream, std::size_t num_bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < num_bytes; ++i) {
    const auto byte = static_cast<unsigned>(stream[i / 8] >> (8 * (i % 8))) & 0xffU;
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

// An independent ChaCha20 block, written from the definition: nothing of libsodium in it.
Words chacha_block(const Key& key, std::uint64_t nonce, std::uint64_t counter) {
  std::array<std::uint32_t, 16> start{0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
  for (std::size_t i = 0; i < 8; ++i) {
    for (std::size_t b = 0; b < 4; ++b) start[4 + i] |= std::uint32_t{key[4 * i + b]} << (8 * b);
  }
  start[12] = static_cast<std::uint32_t>(counter);
  start[13] = static_cast<std::uint32_t>(counter >> 32);
  start[14] = static_cast<std::uint32_t>(nonce);
  start[15] = static_cast<std::uint32_t>(nonce >> 32);
  auto x = start;
  const auto quarter = [&x](std::size_t a, std::size_t b, std::size_t c, std::size_t d) {
    x[a] += x[b], x[d] = std::rotl(x[d] ^ x[a], 16);
    x[c] += x[d], x[b] = std::rotl(x[b] ^ x[c], 12);
    x[a] += x[b], x[d] = std::rotl(x[d] ^ x[a], 8);
    x[c] += x[d], x[b] = std::rotl(x[b] ^ x[c], 7);
  };
  for (int double_round = 0; double_round < 10; ++double_round) {
    for (std::size_t i = 0; i < 4; ++i) quarter(i, 4 + i, 8 + i, 12 + i);
    for (std::size_t i = 0; i < 4; ++i) {
      quarter(i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4);
    }
  }
  Words out(8);
  for (std::size_t i = 0; i < 16; ++i) {
    out[i / 2] |= std::uint64_t{x[i] + start[i]} << (32 * (i % 2));
  }
  return out;
}

void expect_invalid(const std::function<void()>& call, std::string_view field) {
  try {
    call();
    FAIL() << "accepted, expected an error about " << field;
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::kInvalid);
    EXPECT_EQ(std::string_view(error.what()).substr(0, field.size()), field) << error.what();
  }
}

// The two definitions of ChaCha20 differ only in where the counter ends and the nonce begins.
TEST(Coin, TheIndependentBlockMatchesRfc8439Section232) {
  EXPECT_EQ(hex(chacha_block(counting_key(), 0x4a000000, 0x0900000000000001), 64),
            "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e"
            "d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e");
}

// draft-agl-tls-chacha20poly1305-04, section 7: zero key, nonce 00 00 00 00 00 00 00 01. The last
// byte of the nonce is the purpose.
TEST(Coin, MatchesThePublishedVectorOfTheZeroKey) {
  const Coin coin(Key{});
  EXPECT_EQ(hex(words(coin, {.purpose = Purpose::kPoint}, 8), 60),
            "de9cba7bf3d69ef5e786dc63973f653a0b49e015adbff7134fcb7df137821031"
            "e85a050278a7084527214f73efc7fa5b5277062eb7a0433e445f41e3");
}

// RFC 8439 appendix A.1, vector 5: zero key, counter 0, nonce ending in 02.
TEST(Coin, MatchesRfc8439AppendixA1Vector5) {
  const Coin coin(Key{});
  EXPECT_EQ(hex(words(coin, {.purpose = Purpose::kWalk}, 8), 64),
            "c2c64d378cd536374ae204b9ef933fcd1a8b2288b3dfa49672ab765b54ee27c7"
            "8a970e0e955c14f3a88e741b97c286f75f8fc299e8148362fa198a39531bed6d");
}

// draft-agl-tls-chacha20poly1305-04, section 7: key 00 01 .. 1f, nonce 00 01 .. 07. It crosses
// blocks.
TEST(Coin, MatchesThePublishedVectorOfTheCountingKeyAndNonce) {
  const Coin coin(counting_key());
  const Address address{.purpose = Purpose::kNoise, .agent = 0x03020100, .epoch = 0x060504};
  EXPECT_EQ(hex(words(coin, address, 32), 256),
            "f798a189f195e66982105ffb640bb7757f579da31602fc93ec01ac56f85ac3c1"
            "34a4547b733b46413042c9440049176905d3be59ea1c53f15916155c2be8241a"
            "38008b9a26bc35941e2444177c8ade6689de95264986d95889fb60e84629c9bd"
            "9a5acb1cc118be563eb9b3a4a472f82e09a7e778492b562ef7130e88dfe031c7"
            "9db9d4f7c7a899151b9a475032b63fc385245fe054e3dd5a97a5f576fe064025"
            "d3ce042c566ab2c507b138db853e3d6959660996546cc9c4a6eafdc777c040d7"
            "0eaf46f76dad3979e5c5360c3317166a1c894c94a371876a94df7628fe4eaaf2"
            "ccb27d5aaae0ad7ad0f9d4b6ad3b54098746d4524d38407a6deb3ab78fab78c9");
}

// Every field at its ends, so that a field that slipped into its neighbour would show.
std::vector<Address> corner_addresses() {
  std::vector<Address> addresses;
  for (const Purpose purpose : {Purpose::kPoint, Purpose::kWalk, Purpose::kProblem}) {
    for (const std::uint32_t agent : {0U, 1U, 0xffffffffU}) {
      for (const std::uint32_t epoch : {0U, 1U, 0xffffffU}) {
        for (const std::uint32_t slot : {0U, 1U, 0xffffffffU}) {
          for (const std::uint32_t attempt : {0U, 1U, 0xffffffU}) {
            addresses.push_back({purpose, agent, epoch, slot, attempt});
          }
        }
      }
    }
  }
  return addresses;
}

TEST(Coin, TheLayoutIsTheDocumentedOne) {
  const Key key = counting_key();
  const Coin coin(key);
  for (const Address& a : corner_addresses()) {
    const std::uint64_t nonce = std::uint64_t{static_cast<std::uint8_t>(a.purpose)} << 56 |
                                std::uint64_t{a.epoch} << 32 | a.agent;
    const std::uint64_t counter = std::uint64_t{a.slot} << 32 | std::uint64_t{a.attempt} << 8;
    const Words all = words(coin, a, kWordsPerAddress);
    for (const std::uint64_t block : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{255}}) {
      const Words expected = chacha_block(key, nonce, counter + block);
      EXPECT_TRUE(std::equal(expected.begin(), expected.end(),
                             all.begin() + static_cast<std::ptrdiff_t>(8 * block)));
    }
  }
}

// All words of all corner addresses are different: two lanes that shared a block would repeat eight
// words. 243 addresses x 2048 words: an accidental repeat has probability below 2^-27.
TEST(Coin, LanesNeverOverlap) {
  const Coin coin(counting_key());
  std::vector<std::uint64_t> all;
  for (const Address& address : corner_addresses()) {
    const Words part = words(coin, address, kWordsPerAddress);
    all.insert(all.end(), part.begin(), part.end());
  }
  std::ranges::sort(all);
  EXPECT_EQ(std::ranges::adjacent_find(all), all.end());
}

TEST(Coin, AShortDrawIsThePrefixOfALongOne) {
  const Coin coin(counting_key());
  const Address address{.purpose = Purpose::kPoint, .epoch = 3, .slot = 5, .attempt = 7};
  const Words all = words(coin, address, kWordsPerAddress);
  std::vector<double> uniforms(kWordsPerAddress), normals(kWordsPerAddress);
  coin.uniforms(address, uniforms);
  coin.normals(address, normals);
  for (const std::size_t count : {0U, 1U, 2U, 7U, 8U, 9U, 127U, 128U, 129U, 255U, 2047U, 2048U}) {
    const auto n = static_cast<std::ptrdiff_t>(count);
    EXPECT_EQ(words(coin, address, count), Words(all.begin(), all.begin() + n));
    std::vector<double> part(count);
    coin.uniforms(address, part);
    EXPECT_EQ(part, std::vector<double>(uniforms.begin(), uniforms.begin() + n));
    coin.normals(address, part);
    EXPECT_EQ(part, std::vector<double>(normals.begin(), normals.begin() + n)) << count;
  }
}

// What was drawn before, at which slot or attempt, cannot matter.
TEST(Coin, RandomAccessEqualsSequentialAccess) {
  const Coin coin(counting_key());
  std::vector<Words> forward;
  for (std::uint32_t i = 0; i < 64; ++i) {
    forward.push_back(
        words(coin, {.purpose = Purpose::kPoint, .slot = i / 8, .attempt = i % 8}, 5));
  }
  const Coin copy = coin;
  for (std::uint32_t i = 64; i-- > 0;) {
    EXPECT_EQ(words(copy, {.purpose = Purpose::kPoint, .slot = i / 8, .attempt = i % 8}, 5),
              forward[i]);
  }
}

TEST(Coin, UniformsAreTheTopBitsOfTheWords) {
  const Coin coin(counting_key());
  const Address address{.purpose = Purpose::kInducing, .slot = 11};
  const Words source = words(coin, address, 200);
  std::vector<double> uniforms(200);
  coin.uniforms(address, uniforms);
  for (std::size_t i = 0; i < source.size(); ++i) {
    EXPECT_EQ(uniforms[i] * 0x1p53, static_cast<double>(source[i] / 2048));
    EXPECT_LT(uniforms[i], 1.0);
  }
}

TEST(Coin, RefusesWhatDoesNotFitTheLayout) {
  const Coin coin(Key{});
  expect_invalid([&] { words(coin, {}, 1); }, "coin.purpose");
  expect_invalid([&] { words(coin, {.purpose = Purpose::kPoint, .epoch = 1U << 24}, 1); },
                 "coin.epoch");
  expect_invalid([&] { words(coin, {.purpose = Purpose::kPoint, .attempt = 1U << 24}, 1); },
                 "coin.attempt");
  expect_invalid([&] { words(coin, {.purpose = Purpose::kPoint}, kWordsPerAddress + 1); },
                 "coin.words");
  std::vector<double> many(kWordsPerAddress + 1);
  expect_invalid([&] { coin.uniforms({.purpose = Purpose::kPoint}, many); }, "coin.words");
  expect_invalid([&] { coin.normals({.purpose = Purpose::kPoint}, many); }, "coin.words");
}

TEST(IndexBelow, IsTheHighHalfOfTheProduct) {
  EXPECT_EQ(index_below(0, 10), 0U);
  EXPECT_EQ(index_below(~std::uint64_t{0}, 10), 9U);
  EXPECT_EQ(index_below(std::uint64_t{1} << 63, 7), 3U);
  EXPECT_EQ(index_below(~std::uint64_t{0}, 1), 0U);
  EXPECT_EQ(index_below(~std::uint64_t{0}, ~std::uint64_t{0}), ~std::uint64_t{0} - 1);
  // Multiples of 2^61 split [0, 8) exactly.
  for (std::uint64_t i = 0; i < 8; ++i) {
    EXPECT_EQ(index_below(i << 61, 8), i);
    EXPECT_EQ(index_below((i << 61) + ((std::uint64_t{1} << 61) - 1), 8), i);
  }
  expect_invalid([] { index_below(1, 0); }, "n");
}

TEST(StudySecret, EveryCoinIsDifferent) {
  std::set<Key> keys;
  std::size_t expected = 0;
  for (const std::uint64_t seed : {0ULL, 1ULL, 1ULL << 32, ~0ULL}) {
    const StudySecret secret = StudySecret::from_seed(seed);
    keys.insert({secret.public_coin().key(), secret.problem_coin().key()});
    for (std::uint32_t agent = 0; agent < 100; ++agent) {
      keys.insert(secret.agent_coin(base::AgentId{agent}).key());
    }
    expected += 102;
  }
  EXPECT_EQ(keys.size(), expected);
}

TEST(StudySecret, TheSameSecretGivesTheSameCoins) {
  const StudySecret a = StudySecret::from_seed(42);
  const StudySecret b = StudySecret::from_seed(42);
  EXPECT_EQ(a.agent_coin(base::AgentId{7}).key(), b.agent_coin(base::AgentId{7}).key());
  EXPECT_EQ(StudySecret(Key{}).public_coin().key(), StudySecret(Key{}).public_coin().key());
}

}  // namespace
}  // namespace duets::random
