// Prints text for people: failing to print it must not end a command.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <utility>

namespace duets::cli {

/// Like fmt::print, but a stream that cannot be written (a full disk, closed) is not an error.
template <typename... Arguments>
void print_to(std::FILE* out, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  const std::string text = fmt::format(format, std::forward<Arguments>(arguments)...);
  std::fwrite(text.data(), 1, text.size(), out);
}

}  // namespace duets::cli
