// The secret of a deployed study: a separate file that only its owner may read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "duets/random/coin.h"

namespace duets::service {

/// Bytes from the system's source of randomness. kPlatform without one.
std::string random_bytes(std::size_t count);

/// 64 hexadecimal digits of fresh randomness and a newline.
std::string new_secret_text();

/// The secret that a simulation with this seed has, in the same form. For tests: a seed can be
/// guessed.
std::string seed_secret_text(std::uint64_t seed);

/// kInvalid unless it is 64 hexadecimal digits, optionally with a newline. Never shows the text.
random::StudySecret parse_secret(const std::string& text, const std::string& where);

/// Reads a secret file. kInvalid when it is missing, when others may read it, or when its contents
/// are invalid; kIo when it cannot be read.
random::StudySecret load_secret(const std::filesystem::path& path);

}  // namespace duets::service
