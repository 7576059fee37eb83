#include "duets/cli/study_command.h"

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <unistd.h>

#include <charconv>
#include <cmath>
#include <iostream>
#include <optional>

#include "duets/base/error.h"
#include "duets/cli/agent_numbers.h"
#include "duets/cli/json_text.h"
#include "duets/cli/lines.h"
#include "duets/cli/print_to.h"
#include "duets/cli/status_text.h"
#include "duets/cli/study_file.h"

namespace duets::cli {
namespace {

bool confirmed(const std::string& name) {
  base::require(isatty(STDIN_FILENO) == 1, "--yes", "(missing)",
                "deleting cannot be undone; type --yes where nobody can be asked");
  print_to(stderr, "Delete study {} with everything stored of it, secret included? [y/N] ", name);
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

// What a command that changes a study did, for programs; people read standard error.
void print_action(const StudyFlags& flags, const char* action, bool done) {
  if (flags.format != Format::kJson) return;
  std::cout << json_text({{"study", flags.study}, {"action", action}, {"done", done}});
}

}  // namespace

void create_study(const StudyFlags& flags, const Extensions& extensions) {
  Lines lines(flags.verbosity);
  const StudyFile file = load_study(flags.study, {std::nullopt, extensions.functions});
  const service::Definition definition = service::definition_of(file);
  const bool made = open_source(flags.source, lines.log())->create(definition);
  lines.say(fmt::format("{}: {}{} x {} = {}", file.study.name,
                        made ? "" : "was there already, nothing was changed; ",
                        count_text(file.study.agents, "agent", "agents"),
                        count_text(file.study.horizon, "query", "queries"),
                        std::uint64_t{file.study.agents} * file.study.horizon));
  const std::string digest = base::to_hex(protocol::study_digest(file.study));
  if (flags.format == Format::kJson) {
    std::cout << json_text({{"study", file.study.name},
                            {"created", made},
                            {"agents", file.study.agents},
                            {"horizon", file.study.horizon},
                            {"study_digest", digest}});
    return;
  }
  fmt::print(std::cout, "{} {}\n", file.study.name, digest);
}

void list_studies(const StudyFlags& flags) {
  Lines lines(flags.verbosity);
  std::cout << list_text(open_source(flags.source, lines.log())->list(), flags.format);
}

void show_study(const StudyFlags& flags) {
  Lines lines(flags.verbosity);
  const auto source = open_source(flags.source, lines.log());
  const service::Definition definition = source->definition(flags.study);
  const service::StudyStatus status = source->status(definition.study->name);
  if (flags.format == Format::kJson) {
    std::cout << json_text({{"study", status.name},
                            {"state", base::name_of(status.state)},
                            {"epoch", status.epoch},
                            {"epochs", status.num_epochs},
                            {"study_digest", base::to_hex(status.study_digest)},
                            {"toml", definition.toml}});
    return;
  }
  fmt::print(std::cout, "# study digest {}\n# {}, epoch {} of {}\n# epochs close {}\n{}",
             base::to_hex(status.study_digest), base::name_of(status.state), status.epoch,
             status.num_epochs, closing_text(status), definition.toml);
}

void stop_study(const StudyFlags& flags) {
  Lines lines(flags.verbosity);
  open_source(flags.source, lines.log())->stop(flags.study);
  lines.say(flags.study + ": stopped for good; what was measured stays stored");
  print_action(flags, "stop", true);
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
  Lines lines(flags.verbosity);
  open_source(flags.source, lines.log())->close_epoch(flags.study, flags.epoch);
  lines.say(fmt::format("{}: epoch {} is closed with the agents that have uploaded", flags.study,
                        flags.epoch));
  print_action(flags, "close", true);
}

void retire_agent(const StudyFlags& flags) {
  Lines lines(flags.verbosity);
  open_source(flags.source, lines.log())->retire_agent(flags.study, flags.agent);
  lines.say(fmt::format("{}: agent {} is retired for good; what it has uploaded stays", flags.study,
                        flags.agent));
  print_action(flags, "retire", true);
}

void set_policy(const StudyFlags& flags) {
  Lines lines(flags.verbosity);
  const std::optional<std::uint32_t> quorum = quorum_of(flags.quorum);
  const std::optional<double> deadline = number_or(flags.deadline, "none", 1, "--deadline");
  base::require(quorum || deadline, "--quorum", "(missing)",
                "give --quorum K, --deadline F or both");
  const auto source = open_source(flags.source, lines.log());
  source->set_policy(flags.study, quorum, deadline);
  lines.say(
      fmt::format("{}: epochs close {}", flags.study, closing_text(source->status(flags.study))));
  print_action(flags, "set", true);
}

}  // namespace duets::cli
