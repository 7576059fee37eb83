#include "duets/cli/man_page.h"

#include <fmt/format.h>

#include <string_view>

#include "duets/cli/build_info.h"
#include "duets/cli/exit_code.h"

namespace duets::cli {
namespace {

std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  // A line that begins with these would be a request.
  return out.starts_with('.') || out.starts_with('\'') ? "\\&" + out : out;
}

std::string bold(std::string_view text) { return "\\fB" + roff(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + roff(text) + "\\fR"; }

std::string option_text(const OptionEntry& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.names) names.push_back(bold(name));
  std::string head = fmt::format("{}", fmt::join(names, ", "));
  if (option.names.empty()) head = italic(option.value);
  if (!option.names.empty() && !option.value.empty()) head += " " + italic(option.value);
  return fmt::format(".TP\n{}\n{}{}\n", head, roff(option.text),
                     option.required ? " (required)" : "");
}

std::string synopsis(const CommandEntry& command) {
  std::string line = bold(command.name) + " [OPTIONS]";
  for (const OptionEntry& argument : command.arguments) {
    const std::string value = italic(argument.value);
    line += argument.required ? " " + value : " [" + value + "]";
  }
  return line;
}

std::string command_text(const CommandEntry& command) {
  std::string text = fmt::format(".SS {}\n{}.\n.PP\n{}\n", roff(command.name), roff(command.text),
                                 synopsis(command));
  for (const OptionEntry& argument : command.arguments) text += option_text(argument);
  for (const OptionEntry& option : command.options) text += option_text(option);
  return text;
}

std::string exit_text() {
  std::string text = ".SH EXIT STATUS\n";
  for (const ExitMeaning& meaning : exit_meanings()) {
    text += fmt::format(".TP\n.B {}\n{}\n", static_cast<int>(meaning.code), roff(meaning.text));
  }
  return text;
}

constexpr const char* kDescription = R"(.SH SYNOPSIS
.B duets
.I COMMAND
.RI [ OPTIONS ]
.SH DESCRIPTION
.B duets
lets N agents maximise one unknown, noisy function together while they exchange very little data. It
simulates studies
.RB ( run ),
compares algorithms
.RB ( compare ", " reproduce ),
and runs fleets of real agents
.RB ( serve ", " agent ).
A study is described by a study file in TOML.
.PP
Standard output carries data only, in the form that
.B \-\-format
names; progress, notes and errors go to standard error.
)";

constexpr const char* kExamples = R"(.SH EXAMPLES
.TP
.B duets config check studies/branin.toml
Check a study file and forecast what it will do.
.TP
.B duets run studies/branin.toml \-\-format json
Simulate a study; print the result as JSON.
.TP
.B duets serve studies/fleet.toml
Coordinate a fleet; each agent runs
.BR "duets agent \-\-server HOST:PORT" .
)";

}  // namespace

std::string man_page(const CommandEntry& program) {
  const std::size_t colon = program.text.find(": ");
  std::string text = fmt::format(".TH DUETS 1 \"\" \"duets {}\" \"User Commands\"\n", version());
  text += fmt::format(".SH NAME\nduets \\- {}\n", roff(program.text.substr(colon + 2)));
  text += kDescription;
  text += ".SH COMMANDS\n";
  for_each_command(program, [&](const CommandEntry& command) {
    if (command.commands.empty()) text += command_text(command);
  });
  text += ".SH OPTIONS\n";
  for (const OptionEntry& option : program.options) text += option_text(option);
  return text + exit_text() + kExamples;
}

}  // namespace duets::cli
