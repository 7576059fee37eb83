#include "duets/cli/operator_commands.h"

#include <memory>

#include "duets/cli/export_command.h"
#include "duets/cli/peer_options.h"
#include "duets/cli/status_command.h"
#include "duets/cli/study_command.h"

namespace duets::cli {
namespace {

// A person waits: better an answer that there is none.
void be_quick(PeerFlags& peer) {
  peer.give_up = kGiveUpSeconds;
  peer.refused = kRefusedSeconds;
}

using StudyAction = void (*)(const StudyFlags&);

CLI::App* add_action(CLI::App& study, Chosen& chosen, const std::string& name,
                     const std::string& text, const std::shared_ptr<StudyFlags>& flags,
                     StudyAction action) {
  CLI::App* command = study.add_subcommand(name, text);
  add_source(*command, flags->source);
  if (action == list_studies) {
    add_format(*command, flags->format);
  } else {
    add_format(*command, flags->format, {"table", "json"});
  }
  add_quiet(*command, flags->verbosity);
  command->callback([flags, action, &chosen] {
    be_quick(flags->source.peer);
    chosen = [flags, action] { action(*flags); };
  });
  return command;
}

void add_name(CLI::App& command, std::string& name) {
  command.add_option("name", name, "The study's name")->required()->option_text("NAME");
}

void add_create(CLI::App& study, Chosen& chosen, const Extensions& extensions) {
  const auto flags = std::make_shared<StudyFlags>();
  CLI::App* create =
      add_action(study, chosen, "create", "Make a study and start it", flags, nullptr);
  create->add_option("study", flags->study, "Study file (TOML)")->required()->option_text("STUDY");
  create->callback([flags, &chosen, &extensions] {
    be_quick(flags->source.peer);
    chosen = [flags, &extensions] { create_study(*flags, extensions); };
  });
}

void add_export(CLI::App& study, Chosen& chosen, const Extensions& extensions) {
  const auto flags = std::make_shared<ExportFlags>();
  CLI::App* command = study.add_subcommand("export", "Write everything kept of a study into files");
  add_name(*command, flags->study);
  add_source(*command, flags->source);
  add_text(*command, "-o,--output", flags->output, "Directory (default results/<study>)", "DIR");
  command->add_option("--trials", flags->trials, "Agents' journals for trials.csv")
      ->option_text("JOURNAL...");
  add_format(*command, flags->format, {"table", "json"});
  add_quiet(*command, flags->verbosity);
  command->callback([flags, &chosen, &extensions] {
    be_quick(flags->source.peer);
    chosen = [flags, &extensions] { export_study(*flags, extensions); };
  });
}

void add_study_commands(CLI::App& app, Chosen& chosen, const Extensions& extensions) {
  CLI::App* study =
      app.add_subcommand("study", "Make, list, show, change, stop, delete, export studies");
  study->require_subcommand(1);
  add_create(*study, chosen, extensions);
  add_export(*study, chosen, extensions);
  const auto flags = [] { return std::make_shared<StudyFlags>(); };
  auto list = flags();
  add_action(*study, chosen, "list", "The studies there are", list, list_studies);
  auto show = flags();
  add_name(*add_action(*study, chosen, "show", "Print the study file", show, show_study),
           show->study);
  auto stop = flags();
  add_name(*add_action(*study, chosen, "stop", "End a study for good", stop, stop_study),
           stop->study);
  auto removed = flags();
  CLI::App* remove = add_action(*study, chosen, "delete", "Remove a study that is not running",
                                removed, delete_study);
  add_name(*remove, removed->study);
  remove->add_flag("--yes", removed->yes, "Do not ask");
  auto closed = flags();
  CLI::App* close =
      add_action(*study, chosen, "close", "End the open epoch with the agents that have uploaded",
                 closed, close_epoch);
  add_name(*close, closed->study);
  close->add_option("--epoch", closed->epoch, "The open epoch")
      ->required()
      ->check(CLI::Range(std::uint32_t{1}, std::uint32_t{1} << 24))
      ->option_text("J");
  auto retired = flags();
  CLI::App* retire = add_action(*study, chosen, "retire", "Go on without an agent for good",
                                retired, retire_agent);
  add_name(*retire, retired->study);
  retire->add_option("--agent", retired->agent, "The agent")->required()->option_text("I");
  auto changed = flags();
  CLI::App* set = add_action(*study, chosen, "set", "Change quorum and deadline of a running study",
                             changed, set_policy);
  add_name(*set, changed->study);
  add_text(*set, "--quorum", changed->quorum,
           "Agents that are enough once the deadline is over, or all", "K");
  add_text(*set, "--deadline", changed->deadline,
           "Multiples of the measured time of an epoch, at least 1, or none", "F");
}

CLI::App* add_look(CLI::App& app, Chosen& chosen, const std::string& name, const std::string& text,
                   const std::shared_ptr<StatusFlags>& flags, void (*action)(const StatusFlags&)) {
  CLI::App* command = app.add_subcommand(name, text);
  command->add_option("name", flags->study, "The study's name (default: the only one)")
      ->option_text("NAME");
  add_source(*command, flags->source);
  add_format(*command, flags->format);
  command->callback([flags, action, &chosen] {
    // Who watches waits for the coordinator to come back.
    if (!flags->watch) be_quick(flags->source.peer);
    chosen = [flags, action] { action(*flags); };
  });
  return command;
}

}  // namespace

void add_operator_commands(CLI::App& app, Chosen& chosen, const Extensions& extensions) {
  add_study_commands(app, chosen, extensions);
  const auto status = std::make_shared<StatusFlags>();
  CLI::App* command = add_look(app, chosen, "status", "Show study progress and pending agents",
                               status, print_status);
  command->add_flag("--watch", status->watch, "Keep watching until the study is over")
      ->excludes(command->get_option("--format"));
  add_look(app, chosen, "best", "The recommendation beside the best trial",
           std::make_shared<StatusFlags>(), print_best);
}

}  // namespace duets::cli
