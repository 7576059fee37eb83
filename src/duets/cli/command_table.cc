#include "duets/cli/command_table.h"

#include <map>
#include <sstream>
#include <string_view>

namespace duets::cli {
namespace {

// A validator of choices describes itself as "{table,json,csv}".
std::vector<std::string> words_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t begin = type.find('{');
  const std::size_t end = type.find('}', begin);
  std::vector<std::string> words;
  if (begin == std::string::npos || end == std::string::npos) return words;
  std::istringstream list(type.substr(begin + 1, end - begin - 1));
  for (std::string word; std::getline(list, word, ',');) words.push_back(word);
  return words;
}

// From the value's name in the help.
ValueKind kind_of(const OptionEntry& entry) {
  static const std::map<std::string_view, ValueKind> kKinds{
      {"STUDY", ValueKind::kStudy},     {"STUDY...", ValueKind::kStudy},
      {"DIR", ValueKind::kDirectory},   {"FILE", ValueKind::kFile},
      {"FILE.csv", ValueKind::kFile},   {"PATH", ValueKind::kFile},
      {"JOURNAL...", ValueKind::kFile}, {"PROGRAM ARGUMENTS...", ValueKind::kProgram}};
  if (!entry.words.empty()) return ValueKind::kWords;
  if (entry.value.empty()) return ValueKind::kNone;
  const auto found = kKinds.find(entry.value);
  return found == kKinds.end() ? ValueKind::kOther : found->second;
}

OptionEntry entry_of(const CLI::Option& option) {
  OptionEntry entry;
  for (const std::string& name : option.get_snames()) entry.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) entry.names.push_back("--" + name);
  if (option.get_items_expected_max() > 0) {
    entry.value = option.get_option_text();
    if (entry.value.empty()) entry.value = "VALUE";
  }
  entry.text = option.get_description();
  entry.words = words_of(option);
  entry.kind = kind_of(entry);
  entry.required = option.get_required();
  entry.repeats = option.get_items_expected_max() > 1;
  return entry;
}

CommandEntry entry_of(const CLI::App& app, const std::string& above) {
  CommandEntry command;
  command.name = above + app.get_name();
  command.text = app.get_description();
  for (const CLI::Option* option : app.get_options({})) {
    (option->nonpositional() ? command.options : command.arguments).push_back(entry_of(*option));
  }
  for (const CLI::App* below : app.get_subcommands(nullptr)) {
    command.commands.push_back(entry_of(*below, command.name + " "));
  }
  return command;
}

}  // namespace

CommandEntry command_table(const CLI::App& app) { return entry_of(app, ""); }

std::vector<std::string> words_below(const CommandEntry& command) {
  std::vector<std::string> words;
  for (const CommandEntry& below : command.commands) words.push_back(below.word());
  return words;
}

}  // namespace duets::cli
