#include "duets/cli/experiment_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iostream>

#include "duets/base/bytes.h"
#include "duets/cli/build_info.h"
#include "duets/cli/exit_code.h"
#include "duets/cli/experiment_directory.h"
#include "duets/cli/experiment_progress.h"
#include "duets/cli/figure_export.h"
#include "duets/cli/interrupt.h"
#include "duets/cli/json_text.h"
#include "duets/cli/print_to.h"
#include "duets/cli/shell_line.h"
#include "duets/cli/unit_files.h"
#include "duets/cluster/job.h"
#include "duets/report/table_json.h"

namespace duets::cli {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

// Compiler and instruction set may change the last digit of numbers outside the strict arithmetic,
// so units of two builds are not mixed.
std::string build_of_numbers() {
  std::string text = fmt::format("numbers {}", kNumbersVersion);
  for (const auto& [name, value] : build_facts()) {
    if (name == "compiler" || name == "vector_bytes") text += fmt::format(", {} {}", name, value);
  }
  return text;
}

Entry entry_of(const CommonFlags& flags) {
  if (flags.resume) return Entry::kResume;
  return flags.overwrite ? Entry::kOverwrite : Entry::kNew;
}

// Units with this context belong to this experiment.
std::string context_of(const ExperimentPlan& plan) {
  return plan.command + "\n" + build_of_numbers() + "\n" + plan.context;
}

// The program does not know the mpirun command; with one process the line can be used as it is.
std::string how_to_go_on(const CommonFlags& flags, const Engine& engine) {
  return (engine.processes > 1 ? "mpirun ... " : "") + resume_command(flags.words);
}

struct Timing {
  double seconds = 0;
  std::uint64_t loaded = 0;
};

// The same text in every process.
void require_whole(const ExperimentPlan& plan, const CommonFlags& flags, const Engine& engine,
                   const std::string& folder, const lab::ExperimentResult& result,
                   const InterruptGuard& interrupt) {
  if (!result.stopped) return;
  throw CodedError(
      interrupt.code(),
      fmt::format(
          "stopped: {} of {} units (a unit is all runs of one seed and function) are kept in "
          "{}; the runs of unfinished units are lost; continue with\n  {}",
          result.num_units, lab::num_units(plan.experiment), folder, how_to_go_on(flags, engine)));
}

lab::ExperimentResult compute(const ExperimentPlan& plan, const CommonFlags& flags,
                              const ExperimentDirectory& directory, UnitFiles& units,
                              const Engine& engine, Timing& timing) {
  const auto start = Clock::now();
  const std::size_t total = lab::num_runs(plan.experiment);
  ExperimentProgress progress(stderr, flags.verbosity, total);
  const InterruptGuard interrupt;
  lab::ExperimentResult result =
      lab::run_experiment(plan.experiment, engine.executor, units, progress, interrupt.stop());
  progress.clear();
  require_whole(plan, flags, engine, directory.units().string(), result, interrupt);
  timing.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  timing.loaded = progress.loaded();
  return result;
}

// The note for the manifest: empty when PNG and PDF were created.
std::string draw(const ExperimentDirectory& directory, const lab::Findings& output,
                 const base::Executor& executor) {
  std::vector<std::filesystem::path> drawn;
  for (const auto& [name, svg] : output.figures) {
    directory.write("figures/" + name, svg);
    drawn.push_back(directory.path() / "figures" / name);
  }
  remove_exports(drawn);  // of an earlier figure
  const auto converter = find_converter();
  if (!converter) return std::string(converter_advice());
  // The tables matter more than two more formats of an SVG figure.
  try {
    export_figures(*converter, drawn, executor);
  } catch (const base::Error& error) {
    remove_exports(drawn);
    return fmt::format("PNG and PDF were not created: {}", error.what());
  }
  return {};
}

std::string manifest_text(const ExperimentPlan& plan, const Json& settings,
                          const std::string& digest, const Timing& timing,
                          const std::string& figure_note, const Engine& engine) {
  Json json;
  json["command"] = plan.command;
  json["digest"] = digest;
  json["settings"] = settings;
  json["runs"] = lab::num_runs(plan.experiment);
  json["runs_loaded"] = timing.loaded;
  json["seconds"] = timing.seconds;
  json["figures"] = figure_note.empty() ? Json::array({"svg", "png", "pdf"}) : Json::array({"svg"});
  if (!figure_note.empty()) json["figures_note"] = figure_note;
  for (const auto& [name, value] : build_facts()) json["build"][name] = value;
  json["build"]["threads"] = engine.threads;
  json["build"]["processes"] = engine.processes;
  return json.dump(2) + "\n";
}

std::string shown(const ExperimentPlan& plan, const lab::Findings& output,
                  const std::string& digest, const std::string& directory, Format format) {
  if (format == Format::kCsv) return report::to_csv(output.tables.front().table);
  if (format == Format::kJson) {
    Json json{{"digest", digest}, {"results", directory}, {"seeds", plan.experiment.seeds}};
    json["selection_seeds"] = plan.experiment.selection_seeds;
    for (const lab::NamedTable& one : output.tables) {
      if (one.in_json) json[one.name] = report::to_json(one.table);
    }
    return json_text(json);
  }
  return report::to_text(output.summary) + "\n" +
         table_text(
             {{"digest", digest}, {"results", directory}, {"report", directory + "/report.html"}});
}

std::string output_of(const ExperimentPlan& plan, const CommonFlags& flags) {
  return flags.output.empty() ? plan.output : flags.output;
}

void tell_before(const ExperimentPlan& plan, const CommonFlags& flags, const Engine& engine,
                 std::size_t num_stored) {
  if (!plan.notice.empty()) tell(flags, plan.notice);
  if (engine.processes > 1) {
    tell(flags, text_of(engine) + "; the progress shown is that of the first process");
  }
  if (num_stored > 0) tell(flags, fmt::format("units already finished: {}", num_stored));
}

void execute(const ExperimentPlan& plan, const CommonFlags& flags, const Json& settings,
             const ExperimentDirectory& directory, UnitFiles& units, const Engine& engine) {
  tell_before(plan, flags, engine, units.stored());
  Timing timing;
  const lab::ExperimentResult result = compute(plan, flags, directory, units, engine, timing);
  const std::string digest = curves_digest(plan.experiment, result);
  lab::PageHead head = plan.head;
  head.facts.insert(head.facts.begin(), {"Runs", lab::seeds_text(plan.experiment.seeds)});
  if (!plan.experiment.selection_seeds.empty()) {
    head.facts.insert(head.facts.begin() + 1, {"Runs that choose settings",
                                               lab::seeds_text(plan.experiment.selection_seeds)});
  }
  head.facts.emplace_back("Digest of all curves", digest);
  head.facts.emplace_back("Program", "duets " + version());
  const lab::Findings shows = plan.present(result, head);
  for (const lab::NamedTable& one : shows.tables) {
    if (one.in_files) directory.write(one.name + ".csv", report::to_csv(one.table));
  }
  directory.write("report.html", report::to_html(shows.page));
  for (const auto& [name, text] : plan.files) directory.write(name, text);
  const std::string figure_note = draw(directory, shows, engine.executor);
  if (!figure_note.empty()) print_to(stderr, "note: {}\n", figure_note);
  directory.write("manifest.json",
                  manifest_text(plan, settings, digest, timing, figure_note, engine));
  std::cout << shown(plan, shows, digest, output_of(plan, flags), flags.format);
}

base::Bytes bytes_of(const std::string& text) { return {text.begin(), text.end()}; }

// A full disk can be fixed, and finished work is not lost.
template <class Body>
void with_advice(const CommonFlags& flags, const Engine& engine, const Body& body) {
  try {
    body();
  } catch (const CodedError&) {
    throw;
  } catch (const base::Error& error) {
    if (error.kind() != base::ErrorKind::kIo) throw;
    throw base::Error(error.kind(), fmt::format("{}\nfinished units are kept; fix this, then "
                                                "continue with\n  {}",
                                                error.what(), how_to_go_on(flags, engine)));
  }
}

// The process that has the directory, prints and writes.
void run_first(const ExperimentPlan& plan, const CommonFlags& flags, const Json& settings,
               const Engine& engine) {
  const ExperimentDirectory directory(output_of(plan, flags), entry_of(flags), settings);
  UnitFiles units(directory.units(), context_of(plan));
  units.read_all(plan.experiment);
  with_advice(flags, engine, [&] {
    directory.begin();
    engine.executor.agree(bytes_of(directory.path().string()));
    execute(plan, flags, settings, directory, units, engine);
  });
}

// Any other process: runs its share and passes the results on.
void run_helper(const ExperimentPlan& plan, const CommonFlags& flags, const Json& settings,
                const Engine& engine) {
  const base::Bytes agreed = engine.executor.agree({});
  const std::filesystem::path directory(std::string(agreed.begin(), agreed.end()));
  HelperUnitFiles units(directory / "runs", context_of(plan), is_begun(directory, settings));
  lab::ExperimentObserver nobody;
  const InterruptGuard interrupt("");
  with_advice(flags, engine, [&] {
    const lab::ExperimentResult result =
        lab::run_experiment(plan.experiment, engine.executor, units, nobody, interrupt.stop());
    require_whole(plan, flags, engine, (directory / "runs").string(), result, interrupt);
  });
}

}  // namespace

