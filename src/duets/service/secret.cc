#include "duets/service/secret.h"

#include <sodium.h>

#include <algorithm>
#include <array>

#include "duets/base/error.h"
#include "duets/random/seed_key.h"
#include "duets/storage/secret_file.h"

namespace duets::service {
namespace {

std::string secret_text(const random::Key& key) {
  std::array<char, 2 * sizeof(random::Key) + 1> text{};
  sodium_bin2hex(text.data(), text.size(), key.data(), key.size());
  return std::string(text.data()) + "\n";
}

}  // namespace

std::string random_bytes(std::size_t count) {
  // Fails only when the system has no source of randomness; there is no safe way to continue then.
  if (sodium_init() < 0) throw base::Error(base::ErrorKind::kPlatform, "libsodium cannot start");
  std::string bytes(count, '\0');
  randombytes_buf(bytes.data(), bytes.size());
  return bytes;
}

std::string new_secret_text() {
  random::Key key{};
  std::ranges::copy(random_bytes(key.size()), key.begin());
  return secret_text(key);
}

std::string seed_secret_text(std::uint64_t seed) { return secret_text(random::key_of_seed(seed)); }

random::StudySecret parse_secret(const std::string& text, const std::string& where) {
  random::Key key{};
  std::size_t length = 0;
  const char* end = nullptr;
  const bool read =
      sodium_hex2bin(key.data(), key.size(), text.data(), text.size(), nullptr, &length, &end) == 0;
  const std::string rest(read ? end : "?");
  base::require(read && length == key.size() && (rest.empty() || rest == "\n"), where,
                "(not shown)", "must be a study secret: 64 hexadecimal digits");
  return random::StudySecret(key);
}

random::StudySecret load_secret(const std::filesystem::path& path) {
  return parse_secret(storage::read_secret_file(path), path.string());
}

}  // namespace duets::service
