#include "duets/cli/document_commands.h"

#include <fmt/format.h>

#include <iostream>
#include <memory>

#include "duets/cli/command_table.h"
#include "duets/cli/completion.h"
#include "duets/cli/exit_code.h"
#include "duets/cli/man_page.h"
#include "duets/cli/usage_error.h"

namespace duets::cli {
namespace {

// The same text as --help.
std::string help_text(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* command = &app;
  std::string path = app.get_name();
  for (const std::string& word : words) {
    const auto below =
        command->get_subcommands([&](const CLI::App* known) { return known->get_name() == word; });
    if (below.empty()) {
      throw CodedError(
          ExitCode::kUsage,
          command->get_subcommands(nullptr).empty()
              ? fmt::format("\"{}\" is not a subcommand of {}, which has none", word, path)
              : unknown_command(*command, path, word));
    }
    command = below.front();
    path += " " + word;
  }
  return command->get_formatter()->make_help(command, path, CLI::AppFormatMode::Normal);
}

void add_help(CLI::App& app, Chosen& chosen) {
  const auto words = std::make_shared<std::vector<std::string>>();
  CLI::App* help = app.add_subcommand("help", "Print the help of a command");
  help->add_option("command", *words, "The command (default: all of them)")
      ->option_text("[COMMAND [SUBCOMMAND]]");
  help->callback(
      [&app, &chosen, words] { chosen = [&app, words] { std::cout << help_text(app, *words); }; });
}

void add_completion(CLI::App& app, Chosen& chosen) {
  const auto shell = std::make_shared<std::string>();
  CLI::App* completion = app.add_subcommand(
      "completion", "Print a shell completion script, to be sourced or installed");
  completion->add_option("shell", *shell, "bash, zsh or fish")
      ->required()
      ->check(one_of({"bash", "zsh", "fish"}))
      ->option_text("SHELL");
  completion->callback([&app, &chosen, shell] {
    chosen = [&app, shell] {
      const CommandEntry program = command_table(app);
      std::cout << (*shell == "bash"  ? bash_completion(program)
                    : *shell == "zsh" ? zsh_completion(program)
                                      : fish_completion(program));
    };
  });
}

}  // namespace

void add_document_commands(CLI::App& app, Chosen& chosen) {
  add_help(app, chosen);
  add_completion(app, chosen);
  CLI::App* man = app.add_subcommand("man", "Print the manual page: duets man | man -l -");
  man->callback(
      [&app, &chosen] { chosen = [&app] { std::cout << man_page(command_table(app)); }; });
}

}  // namespace duets::cli