std::string resume_command(std::vector<std::string> words) {
  std::erase(words, "--overwrite");
  if (std::find(words.begin(), words.end(), "--resume") == words.end()) {
    words.emplace_back("--resume");
  }
  return shell_line(words);
}

std::string curves_digest(const lab::Experiment& experiment, const lab::ExperimentResult& result) {
  base::ByteWriter writer;
  for (std::size_t task = 0; task < experiment.tasks.size(); ++task) {
    const auto seeds = lab::seeds_of(experiment, experiment.tasks[task]);
    for (std::size_t seed = 0; seed < seeds.size(); ++seed) {
      writer.text(experiment.tasks[task].preset);
      writer.text(experiment.tasks[task].function);
      writer.u64(seeds[seed]);
      for (std::size_t i = 0; i < experiment.tasks[task].contenders.size(); ++i) {
        const lab::Contender& contender = experiment.tasks[task].contenders[i];
        const lab::Curves& curves = result.units[task][seed][i];
        writer.text(contender.algorithm);
        writer.text(contender.variant);
        writer.f64(contender.beta);
        writer.u32s(curves.t);
        writer.f64s(curves.regret);
        for (const lab::Ledger ledger : lab::kLedgers) writer.f64s(curves.reals(ledger));
        writer.u32(curves.rounds);
        writer.f64(curves.recommendation_regret);
        writer.u32(curves.lost ? 1 : 0);
      }
    }
  }
  return base::to_hex(base::digest_of(writer.bytes()));
}

void run_plan(const ExperimentPlan& plan, const CommonFlags& flags, const Engine& engine) {
  Json settings = plan.settings;
  settings["build"] = build_of_numbers();
  cluster::require_same(engine.executor, "what is to be run",
                        bytes_of(settings.dump() + context_of(plan)));
  (engine.first ? run_first : run_helper)(plan, flags, settings, engine);
}

}  // namespace duets::cli
