#include <fmt/format.h>

#include <string_view>

#include "duets/cli/completion.h"

namespace duets::cli {
namespace {

// For a text inside single quotes; `special` characters are escaped for its reader.
std::string escaped(std::string_view text, std::string_view special) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
      continue;
    }
    if (special.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string action_of(const OptionEntry& entry) {
  switch (entry.kind) {
    case ValueKind::kWords:
      return fmt::format("({})", fmt::join(entry.words, " "));
    case ValueKind::kFile:
      return "_files";
    case ValueKind::kStudy:
      return "_files -g \"*.toml\"";
    case ValueKind::kDirectory:
      return "_files -/";
    case ValueKind::kProgram:
      return "_normal";
    case ValueKind::kNone:
    case ValueKind::kOther:
      break;
  }
  return "";
}

// One line of _arguments for every name of the option.
std::string option_lines(const OptionEntry& option) {
  const std::string value =
      option.kind == ValueKind::kNone
          ? ""
          : fmt::format(":{}:{}", escaped(option.value, ":\\"), action_of(option));
  std::string lines;
  for (const std::string& name : option.names) {
    const bool assigns = option.kind != ValueKind::kNone && name.starts_with("--");
    lines += fmt::format("    '({}){}{}[{}]{}' \\\n", fmt::join(option.names, " "), name,
                         assigns ? "=" : "", escaped(option.text, "[]\\:"), value);
  }
  return lines;
}

std::string zsh_argument_line(const OptionEntry& argument) {
  const char* how = argument.kind == ValueKind::kProgram ? "*::"
                    : argument.repeats                   ? "*:"
                    : argument.required                  ? ":"
                                                         : "::";
  return fmt::format("    '{}{}:{}' \\\n", how, escaped(argument.value, ":\\"),
                     action_of(argument));
}

std::string function_name(const CommandEntry& command) {
  std::string name = "_" + command.name;
  for (char& c : name) c = c == ' ' ? '_' : c;
  return name;
}

std::string leaf(const CommandEntry& command) {
  std::string text = fmt::format("{}() {{\n  _arguments -s -S \\\n", function_name(command));
  for (const OptionEntry& option : command.options) text += option_lines(option);
  for (const OptionEntry& argument : command.arguments) text += zsh_argument_line(argument);
  return text + "    && return\n}\n\n";
}

std::string branches(const CommandEntry& command) {
  std::string text;
  for (const CommandEntry& below : command.commands) {
    // `help` is followed by commands, like the program's name.
    const bool help = below.word() == "help";
    text += fmt::format("        {}) {} ;;\n", below.word(), function_name(help ? command : below));
  }
  return text;
}

std::string parent(const CommandEntry& command) {
  std::string text = fmt::format("{}() {{\n  local -a commands=(\n", function_name(command));
  for (const CommandEntry& below : command.commands) {
    text += fmt::format("    '{}:{}'\n", below.word(), escaped(below.text, ":\\"));
  }
  text +=
      "  )\n  local context state state_descr line\n  typeset -A opt_args\n"
      "  _arguments -C \\\n";
  for (const OptionEntry& option : command.options) text += option_lines(option);
  text +=
      "    ': :->command' '*:: :->rest' && return\n  case $state in\n"
      "    command) _describe -t commands command commands ;;\n    rest)\n"
      "      case $words[1] in\n";
  return text + branches(command) + "      esac\n      ;;\n  esac\n}\n\n";
}

}  // namespace

std::string zsh_completion(const CommandEntry& program) {
  std::string text = fmt::format(
      "#compdef {0}\n# Completion of {0} for zsh, made by `{0} completion zsh`.\n\n", program.name);
  for_each_command(program, [&](const CommandEntry& command) {
    text += command.commands.empty() ? leaf(command) : parent(command);
  });
  // As a file of $fpath, and after `source`.
  return text + fmt::format(
                    "if [[ $funcstack[1] == _{0} ]]; then\n  _{0} \"$@\"\nelse\n"
                    "  compdef _{0} {0}\nfi\n",
                    program.name);
}

}  // namespace duets::cli
