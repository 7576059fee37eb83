// Small files that only their owner can read.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace duets::storage {

/// Writes a new file with permissions 0600, synced to disk. kInvalid when it already exists, kIo
/// when it cannot be written. Never leaves a partial file. Creates a missing directory with 0700.
void write_secret_file(const std::filesystem::path& path, std::string_view text);

/// Reads the file. kInvalid, with the file and the command that fixes it, when others can read it
/// (any bit of 0077); kIo when it cannot be read. At most 1 MiB.
std::string read_secret_file(const std::filesystem::path& path);

}  // namespace duets::storage
