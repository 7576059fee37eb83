#include "duets/cli/run_command.h"

#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "duets/base/bytes.h"
#include "duets/base/error.h"
#include "duets/cli/command_options.h"
#include "duets/cli/config_check.h"
#include "duets/cli/exit_code.h"
#include "duets/cli/file_io.h"
#include "duets/cli/interrupt.h"
#include "duets/cli/participation_file.h"
#include "duets/cli/print_to.h"
#include "duets/cli/queries_text.h"
#include "duets/cli/result_directory.h"
#include "duets/cli/result_kind.h"
#include "duets/cli/run_trials.h"
#include "duets/cli/shell_line.h"
#include "duets/cli/stoppable_executor.h"
#include "duets/cli/study_file.h"
#include "duets/cli/study_simulation.h"
#include "duets/cluster/job.h"
#include "duets/harness/memory_estimate.h"
#include "duets/harness/simulate.h"
#include "duets/service/secret.h"
#include "duets/service/study_difference.h"
#include "duets/storage/secret_file.h"

namespace duets::cli {
namespace {

/// The run of a result that is extended.
struct EarlierRun {
  protocol::Study study;
  std::string run_digest;  ///< hexadecimal
};

/// The simulation to run and its output.
struct RunPlan {
  StudyFile file;
  harness::Simulation simulation;
  TrialRows trials;
  std::string output;
  unsigned threads = 1;
  std::optional<EarlierRun> earlier;  ///< it begins with this run
};

class RunObserver final : public harness::Observer {
 public:
  RunObserver(Progress& progress, ResultDirectory& results)
      : progress_(progress), results_(results) {}
  void epoch_began(std::uint32_t epoch, std::uint32_t length) override {
    epoch_ = epoch;
    progress_.epoch_began(epoch, length);
  }
  void trial(const harness::Trial& trial) override { results_.trial(trial); }
  void queries_done(std::uint64_t count) override {
    num_queries_ += count;
    progress_.queries_done(count);
  }
  void exchange_began(std::uint32_t epoch) override { progress_.exchange_began(epoch); }
  void epoch_ended(const protocol::EpochEnded& ended) override { progress_.epoch_ended(ended); }
  void run_digest(std::uint32_t /*epoch*/, const base::Digest& digest) override {
    run_digests_.push_back(base::to_hex(digest));
  }

  std::uint32_t epoch() const { return epoch_; }
  std::uint64_t num_queries() const { return num_queries_; }
  /// Until the end of each epoch.
  const std::vector<std::string>& run_digests() const { return run_digests_; }

