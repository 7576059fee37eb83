#include "duets/cli/tune_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>

#include "duets/base/error.h"
#include "duets/cli/file_io.h"
#include "duets/cli/parameter_text.h"
#include "duets/cli/run_place.h"
#include "duets/cli/shell_line.h"
#include "duets/cli/study_file.h"
#include "duets/harness/threads.h"
#include "duets/service/secret.h"
#include "duets/study/space.h"
#include "duets/study/toml_writer.h"

namespace duets::cli {
namespace {

namespace fs = std::filesystem;

std::string name_for(const TuneFlags& flags) {
  return flags.name.empty() ? study_name_of(flags.program) : flags.name;
}

std::string output_for(const TuneFlags& flags) {
  return flags.common.output.empty() ? "results/" + name_for(flags) : flags.common.output;
}

std::string study_path(const TuneFlags& flags) {
  return run_place(output_for(flags)).output + ".toml";
}

// "duets run FILE" with what the file cannot say.
std::string run_line(const TuneFlags& flags) {
  std::vector<std::string> words{"duets", "run", study_path(flags)};
  if (!flags.common.output.empty()) words.insert(words.end(), {"-o", flags.common.output});
  if (flags.local.program.once) words.emplace_back("--once");
  return shell_line(words);
}

// A file that is there already is somebody's, unless the journal beside it shows that a run has
// made or used it: then the journal decides whether this is the same study.
void require_own_file(const TuneFlags& flags, const std::string& text) {
  const std::string path = study_path(flags);
  if (flags.common.overwrite || !fs::exists(path) || read_whole_file(path) == text ||
      fs::exists(run_place(output_for(flags)).journal)) {
    return;
  }
  base::refuse("--output", output_for(flags),
               fmt::format("{} exists and has another study; run that one with \"{}\", choose "
                           "another --output, or replace it with --overwrite",
                           path, run_line(flags)));
}

}  // namespace

std::string study_name_of(const std::vector<std::string>& program) {
  // The script, if an interpreter runs one.
  const auto script = std::ranges::find_if(program, [](const std::string& word) {
    return !word.starts_with('-') && word.find('=') == std::string::npos &&
           fs::path(word).has_extension() && fs::path(word).stem().string().size() > 1;
  });
  const std::string& word = script != program.end() ? *script : program.front();
  std::string name = fs::path(word).stem().string();
  bool says_something = false;
  for (char& c : name) {
    const bool is_letter =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    says_something = says_something || is_letter;
    if (!is_letter && c != '_' && c != '.') c = '-';
  }
  return says_something && study::is_study_name(name) ? name : "tune";
}

std::string tune_toml(const TuneFlags& flags) {
  study::TomlWriter out;
  out.comment("made by duets tune; the same study again: " + run_line(flags));
  out.table("study");
  out.text("name", name_for(flags));
  out.text("direction", flags.minimize ? "minimize" : "maximize");
  out.whole("agents", flags.agents);
  out.whole("horizon", flags.horizon);
  out.whole("seed", flags.common.seed.value_or(1));
  std::set<std::string> names;
  for (const std::string& text : flags.parameters) {
    const domain::Parameter parameter = parse_parameter(text);
    base::require(names.insert(parameter.name).second, "-p", fmt::format("\"{}\"", text),
                  fmt::format("there is another parameter '{}'", parameter.name));
    study::write_parameter(parameter, out);
  }
  out.table("duets");
  out.text("preset", "auto");
  out.text("goal", base::name_of(flags.goal));
  out.table("objective");
  std::vector<std::string> command = flags.program;
  out.value("command", &command);
  if (flags.local.program.timeout > 0) out.number("timeout", flags.local.program.timeout);
  if (flags.local.program.retries) out.whole("retries", *flags.local.program.retries);
  if (flags.infeasible_value) out.number("infeasible_value", *flags.infeasible_value);
  return out.take();
}

void tune(const TuneFlags& flags, const Extensions& extensions) {
  const std::string text = tune_toml(flags);
  const std::string path = study_path(flags);
  const StudyFile file = parse_study(text, path, {}, {.seed = {}, .functions = {}});
  require_own_file(flags, text);
  CommonFlags common = flags.common;
  common.output = output_for(flags);
  const harness::ThreadExecutor executor(common.threads == 0 ? harness::default_threads()
                                                             : common.threads);
  run_locally(common, flags.local, file, service::seed_secret_text(file.seed), executor, extensions,
              [&](const protocol::Study& study) {
                TuneFlags made = flags;
                if (flags.local.horizon == 0) made.horizon = study.horizon;  // that of the journal
                write_whole_file(path, tune_toml(made));
                tell(common, "study file: " + path);
              });
}

void add_tune(CLI::App& app, Chosen& chosen, const Extensions& extensions,
              const std::vector<std::string>& words) {
  const auto flags = std::make_shared<TuneFlags>();
  CLI::App* command =
      app.add_subcommand("tune", "Tune the parameters of your own program, without a study file");
  command
      ->add_option("-p,--param", flags->parameters,
                   "A parameter: 'NAME=LOW..HIGH', then 'int', 'log' or 'step S' as needed, or "
                   "'NAME=A|B|C'; once for each")
      ->required()
      ->allow_extra_args(false)
      ->option_text("PARAMETER");
  CLI::Option* minimize =
      command->add_flag("--minimize", flags->minimize, "Smaller values are better");
  command
      ->add_flag_callback(
          "--maximize", [] {}, "Larger values are better (default)")
      ->excludes(minimize);
  constexpr std::uint64_t kMost = study::kMaxQueries;
  command
      ->add_option("--agents", flags->agents,
                   fmt::format("Agents: points asked for without knowing each other's answers "
                               "(default {})",
                               flags->agents))
      ->check(CLI::Range(std::uint64_t{1}, kMost))
      ->option_text("N");
  CLI::Option* horizon =
      command
          ->add_option(
              "--horizon", flags->horizon,
              fmt::format("Queries of each agent (default {}); more than before extends the "
                          "study",
                          flags->horizon))
          ->check(CLI::Range(std::uint64_t{1}, kMost))
          ->option_text("T");
  add_choice(*command, "--goal", flags->goal,
             "Little loss on the way, or the best setting at the end", "GOAL");
  command->add_option("--seed", flags->common.seed, "Seed of the study (default 1)")
      ->check(CLI::Range(std::uint64_t{0}, study::kMaxSeed))
      ->option_text("N");
  add_text(*command, "--name", flags->name, "Name of the study (default: from the program)",
           "NAME");
  command
      ->add_option("--infeasible-value", flags->infeasible_value,
                   "The value that an infeasible answer counts as (default: exit with code 8)")
      ->option_text("X");
  add_local_flags(*command, flags->local);
  add_text(*command, "-o,--output", flags->common.output,
           "Result directory (default results/<name>); the study file is written beside it", "DIR");
  command->add_flag("--overwrite", flags->common.overwrite,
                    "Begin again: replace study file, journal and results");
  command
      ->add_option("--threads", flags->common.threads,
                   "Threads of the coordinator (default: all); results do not depend on it")
      ->check(CLI::Range(1, 1024))
      ->option_text("N");
  add_format(*command, flags->common.format);
  add_quiet(*command, flags->common.verbosity);
  add_verbose(*command, flags->common.verbosity);
  add_program(*command, flags->program, "After --: your program")->required();
  command->callback([flags, horizon, &chosen, &extensions, &words] {
    flags->common.words = words;
    if (horizon->count() > 0) flags->local.horizon = flags->horizon;
    flags->local.keeps_horizon = true;
    flags->local.way_out = "choose another --name or --output, or begin again with --overwrite";
    chosen = [flags, &extensions] { tune(*flags, extensions); };
  });
}

}  // namespace duets::cli
