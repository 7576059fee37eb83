// Lines of TOML: "key = value" under "[table]".
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "duets/base/field.h"

namespace duets::study {

/// A string in quotes.
std::string toml_text(std::string_view text);
/// Shortest form that reads back to the same number, and as a float.
std::string toml_number(double value);
/// What the place points to; empty for an optional, a text or a list of texts that is empty. A
/// single number stands for a list of one.
std::string toml_value(const base::Place& place);

class TomlWriter {
 public:
  void table(std::string_view name);
  void comment(std::string_view comment);
  /// A value that is TOML already.
  void raw(std::string_view key, std::string_view value);
  void text(std::string_view key, std::string_view value) { raw(key, toml_text(value)); }
  void number(std::string_view key, double value) { raw(key, toml_number(value)); }
  void whole(std::string_view key, std::uint64_t value) { raw(key, std::to_string(value)); }
  void flag(std::string_view key, bool value) { raw(key, value ? "true" : "false"); }
  /// Nothing when toml_value() is empty.
  void value(std::string_view key, const base::Place& place);

  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

}  // namespace duets::study
