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

/// Creates a directory and its missing parents. Throws kIo naming it.
void make_directory(const std::filesystem::path& directory);

/// The error of a stream that has just failed, from errno: streams do not say why they failed, and
/// not every failure sets it.
std::error_code last_error();

/// Throws kIo: "what path: reason".
[[noreturn]] void fail_io(const std::string& what, const std::filesystem::path& path,
                          const std::error_code& error);

}  // namespace duets::storage
