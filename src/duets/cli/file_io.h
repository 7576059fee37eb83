// Whole files, written so that a name never stands for half of one.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace duets::cli {

/// Throws kIo naming the file.
std::string read_whole_file(const std::filesystem::path& path);

/// Writes "<path>.tmp" and renames it. Throws kIo naming the file.
void write_whole_file(const std::filesystem::path& path, std::string_view text);

/// The directory in full, so that "out/" and "." have names that others can stand beside.
std::filesystem::path full_name(const std::filesystem::path& directory);

/// Throws kIo: "what path: reason".
[[noreturn]] void fail_io(const std::string& what, const std::filesystem::path& path,
                          const std::error_code& error);

}  // namespace duets::cli
