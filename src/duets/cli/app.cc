#include "duets/cli/app.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iostream>

#include "duets/base/error.h"
#include "duets/cli/build_info.h"
#include "duets/cli/certs_command.h"
#include "duets/cli/command_options.h"
#include "duets/cli/commands.h"
#include "duets/cli/compare_command.h"
#include "duets/cli/document_commands.h"
#include "duets/cli/engine.h"
#include "duets/cli/evaluate_command.h"
#include "duets/cli/exit_code.h"
#include "duets/cli/operator_commands.h"
#include "duets/cli/print_to.h"
#include "duets/cli/report_command.h"
#include "duets/cli/reproduce_command.h"
#include "duets/cli/run_command.h"
#include "duets/cli/service_commands.h"
#include "duets/cli/study_file.h"
#include "duets/cli/tune_command.h"
#include "duets/cli/usage_error.h"
#include "duets/cli/verify_command.h"
#include "duets/lab/presets.h"
#include "duets/lab/scaling.h"
#include "duets/lab/self_tuning.h"
#include "duets/lab/variants.h"
#include "duets/region/fingerprint.h"

namespace duets::cli {
namespace {

constexpr std::uint32_t kMaxRuns = 1'000'000;

/// All arguments of the command line, and the action that they select.
struct Arguments {
  const Extensions& extensions;
  CommonFlags flags{};
  RunFlags run{};
  ReproduceFlags reproduce{};
  CompareFlags compare{};
  Chosen command{};
};

void add_output_words(CLI::App& command, CommonFlags& flags) {
  add_format(command, flags.format);
  add_quiet(command, flags.verbosity);
}

void add_study(CLI::App& command, CommonFlags& flags) {
  command.add_option("study", flags.study, "Study file (TOML)")->required()->option_text("STUDY");
}

void add_seed(CLI::App& command, CommonFlags& flags, const std::string& text) {
  command.add_option("--seed", flags.seed, text)
      ->check(CLI::Range(std::uint64_t{0}, study::kMaxSeed))
      ->option_text("N");
}

CLI::Option* add_output(CLI::App& command, CommonFlags& flags, const std::string& usual) {
  add_text(command, "-o,--output", flags.output, "Result directory (default " + usual + ")", "DIR");
  command
      .add_option("--threads", flags.threads, "Threads (default: all); results do not depend on it")
      ->check(CLI::Range(1, 1024))
      ->option_text("N");
  add_engine(command, flags.engine);
  return command.add_flag("--overwrite", flags.overwrite,
                          "Replace an earlier result directory, and begin again");
}

void add_resume(CLI::App& command, CommonFlags& flags, CLI::Option* overwrite) {
  command
      .add_flag("--resume", flags.resume, "Continue an unfinished directory, or add runs to one")
      ->excludes(overwrite);
}

// Selects what is done with the engine of the flags.
void choose(Arguments& given, std::function<void(const Engine&)> body) {
  given.command = [&given, body = std::move(body)] {
    with_engine(given.flags.engine, given.flags.threads, body);
  };
}

void add_run(CLI::App& app, Arguments& given) {
  CLI::App* run =
      app.add_subcommand("run", "Run a study with your program, or simulate a built-in function");
  add_study(*run, given.flags);
  add_seed(*run, given.flags, "Use this seed instead of the study's");
  add_output_words(*run, given.flags);
  add_output(*run, given.flags, "results/<study>");
  add_run_flags(*run, given.run);
  add_verbose(*run, given.flags.verbosity);
  run->callback([&given] {
    choose(given, [&given](const Engine& engine) {
      run_study(given.flags, given.run, given.extensions, engine);
    });
  });
}

// The other experiments have their own problems, algorithms and betas.
void add_reproduce_modes(CLI::App& reproduce, Arguments& given) {
  ReproduceFlags& chosen = given.reproduce;
  CLI::Option* scaling =
      reproduce.add_flag("--scaling", chosen.scaling,
                         "Instead: how DUETS grows with T and N (results/reproduce-scaling)");
  CLI::Option* variants = reproduce.add_flag(
      "--variants", chosen.variants, "Instead: variants of DUETS (results/reproduce-variants)");
  CLI::Option* self_tuning = reproduce.add_flag(
      "--self-tuning", chosen.self_tuning,
      "Instead: presets against DisKernelUCB tuned in hindsight (results/reproduce-self-tuning)");
  variants->excludes(scaling);
  self_tuning->excludes(scaling)->excludes(variants);
  for (const char* other : {"--preset", "--algorithms", "--betas"}) {
    scaling->excludes(reproduce.get_option(other));
    variants->excludes(reproduce.get_option(other));
    self_tuning->excludes(reproduce.get_option(other));
  }
  add_text(reproduce, "--conditions", chosen.conditions,
           "With --self-tuning: only these (finite, units, agents-2, continuous, peers, ...)",
           "A,B");
  reproduce.get_option("--conditions")->needs(self_tuning);
  reproduce
      .add_flag("--held-out", chosen.held_out, "With --self-tuning: only the held-out functions")
      ->needs(self_tuning)
      ->excludes(reproduce.get_option("--conditions"));
}

void add_reproduce(CLI::App& app, Arguments& given) {
  ReproduceFlags& chosen = given.reproduce;
  CLI::App* reproduce = app.add_subcommand("reproduce", "Reproduce the published empirical study");
  std::vector<std::string> presets{"both"};
  for (const std::string_view name : lab::preset_names()) presets.emplace_back(name);
  reproduce
      ->add_option("--preset", chosen.preset,
                   fmt::format("{} or {} (default {})", fmt::join(lab::preset_names(), ", "),
                               presets.front(), chosen.preset))
      ->check(one_of(presets))
      ->option_text("NAME");
  reproduce->add_flag("--quick", chosen.quick, "A first look: too few runs to decide anything");
  reproduce
      ->add_option(
          "--runs", chosen.runs,
          fmt::format(
              "Runs, each with its own seed (default {}; scaling {}, variants {}, self-tuning {})",
              lab::kStudyRuns, lab::kScalingRuns, lab::kVariantRuns, lab::kSelfTuningRuns))
      ->check(CLI::Range(std::uint32_t{1}, kMaxRuns))
      ->option_text("N");
  add_text(*reproduce, "--functions", chosen.functions,
           fmt::format("Functions (default {})", fmt::join(lab::paper_functions(), ",")), "A,B");
  add_text(*reproduce, "--algorithms", chosen.algorithms,
           "Algorithms (default: those of the paper)", "A,B");
  add_text(*reproduce, "--betas", chosen.betas, "Grid of beta (default: the preset's)", "X,Y");
  add_seed(*reproduce, given.flags, "First seed (default 1)");
  add_output_words(*reproduce, given.flags);
  add_resume(*reproduce, given.flags, add_output(*reproduce, given.flags, "results/reproduce"));
  add_reproduce_modes(*reproduce, given);
  reproduce->callback([&given] {
    choose(given, [&given](const Engine& engine) {
      cli::reproduce(given.flags, given.reproduce, given.extensions, engine);
    });
  });
}

void add_compare(CLI::App& app, Arguments& given) {
  CompareFlags& chosen = given.compare;
  CLI::App* command =
      app.add_subcommand("compare", "Run several algorithms on a study and compare them");
  add_study(*command, given.flags);
  add_text(*command, "--algorithms", chosen.algorithms, "Algorithms (default: those of the paper)",
           "A,B");
  add_text(*command, "--betas", chosen.betas,
           fmt::format("Grid of beta (default {})", fmt::join(lab::printed_betas(), ",")), "X,Y");
  command
      ->add_option("--runs", chosen.runs,
                   fmt::format("Runs, each with its own seed (default {})", chosen.runs))
      ->check(CLI::Range(std::uint32_t{1}, kMaxRuns))
      ->option_text("N");
  add_text(*command, "--threshold", chosen.thresholds,
           "Grid of the threshold D of synchronising algorithms (default: each one's)", "D,E");
  add_seed(*command, given.flags, "First seed (default: the study's)");
  add_output_words(*command, given.flags);
  add_resume(*command, given.flags, add_output(*command, given.flags, "results/compare-<study>"));
  command->callback([&given] {
    choose(given, [&given](const Engine& engine) {
      compare(given.flags, given.compare, given.extensions, engine);
    });
  });
}

void add_config(CLI::App& app, Arguments& given) {
  CLI::App* config = app.add_subcommand("config", "Study files: check one, list their keys");
  config->require_subcommand(1);
  CLI::App* check = config->add_subcommand("check", "Check a study file and forecast its run");
  add_study(*check, given.flags);
  add_seed(*check, given.flags, "Use this seed instead of the study's");
  add_output_words(*check, given.flags);
  check->callback(
      [&given] { given.command = [&given] { check_config(given.flags, given.extensions); }; });
  CLI::App* keys = config->add_subcommand("keys", "List every key, its values and its default");
  add_format(*keys, given.flags.format);
  keys->callback([&given] { given.command = [&given] { print_keys(given.flags.format); }; });
}

void add_facts(CLI::App& app, Arguments& given) {
  CLI::App* list = app.add_subcommand("algorithms", "List the available algorithms and functions");
  add_format(*list, given.flags.format);
  list->callback(
      [&given] { given.command = [&given] { print_list(given.flags.format, given.extensions); }; });
  CLI::App* version = app.add_subcommand("version", "Version, compiler, processor, fingerprint");
  add_format(*version, given.flags.format);
  version->callback([&given] { given.command = [&given] { print_version(given.flags.format); }; });
}

// The C library buffers too; an earlier failure is recorded by one of the two.
void require_written_output() {
  errno = 0;
  std::cout.flush();
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout) return;
  if (errno == 0) {
    // It is recorded without its reason; one more write fails for the same one.
    std::clearerr(stdout);
    std::fputc('\n', stdout);
    std::fflush(stdout);
  }
  throw base::Error(base::ErrorKind::kIo,
                    fmt::format("cannot write standard output{}{}", errno == 0 ? "" : ": ",
                                errno == 0 ? "" : std::strerror(errno)));
}

int guarded(const std::function<void()>& body) {
  try {
    body();
    return static_cast<int>(ExitCode::kOk);
  } catch (const std::exception& error) {
    // No text: it was printed already, by the first of several processes.
    if (*error.what() != '\0') print_to(stderr, "duets: {}\n", error.what());
    return static_cast<int>(exit_code_of(error));
  }
}

int run_command(int argc, char** argv, const Extensions& extensions) {
  CLI::App app(
      "duets: N agents maximise an unknown noisy function together, exchanging very little data",
      "duets");
  app.require_subcommand(1);
  app.set_version_flag("--version", "duets " + version(), "Print the version and exit");
  Arguments given{extensions};
  given.flags.words.assign(argv, argv + argc);
  add_run(app, given);
  add_tune(app, given.command, extensions, given.flags.words);
  add_reproduce(app, given);
  add_compare(app, given);
  add_config(app, given);
  add_service_commands(app, given.command, extensions);
  add_operator_commands(app, given.command, extensions);
  add_certs(app, given.command);
  add_verify(app, given.command, extensions);
  add_report(app, given.command, extensions);
  add_facts(app, given);
  add_evaluate(app, given.command, extensions);
  add_document_commands(app, given.command);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return report_usage(app, error, argc > 1 ? argv[1] : "");
  }
  return guarded([&] {
    region::require_platform();
    validate(extensions);
    given.command();
  });
}

}  // namespace

int run_app(int argc, char** argv, const Extensions& extensions) {
  // Network errors are reported in our own words; set the variable to see gRPC's.
  setenv("GRPC_VERBOSITY", "NONE", 0);
  const int code = run_command(argc, argv, extensions);
  return code == 0 ? guarded(require_written_output) : code;
}

}  // namespace duets::cli
