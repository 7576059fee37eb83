#include <fmt/format.h>

#include "duets/cli/completion.h"

namespace duets::cli {
namespace {

constexpr const char* kBashHead = R"(# Completion of {0} for bash, made by `{0} completion bash`.

_{0}() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} option=${{COMP_WORDS[COMP_CWORD - 1]}}
  local command={0} options='' argument='' value='' word i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${{COMP_WORDS[i]}}
    if [[ $word == -- ]]; then
      # A program and its arguments.
      value=file
      ((i + 1 == COMP_CWORD)) && value=program
      break
    fi
    case "$command $word" in
)";

constexpr const char* kMiddle = R"(        command+=" $word" ;;
    esac
  done
  # --option=value comes as three words.
  if [[ $current == '=' ]]; then
    current=''
  elif [[ $option == '=' ]]; then
    option=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  [[ -n $value ]] || case $command in
)";

constexpr const char* kTail = R"(  esac
  if [[ -z $value ]]; then
    value=$argument
    [[ $current == -* ]] && value="words $options"
  fi
  COMPREPLY=()
  case $value in
    words\ *) mapfile -t COMPREPLY < <(compgen -W "${{value#words }}" -- "$current") ;;
    study | file | directory) compopt -o filenames 2>/dev/null ;;&
    study) mapfile -t COMPREPLY < <(compgen -d -- "$current"; compgen -f -X '!*.toml' -- "$current") ;;
    file) mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
    directory) mapfile -t COMPREPLY < <(compgen -d -- "$current") ;;
    program) mapfile -t COMPREPLY < <(compgen -c -- "$current") ;;
  esac
}}
complete -F _{0} {0}
)";

// The text that kTail interprets as `value`.
std::string bash_value_of(const OptionEntry& entry) {
  switch (entry.kind) {
    case ValueKind::kWords:
      return fmt::format("'words {}'", fmt::join(entry.words, " "));
    case ValueKind::kFile:
      return "file";
    case ValueKind::kStudy:
      return "study";
    case ValueKind::kDirectory:
      return "directory";
    case ValueKind::kNone:
    case ValueKind::kOther:
    case ValueKind::kProgram:  // after "--" only
      break;
  }
  return "nothing";
}

std::string names_of(const CommandEntry& command) {
  std::string names;
  for (const OptionEntry& option : command.options) {
    names += fmt::format("{}{}", names.empty() ? "" : " ", fmt::join(option.names, " "));
  }
  return names;
}

std::string argument_of(const CommandEntry& command) {
  if (!command.commands.empty()) {
    return fmt::format("'words {}'", fmt::join(words_below(command), " "));
  }
  return command.arguments.empty() ? "nothing" : bash_value_of(command.arguments.front());
}

std::string branch_of(const CommandEntry& command) {
  std::string text = fmt::format("    '{}')\n      options='{}'\n      argument={}\n", command.name,
                                 names_of(command), argument_of(command));
  std::string values;
  for (const OptionEntry& option : command.options) {
    if (option.kind == ValueKind::kNone) continue;
    values += fmt::format("        {}) value={} ;;\n", fmt::join(option.names, " | "),
                          bash_value_of(option));
  }
  if (!values.empty()) text += "      case $option in\n" + values + "      esac\n";
  return text + "      ;;\n";
}

}  // namespace

std::string bash_completion(const CommandEntry& program) {
  std::vector<std::string> names;
  std::string branches;
  for_each_command(program, [&](const CommandEntry& command) {
    // `help` is followed by commands, like the program's name.
    if (command.name != program.name && command.name != program.name + " help") {
      names.push_back("'" + command.name + "'");
    }
    branches += branch_of(command);
  });
  return fmt::format(kBashHead, program.name) +
         fmt::format("      {})\n", fmt::join(names, " | \\\n        ")) + kMiddle + branches +
         fmt::format(kTail, program.name);
}

}  // namespace duets::cli
