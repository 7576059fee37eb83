// Reads and writes whole files; a name never refers to a partial file.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

namespace duets::storage {

/// Throws kIo naming the file.
std::string read_whole_file(const std::filesystem::path& path);

/// Writes "<path>.tmp" and renames it; removes it on failure. Throws kIo naming the file. For files
/// that can be recreated: it does not sync.
void write_whole_file(const std::filesystem::path& path, std::string_view text);

/// Throws kIo: "what path: reason".
[[noreturn]] void fail_io(const std::string& what, const std::filesystem::path& path,
                          const std::error_code& error);

}  // namespace duets::storage
