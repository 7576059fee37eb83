#include "duets/cli/app.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <map>

#include "duets/base/error.h"
#include "duets/cli/commands.h"
#include "duets/cli/exit_code.h"
#include "duets/region/fingerprint.h"

namespace duets::cli {
namespace {

const std::map<std::string, Format> kFormats{
    {"table", Format::kTable}, {"json", Format::kJson}, {"csv", Format::kCsv}};

void add_format(CLI::App& command, CommonFlags& flags) {
  command.add_option("--format", flags.format, "table, json or csv (default table)")
      ->transform(CLI::CheckedTransformer(kFormats))
      ->option_text("FORMAT");
}

void add_common(CLI::App& command, CommonFlags& flags) {
  command.add_option("study", flags.study, "Study file (TOML)")->required()->option_text("STUDY");
  command.add_option("--seed", flags.seed, "Use this seed instead of the study's")
      ->option_text("N");
  add_format(command, flags);
  command.add_flag_callback(
      "-q,--quiet", [&flags] { flags.verbosity = Verbosity::kQuiet; }, "Only data and errors");
}

// Everything but --help, which CLI11 prints itself, is exit code 2. A word that is no command is
// named: CLI11 only says that a command is missing.
int report_usage(const CLI::App& app, const CLI::ParseError& error, const std::string& first) {
  if (error.get_exit_code() == 0) return app.exit(error);
  const bool no_command = app.get_subcommands().empty() && !first.empty() && first[0] != '-';
  const std::string what =
      no_command ? fmt::format("\"{}\" is not a command", first) : std::string(error.what());
  fmt::print(stderr, "duets: {}\nTry: duets --help\n", what);
  return static_cast<int>(ExitCode::kUsage);
}

int guarded(const std::function<void()>& body) {
  try {
    region::require_platform();
    body();
    return static_cast<int>(ExitCode::kOk);
  } catch (const base::Error& error) {
    fmt::print(stderr, "duets: {}\n", error.what());
    return static_cast<int>(exit_code_of(error.kind()));
  } catch (const std::exception& error) {
    fmt::print(stderr, "duets: {}\n", error.what());
    return static_cast<int>(ExitCode::kRunFailed);
  }
}

}  // namespace

int run_app(int argc, char** argv) {
  CLI::App app(
      "duets: N agents maximise an unknown noisy function together while talking very little",
      "duets");
  app.require_subcommand(1);
  CommonFlags flags;
  std::string participation;
  std::function<void()> command;

  CLI::App* run = app.add_subcommand("run", "Simulate a study and write its results");
  add_common(*run, flags);
  run->add_option("-o,--output", flags.output, "Result directory (default results/<study>)")
      ->option_text("DIR");
  run->add_flag("--overwrite", flags.overwrite, "Replace an earlier result directory");
  run->add_option("--threads", flags.threads, "Threads (default: all); results do not depend on it")
      ->check(CLI::Range(1, 1024))
      ->option_text("N");
  run->add_option("--participation", participation, "Who takes part: TOML, see docs/formats")
      ->option_text("FILE");
  run->add_flag_callback(
      "-v,--verbose", [&flags] { flags.verbosity = Verbosity::kVerbose; },
      "More about every epoch");
  run->callback([&] { command = [&] { run_study(flags, participation); }; });

  CLI::App* config = app.add_subcommand("config", "Look at a study file");
  config->require_subcommand(1);
  CLI::App* check =
      config->add_subcommand("check", "Check a study file and forecast what it will do");
  add_common(*check, flags);
  check->callback([&] { command = [&] { check_config(flags); }; });

  CLI::App* version = app.add_subcommand("version", "Version, compiler, processor, fingerprint");
  add_format(*version, flags);
  version->callback([&] { command = [&] { print_version(flags.format); }; });

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return report_usage(app, error, argc > 1 ? argv[1] : "");
  }
  return guarded(command);
}

}  // namespace duets::cli
