// The commands of the program with their options, read from the parser. Completions and the manual
// page are generated from it, so a new option appears in them automatically.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace duets::cli {

/// The kind of a value of an option or argument, as far as a shell can complete it.
enum class ValueKind : std::uint8_t {
  kNone,       ///< a flag: it has no value
  kOther,      ///< a number, a name
  kWords,      ///< one of OptionEntry::words
  kFile,       ///< a file
  kStudy,      ///< a study file: *.toml
  kDirectory,  ///< a directory
  kProgram,    ///< a program and its arguments
};

/// An option, or an argument without a name.
struct OptionEntry {
  std::vector<std::string> names;  ///< "-o", "--output"; none: an argument
  std::string value;               ///< the value's name in the help: "DIR"; empty for a flag
  std::string text;                ///< what it does
  std::vector<std::string> words;  ///< the allowed values, if the parser knows them
  ValueKind kind = ValueKind::kNone;
  bool required = false;
  bool repeats = false;  ///< takes several values
};

struct CommandEntry {
  std::string name;  ///< with its parents: "duets study create"
  std::string text;
  std::vector<OptionEntry> options;
  std::vector<OptionEntry> arguments;
  std::vector<CommandEntry> commands;  ///< subcommands

  /// The last word of the name: "create".
  std::string word() const { return name.substr(name.rfind(' ') + 1); }
};

/// The whole tree, in the order of the help texts.
CommandEntry command_table(const CLI::App& app);

/// Calls `visit` with every command of the tree, parents first.
template <class Visit>
void for_each_command(const CommandEntry& command, const Visit& visit) {
  visit(command);
  for (const CommandEntry& below : command.commands) for_each_command(below, visit);
}

/// The words that may follow the command's name, in order.
std::vector<std::string> words_below(const CommandEntry& command);

}  // namespace duets::cli
