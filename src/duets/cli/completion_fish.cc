#include <fmt/format.h>

#include <string_view>

#include "duets/cli/completion.h"

namespace duets::cli {
namespace {

constexpr const char* kFishHead = R"(# Completion of {0} for fish, made by `{0} completion fish`.

# The command that has been typed so far: "{0} study create".
function __{0}_command
    set -l command {0}
    for word in (commandline -opc)[2..-1]
        switch "$command $word"
            case {1}
                set command "$command $word"
        end
    end
    echo $command
end

function __{0}_at
    test (__{0}_command) = "$argv"
end

complete -c {0} -f
)";

std::string fish_word(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

// Completions for the value.
std::string fish_value_of(const OptionEntry& entry) {
  switch (entry.kind) {
    case ValueKind::kWords:
      return " -x -a " + fish_word(fmt::format("{}", fmt::join(entry.words, " ")));
    case ValueKind::kStudy:
      return " -x -a '(__fish_complete_suffix .toml)'";
    case ValueKind::kDirectory:
      return " -x -a '(__fish_complete_directories)'";
    case ValueKind::kProgram:
    case ValueKind::kFile:
      return " -r -F";
    case ValueKind::kNone:
      return "";
    case ValueKind::kOther:
      break;
  }
  return " -x";
}

std::string option_line(const std::string& start, const OptionEntry& option) {
  std::string line = start;
  for (const std::string& name : option.names) {
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  return line + fish_value_of(option) + " -d " + fish_word(option.text) + "\n";
}

// An argument is not an option: -x and -r are only for options.
std::string fish_argument_line(const std::string& start, const OptionEntry& argument) {
  if (argument.kind == ValueKind::kOther) return "";
  std::string value = fish_value_of(argument);
  value.erase(0, std::string_view(" -x").size());
  return start + value + "\n";
}

}  // namespace

std::string fish_completion(const CommandEntry& program) {
  std::vector<std::string> names;
  std::string lines;
  for_each_command(program, [&](const CommandEntry& command) {
    // `help` is followed by commands, like the program's name.
    if (command.name != program.name && command.name != program.name + " help") {
      names.push_back(fish_word(command.name));
    }
    const std::string start =
        fmt::format("complete -c {0} -n '__{0}_at {1}'", program.name, command.name);
    for (const CommandEntry& below : command.commands) {
      lines += fmt::format("{} -a {} -d {}\n", start, below.word(), fish_word(below.text));
    }
    for (const OptionEntry& option : command.options) lines += option_line(start, option);
    for (const OptionEntry& argument : command.arguments)
      lines += fish_argument_line(start, argument);
  });
  return fmt::format(kFishHead, program.name, fmt::join(names, " ")) + lines;
}

}  // namespace duets::cli
