// Options that several commands share.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "duets/base/enum_table.h"
#include "duets/cli/progress.h"
#include "duets/cli/summary.h"

namespace duets::cli {

/// The action that the command line selects; called once all of it is parsed.
using Chosen = std::function<void()>;

/// Accepts only these words. Completions offer them.
CLI::Validator one_of(const std::vector<std::string>& words);

/// --format with table, json and csv.
void add_format(CLI::App& command, Format& format);
/// --format with these words; the first is the default and must be `format`'s value.
void add_format(CLI::App& command, Format& format, const std::vector<std::string>& words);
void add_quiet(CLI::App& command, Verbosity& verbosity);
void add_verbose(CLI::App& command, Verbosity& verbosity);

/// Refuses an empty value: it is an unset shell variable, never intended.
CLI::Option* add_text(CLI::App& command, const std::string& name, std::string& value,
                      const std::string& text, const std::string& shown);

/// A directory that may have to be created; refuses a path that is a file.
CLI::Option* add_directory(CLI::App& command, const std::string& name, std::string& value,
                           const std::string& text);

/// One of the names of an enumeration; `value` is the default.
template <class Enum>
void add_choice(CLI::App& command, const std::string& name, Enum& value, const std::string& text,
                const std::string& shown) {
  std::vector<std::string> words;
  for (const auto& entry : base::entries_of<Enum>()) words.emplace_back(entry.name);
  command
      .add_option_function<std::string>(
          name,
          [&value](const std::string& word) { value = base::named<Enum>(word).value_or(value); },
          fmt::format("{}: {} (default {})", text, fmt::join(words, ", "), base::name_of(value)))
      ->check(cli::one_of(words))
      ->option_text(shown);
}

}  // namespace duets::cli
