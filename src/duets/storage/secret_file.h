// Small files that only their owner may read.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace duets::storage {

/// Writes a new file with permissions 0600, synced to disk. kInvalid when it exists already, kIo
/// when it cannot be written. Never leaves half a file. A missing directory is made with 0700.
void write_secret_file(const std::filesystem::path& path, std::string_view text);

/// Reads it back. kInvalid, naming the file and what to type, when others may read it (any bit of
/// 0077); kIo when it cannot be read. At most 1 MiB.
std::string read_secret_file(const std::filesystem::path& path);

}  // namespace duets::storage
