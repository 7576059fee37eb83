#include "duets/cli/operator_commands.h"

#include <memory>

#include "duets/cli/peer_options.h"
#include "duets/cli/status_command.h"
#include "duets/cli/study_command.h"

namespace duets::cli {
namespace {

CLI::App* add_look(CLI::App& app, Chosen& chosen, const std::string& name, const std::string& text,
                   const std::shared_ptr<StatusFlags>& flags, void (*action)(const StatusFlags&)) {
  CLI::App* command = app.add_subcommand(name, text);
  command->add_option("name", flags->study, "The study's name (default: the only one)")
      ->option_text("NAME");
  add_source(*command, flags->source);
  add_format(*command, flags->format);
  command->callback([flags, action, &chosen] {
    // With --watch the command waits for the coordinator to come back.
    if (!flags->watch) be_quick(flags->source.peer);
    chosen = [flags, action] { action(*flags); };
  });
  return command;
}

}  // namespace

void add_operator_commands(CLI::App& app, Chosen& chosen, const Extensions& extensions) {
  add_study_command(app, chosen, extensions);
  const auto status = std::make_shared<StatusFlags>();
  CLI::App* command = add_look(app, chosen, "status", "Show study progress and pending agents",
                               status, print_status);
  command->add_flag("--watch", status->watch, "Print changes until the study is over")
      ->excludes(command->get_option("--format"));
  add_look(app, chosen, "best", "Show the recommendation and the best trial",
           std::make_shared<StatusFlags>(), print_best);
}

}  // namespace duets::cli