 private:
  Progress& progress_;
  ResultDirectory& results_;
  std::uint32_t epoch_ = 1;
  std::uint64_t num_queries_ = 0;
  std::vector<std::string> run_digests_;
};

std::string output_of(const CommonFlags& flags, const StudyFile& file) {
  return flags.output.empty() ? "results/" + file.study.name : flags.output;
}

std::uint64_t num_queries(const protocol::Study& study) {
  return std::uint64_t{study.agents} * protocol::num_queries_each(study);
}

bool are_same(const StudyFile& a, const StudyFile& b) {
  return service::differing_fields(resolved_toml(a), resolved_toml(b)).empty();
}

// The run of the result that is there, if its study is that of the file with an earlier horizon.
std::optional<EarlierRun> earlier_run(const std::string& output, const StudyFile& file,
                                      const Extensions& extensions) {
  if (!holds_run(output)) return std::nullopt;
  const std::filesystem::path directory(output);
  StudyFile before =
      load_study((directory / "study.toml").string(), {std::nullopt, extensions.functions});
  StudyFile same = file;
  same.study.horizon = before.study.horizon;
  same.study.earlier_horizons = before.study.earlier_horizons;
  same.study.ended_after = before.study.ended_after;
  if (!are_same(before, same)) return std::nullopt;
  const auto manifest =
      nlohmann::json::parse(read_whole_file((directory / "manifest.json").string()));
  return EarlierRun{std::move(before.study), manifest.value("run_digest", "")};
}

// A simulation repeats what was known until then, to the same bits, and may then replace it.
// Returns the run that is extended, if one is.
std::optional<EarlierRun> set_horizon(StudyFile& file, std::uint32_t horizon,
                                      const CommonFlags& flags, const Extensions& extensions) {
  if (!flags.overwrite) {
    auto earlier = earlier_run(output_of(flags, file), file, extensions);
    if (earlier && horizon != earlier->study.horizon) {
      file.study = protocol::extended(earlier->study, horizon);
      return earlier;
    }
  }
  file.study.horizon = horizon;
  protocol::validate(file.study);
  return std::nullopt;
}

// Who took part, the secret and the machine are not in the study file.
void require_begins_with(const EarlierRun& earlier, const RunObserver& observer,
                         const RunPlan& plan) {
  const std::string& now = observer.run_digests().at(protocol::lengths(earlier.study).size() - 1);
  base::require(
      now == earlier.run_digest, "horizon", fmt::format("{}", plan.file.study.horizon),
      fmt::format("{} has another run, which this one does not go on with: its run digest is {}, "
                  "here {} after as many queries. Give the same --participation and --secret, on a "
                  "machine that computes the same, or --overwrite for this horizon from the start",
                  plan.output, earlier.run_digest, now));
}

RunPlan plan_of(const CommonFlags& flags, const RunFlags& given, const Extensions& extensions,
                StudyFile file, const Engine& engine) {
  RunPlan plan;
  if (given.local.horizon > 0) {
    plan.earlier = set_horizon(file, given.local.horizon, flags, extensions);
  }
  plan.file = std::move(file);
  plan.simulation = simulation_of(plan.file, extensions.functions);
  plan.trials = choose_trial_rows(given.trials, num_queries(plan.file.study));
  plan.simulation.trials = plan.trials.thinning;
  plan.simulation.sharing =
      given.replay == "separate" ? protocol::Sharing::kRegions : protocol::Sharing::kPoints;
  if (!given.participation.empty()) {
    plan.simulation.participation = load_participation(given.participation, plan.file.study);
  }
  if (!given.secret.empty()) plan.simulation.secret = service::load_secret(given.secret);
  plan.output = output_of(flags, plan.file);
  plan.threads = engine.threads;
  return plan;
}

// Everything that the numbers depend on, so that processes on several machines can compare it.
base::Bytes identity(const RunPlan& plan, const RunFlags& given) {
  base::ByteWriter whole;
  whole.text(resolved_toml(plan.file));
  whole.text(plan.trials.kept);
  whole.text(given.replay);
  for (const std::string& name : {given.participation, given.secret}) {
    whole.text(name.empty() ? "" : read_whole_file(name));
  }
  base::ByteWriter digest;  // only the digest of a secret leaves the process
  digest.digest(base::digest_of(whole.bytes()));
  return digest.take();
}

// Notes and warnings for standard error before the run starts.
std::vector<std::string> words_before(const RunPlan& plan, const Engine& engine) {
  const protocol::Study& study = plan.file.study;
  std::vector<std::string> words;
  if (!(plan.file.coordinator == study::CoordinatorSettings{})) {
    words.emplace_back("note: [coordinator] is used by duets serve, not by a simulation");
  }
  const ConfigCheck forecast = check(plan.file);
  for (const ConfigWarning& warning : forecast.warnings) {
    words.push_back("warning: " + warning.text);
  }
  words.push_back(fmt::format("{}: {}, epochs of {}", study.name,
                              queries_text(study.agents, protocol::num_queries_each(study), true),
                              fmt::join(protocol::lengths(study), ", ")));
  if (engine.processes > 1) words.push_back(text_of(engine));
  if (num_queries(study) < harness::kLargeRun) return words;
  const harness::MemoryEstimate memory =
      harness::estimate_memory(study, forecast.model, plan.simulation.sharing, plan.threads,
                               static_cast<unsigned>(engine.processes));
  words.push_back(fmt::format("note: a large run; memory {}{}", memory_text(memory),
                              engine.processes > 1 ? " in every process" : ""));
  if (plan.trials.kept == "sampled") {
    words.push_back(fmt::format(
        "note: trials.csv gets the queries with {}; change this with --trials all or none",
        rule_of(plan.trials)));
  }
  return words;
}

// A run has no checkpoints: nothing that was computed can be reused.
std::string stopped_text(const RunPlan& plan, const CommonFlags& flags, const Engine& engine,
                         const RunObserver& observer) {
  const bool had_results = std::filesystem::exists(plan.output);
  return fmt::format(
      "stopped in epoch {}, after {} of {} queries; nothing of this run is kept{}; a run cannot be "
      "resumed: start it again with\n  {}{}",
      observer.epoch(), observer.num_queries(), num_queries(plan.file.study),
      had_results ? fmt::format(", and the earlier contents of {} are unchanged", plan.output) : "",
      engine.processes > 1 ? "mpirun ... " : "", shell_line(flags.words));
}

harness::RunResult simulate_into(ResultDirectory& results, const RunPlan& plan,
                                 const CommonFlags& flags, const Engine& engine,
                                 const InterruptGuard& interrupt) {
  const StoppableExecutor executor(engine.executor, interrupt.stop());
  Progress progress(stderr, flags.verbosity, plan.file.study.agents,
                    protocol::num_queries_each(plan.file.study));
  RunObserver observer(progress, results);
  try {
    harness::RunResult result = harness::simulate(plan.simulation, executor, observer);
    progress.clear();
    if (interrupt.stop()) throw Interrupted();
    if (plan.earlier) require_begins_with(*plan.earlier, observer, plan);
    return result;
  } catch (const Interrupted&) {
    progress.clear();
    throw CodedError(interrupt.code(), stopped_text(plan, flags, engine, observer));
  }
}

// Any other process: does its share, and stops on request.
void simulate_share(const RunPlan& plan, const Engine& engine) {
  const InterruptGuard interrupt("");
  const StoppableExecutor executor(engine.executor, interrupt.stop());
  harness::Observer nobody;
  try {
    harness::simulate(plan.simulation, executor, nobody);
  } catch (const Interrupted&) {
    throw CodedError(interrupt.code(), "stopped; nothing of this run is kept");
  }
}

// An option that has no effect is a mistake.
void refuse_simulation_flags(const CommonFlags& flags, const RunFlags& given) {
  for (const auto& [name, value] :
       {std::pair("--participation", given.participation), std::pair("--trials", given.trials),
        std::pair("--replay", given.replay),
        std::pair("--engine", flags.engine == "mpi" ? flags.engine : "")}) {
    base::require(value.empty(), name, value,
                  "is for simulations; this study has objective.command");
  }
}

void refuse_program_flags(const LocalFlags& given) {
  const LocalFlags usual;
  const auto require_usual = [](bool is_usual, const char* name) {
    base::require(is_usual, name, "(given)",
                  "is for a study with objective.command; this one simulates objective.builtin");
  };
  require_usual(given.parallel == usual.parallel, "--parallel");
  require_usual(given.time == usual.time, "--for");
  require_usual(given.until_gain == usual.until_gain, "--until-gain");
  require_usual(given.program.once == usual.program.once, "--once");
  require_usual(given.program.timeout == usual.program.timeout, "--timeout");
  require_usual(given.program.retries == usual.program.retries, "--retries");
  require_usual(given.program.max_failures == usual.program.max_failures, "--max-failures");
}

void run_program(const CommonFlags& flags, const RunFlags& given, const Extensions& extensions,
                 const StudyFile& file, const Engine& engine) {
  refuse_simulation_flags(flags, given);
  const std::string secret = given.secret.empty() ? service::seed_secret_text(file.seed)
                                                  : storage::read_secret_file(given.secret);
  run_locally(flags, given.local, file, secret, engine.executor, extensions);
}

}  // namespace

void add_run_flags(CLI::App& run, RunFlags& given) {
  add_text(run, "--participation", given.participation,
           "Absent agents and failed queries: TOML, see docs/formats", "FILE");
  add_text(run, "--secret", given.secret,
           "Secret file of a deployment (default: derived from the seed)", "FILE");
  run.add_option("--trials", given.trials,
                 "Rows of trials.csv: all, sampled or none (default: sampled above 1000000)")
      ->check(one_of({"all", "sampled", "none"}))
      ->option_text("WORD");
  run.add_option("--replay", given.replay,
                 "Agents' points: shared with the coordinator (default), or separate and compared")
      ->check(one_of({"shared", "separate"}))
      ->option_text("WORD");
  run.add_option("--horizon", given.local.horizon,
                 "Queries of each agent (default: the study's); a result that is there is extended")
      ->check(CLI::Range(std::uint64_t{1}, study::kMaxQueries))
      ->option_text("T");
  add_local_flags(run, given.local);
}

void run_study(const CommonFlags& flags, const RunFlags& given, const Extensions& extensions,
               const Engine& engine) {
  StudyFile file = load_study(flags.study, {flags.seed, extensions.functions});
  if (!file.objective.command.empty()) return run_program(flags, given, extensions, file, engine);
  refuse_program_flags(given.local);
  const RunPlan plan = plan_of(flags, given, extensions, std::move(file), engine);
  if (engine.processes > 1) {
    cluster::require_same(engine.executor, "the study", identity(plan, given));
  }
  if (!engine.first) return simulate_share(plan, engine);
  ResultDirectory results(plan.output, flags.overwrite || plan.earlier.has_value(), plan.file);
  const std::string stopping =
      fmt::format("stopping; press Ctrl-C again to stop at once and leave {} behind",
                  results.partial().string());
  const InterruptGuard interrupt(stopping.c_str());
  if (flags.verbosity != Verbosity::kQuiet) {
    for (const std::string& line : words_before(plan, engine)) print_to(stderr, "{}\n", line);
  }
  const harness::RunResult result = simulate_into(results, plan, flags, engine, interrupt);
  results.commit(result, plan.trials, plan.threads);
  std::cout << run_summary(result, flags.format, plan.output);
}

}  // namespace duets::cli
