#include "duets/cli/study_command.h"

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <unistd.h>

#include <charconv>
#include <cmath>
#include <iostream>
#include <memory>
#include <optional>

#include "duets/base/count_text.h"
#include "duets/base/error.h"
#include "duets/cli/export_command.h"
#include "duets/cli/json_text.h"
#include "duets/cli/lines.h"
#include "duets/cli/peer_options.h"
#include "duets/cli/print_to.h"
#include "duets/cli/queries_text.h"
#include "duets/cli/status_text.h"
#include "duets/cli/study_file.h"
#include "duets/service/message_json.h"
#include "duets/service/study_status.h"
#include "duets/service/wire.h"

namespace duets::cli {
namespace {

struct StudyFlags {
  SourceFlags source;
  std::string study;  ///< a name; a file for `create`
  std::uint32_t epoch = 0;
  std::uint32_t agent = 0;
  std::uint32_t horizon = 0;
  std::string quorum;    ///< a number or "all"; empty: unchanged
  std::string deadline;  ///< a number or "none"; empty: unchanged
  bool yes = false;      ///< delete without asking
  Format format = Format::kTable;
  Verbosity verbosity = Verbosity::kNormal;
};

bool confirmed(const std::string& name) {
  base::require(isatty(STDIN_FILENO) == 1, "--yes", "(missing)",
                "deleting cannot be undone; use --yes without a terminal");
  print_to(stderr, "Delete study {} with all stored data, including its secret? [y/N] ", name);
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "yes";
}

// Nothing for an empty text, 0 for `word`.
std::optional<double> number_or(const std::string& text, const char* word, double least,
                                const char* flag) {
  if (text.empty()) return std::nullopt;
  if (text == word) return 0;
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  base::require(whole && std::isfinite(number) && number >= least, flag, text,
                fmt::format("must be a number of at least {}, or {}", least, word));
  return number;
}

std::optional<std::uint32_t> quorum_of(const std::string& text) {
  const std::optional<double> number = number_or(text, "all", 1, "--quorum");
  if (!number) return std::nullopt;
  base::require(*number == std::floor(*number) && *number <= 1e6, "--quorum", text,
                "must be a whole number of agents, or all");
  return static_cast<std::uint32_t>(*number);
}

// The result of a command that changes a study, for programs; people read standard error.
void print_action(const StudyFlags& flags, const char* action, bool done) {
  if (flags.format != Format::kJson) return;
  std::cout << json_text({{"study", flags.study}, {"action", action}, {"done", done}});
}

// A change of a study: `change` makes it and returns the text for people.
template <class Change>
void change_study(const StudyFlags& flags, const char* action, const Change& change) {
  Lines lines(flags.verbosity);
  lines.say(flags.study + ": " + change(*open_source(flags.source, lines.log())));
  print_action(flags, action, true);
}

void create_study(const StudyFlags& flags, const Extensions& extensions) {
  Lines lines(flags.verbosity);
  const StudyFile file =
      load_study(flags.study, {std::nullopt, extensions.functions, /*measures=*/true});
  const std::uint32_t each = protocol::num_queries_each(file.study);
  const service::Definition definition = service::definition_of(file);
  const bool made = open_source(flags.source, lines.log())->create(definition);
  lines.say(fmt::format("{}: {}{}", file.study.name,
                        made ? "" : "already exists and was not changed; ",
                        queries_text(file.study.agents, each, true)));
  const std::string digest = base::to_hex(protocol::study_digest(file.study));
  if (flags.format == Format::kJson) {
    std::cout << json_text({{"study", file.study.name},
                            {"created", made},
                            {"agents", file.study.agents},
                            {"horizon", each},
                            {"study_digest", digest}});
    return;
  }
  fmt::print(std::cout, "{} {}\n", file.study.name, digest);
}

void list_studies(const StudyFlags& flags) {
  Lines lines(flags.verbosity);
  std::cout << list_text(open_source(flags.source, lines.log())->list(), flags.format);
}

// The resolved study file as created; later changes by an operator as comments.
void show_study(const StudyFlags& flags) {
  Lines lines(flags.verbosity);
  const auto source = open_source(flags.source, lines.log());
  const service::Definition definition = source->definition(flags.study);
  const v1::StudyStatus status = source->status(definition.study->name);
  if (flags.format == Format::kJson) {
    auto json = service::json_of(status, {"study", "state", "epoch", "epochs", "study_digest"});
    json["toml"] = definition.toml;
    std::cout << json_text(json);
    return;
  }
  fmt::print(std::cout, "# study digest {}\n# {}, epoch {} of {}\n# epochs close {}\n{}",
             base::to_hex(service::from_wire(status.study_digest())),
             service::word_of(status.state()), status.epoch(), status.epochs(),
             closing_text(status), definition.toml);
}

void stop_study(const StudyFlags& flags) {
  change_study(flags, "stop", [&](service::Operators& source) -> std::string {
    source.stop(flags.study);
    return "stopped for good; all measurements remain stored";
  });
}

void extend_study(const StudyFlags& flags) {
  change_study(flags, "extend", [&](service::Operators& source) {
    source.extend(flags.study, flags.horizon);
    return fmt::format("has {} of each agent now; serve or run it to go on",
                       base::count_text(flags.horizon, "query", "queries"));
  });
}

void delete_study(const StudyFlags& flags) {
  Lines lines(flags.verbosity);
  const auto source = open_source(flags.source, lines.log());
  if (!flags.yes && !confirmed(flags.study)) {
    lines.say("nothing was deleted");
    print_action(flags, "delete", false);
    return;
  }
  source->remove(flags.study);
  lines.say(flags.study + ": deleted");
  print_action(flags, "delete", true);
}

void close_epoch(const StudyFlags& flags) {
  change_study(flags, "close", [&](service::Operators& source) {
    v1::CloseEpochRequest request;
    request.set_study(flags.study);
    request.set_epoch(flags.epoch);
    source.close_epoch(request);
    return fmt::format("epoch {} is closed with the agents that have uploaded", flags.epoch);
  });
}

void retire_agent(const StudyFlags& flags) {
  change_study(flags, "retire", [&](service::Operators& source) {
    v1::RetireAgentRequest request;
    request.set_study(flags.study);
    request.set_agent(flags.agent);
    source.retire_agent(request);
    return fmt::format("agent {} is retired for good; its uploads are kept", flags.agent);
  });
}

void set_policy(const StudyFlags& flags) {
  const std::optional<std::uint32_t> quorum = quorum_of(flags.quorum);
  const std::optional<double> deadline = number_or(flags.deadline, "none", 1, "--deadline");
  base::require(quorum || deadline, "--quorum", "(missing)",
                "give --quorum K, --deadline F or both");
  change_study(flags, "set", [&](service::Operators& source) {
    v1::SetPolicyRequest request;
    request.set_study(flags.study);
    if (quorum) request.set_quorum(*quorum);
    if (deadline) request.set_deadline(*deadline);
    source.set_policy(request);
    return "epochs close " + closing_text(source.status(flags.study));
  });
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
      add_action(study, chosen, "create", "Create a study and start it", flags, nullptr);
  create->add_option("study", flags->study, "Study file (TOML)")->required()->option_text("STUDY");
  create->callback([flags, &chosen, &extensions] {
    be_quick(flags->source.peer);
    chosen = [flags, &extensions] { create_study(*flags, extensions); };
  });
}

void add_export(CLI::App& study, Chosen& chosen, const Extensions& extensions) {
  const auto flags = std::make_shared<ExportFlags>();
  CLI::App* command = study.add_subcommand("export", "Write a study to files");
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

}  // namespace

void add_study_command(CLI::App& app, Chosen& chosen, const Extensions& extensions) {
  CLI::App* study = app.add_subcommand(
      "study", "Create, list, show, change, extend, stop, delete and export studies");
  study->require_subcommand(1);
  add_create(*study, chosen, extensions);
  add_export(*study, chosen, extensions);
  const auto flags = [] { return std::make_shared<StudyFlags>(); };
  auto list = flags();
  add_action(*study, chosen, "list", "List the studies", list, list_studies);
  auto show = flags();
  add_name(*add_action(*study, chosen, "show", "Print the study file", show, show_study),
           show->study);
  auto stop = flags();
  add_name(*add_action(*study, chosen, "stop", "End a study for good", stop, stop_study),
           stop->study);
  auto extended = flags();
  CLI::App* extend = add_action(*study, chosen, "extend", "Give a finished study more queries",
                                extended, extend_study);
  add_name(*extend, extended->study);
  extend->add_option("--horizon", extended->horizon, "Queries of each agent in all")
      ->required()
      ->check(CLI::Range(std::uint64_t{1}, study::kMaxQueries))
      ->option_text("T");
  auto removed = flags();
  CLI::App* remove = add_action(*study, chosen, "delete", "Remove a study that is not running",
                                removed, delete_study);
  add_name(*remove, removed->study);
  remove->add_flag("--yes", removed->yes, "Do not ask for confirmation");
  auto closed = flags();
  CLI::App* close =
      add_action(*study, chosen, "close", "End the open epoch with the agents that have uploaded",
                 closed, close_epoch);
  add_name(*close, closed->study);
  close->add_option("--epoch", closed->epoch, "Number of the open epoch")
      ->required()
      ->check(CLI::Range(std::uint32_t{1}, std::uint32_t{1} << 24))
      ->option_text("J");
  auto retired = flags();
  CLI::App* retire = add_action(*study, chosen, "retire", "Remove an agent from a study for good",
                                retired, retire_agent);
  add_name(*retire, retired->study);
  retire->add_option("--agent", retired->agent, "Agent number")->required()->option_text("I");
  auto changed = flags();
  CLI::App* set = add_action(*study, chosen, "set", "Change quorum and deadline of a running study",
                             changed, set_policy);
  add_name(*set, changed->study);
  add_text(*set, "--quorum", changed->quorum,
           "Number of agents that are enough after the deadline, or all", "K");
  add_text(*set, "--deadline", changed->deadline,
           "Deadline in multiples of an epoch's measured time, at least 1, or none", "F");
}

}  // namespace duets::cli
