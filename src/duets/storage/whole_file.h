// Whole files, written so that a name never stands for half of one.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

namespace duets::storage {

/// Throws kIo naming the file.
std::string read_whole_file(const std::filesystem::path& path);

/// Writes "<path>.tmp" and renames it; nothing is left of it when that fails. Throws kIo naming the
/// file. For what can be made again: it does not wait for the disk.
void write_whole_file(const std::filesystem::path& path, std::string_view text);

/// Throws kIo: "what path: reason".
[[noreturn]] void fail_io(const std::string& what, const std::filesystem::path& path,
                          const std::error_code& error);

}  // namespace duets::storage
