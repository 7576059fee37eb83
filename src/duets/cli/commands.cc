#include "duets/cli/commands.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <array>
#include <iostream>
#include <nlohmann/json.hpp>

#include "duets/base/error.h"
#include "duets/cli/build_info.h"
#include "duets/cli/config_check.h"
#include "duets/cli/participation_file.h"
#include "duets/cli/result_directory.h"
#include "duets/cli/result_tables.h"
#include "duets/cli/study_file.h"
#include "duets/cli/study_simulation.h"
#include "duets/harness/simulate.h"
#include "duets/harness/threads.h"
#include "duets/service/secret.h"

namespace duets::cli {
namespace {

class RunObserver final : public harness::Observer {
 public:
  RunObserver(Progress& progress, ResultDirectory& results)
      : progress_(progress), results_(results) {}
  void trial(const harness::Trial& trial) override {
    results_.trial(trial);
    progress_.query_done();
  }
  void epoch_ended(const protocol::EpochReport& report) override { progress_.epoch_ended(report); }

 private:
  Progress& progress_;
  ResultDirectory& results_;
};

void tell(const CommonFlags& flags, const std::string& text) {
  if (flags.verbosity != Verbosity::kQuiet) fmt::print(stderr, "{}\n", text);
}

void tell_warnings(const CommonFlags& flags, const StudyFile& file) {
  for (const std::string& note : file.notes) tell(flags, "note: " + note);
  for (const std::string& warning : check(file).warnings) tell(flags, "warning: " + warning);
}

}  // namespace

void run_study(const CommonFlags& flags, const RunFlags& given, const Extensions& extensions) {
  const StudyFile file = load_study(flags.study, {flags.seed, extensions.functions});
  harness::Simulation simulation = simulation_of(file);
  if (!given.participation.empty()) {
    simulation.participation = load_participation(given.participation, file.study);
  }
  if (!given.secret.empty()) simulation.secret = service::load_secret(given.secret);
  const std::string output = flags.output.empty() ? "results/" + file.study.name : flags.output;
  ResultDirectory results(output, flags.overwrite, file);
  const unsigned threads = flags.threads == 0 ? harness::default_threads() : flags.threads;
  const harness::ThreadExecutor executor(threads);

  tell_warnings(flags, file);
  const std::uint64_t total = std::uint64_t{file.study.agents} * file.study.horizon;
  tell(flags, fmt::format("{}: {} agents x {} queries = {}, epochs of {}", file.study.name,
                          file.study.agents, file.study.horizon, total,
                          fmt::join(protocol::lengths(file.study), ", ")));
  Progress progress(stderr, flags.verbosity, total);
  RunObserver observer(progress, results);
  const harness::RunResult result = harness::simulate(simulation, executor, observer);
  progress.clear();
  results.commit(result, threads);
  std::cout << run_summary(result, flags.format, output);
}

void check_config(const CommonFlags& flags, const Extensions& extensions) {
  const StudyFile file = load_study(flags.study, {flags.seed, extensions.functions});
  const ConfigCheck result = check(file);
  if (flags.format == Format::kJson) {
    nlohmann::ordered_json json;
    for (const auto& [name, value] : result.facts) json["facts"][name] = value;
    json["warnings"] = result.warnings;
    std::cout << json.dump(2) << "\n";
    return;
  }
  if (flags.format == Format::kTable) std::cout << table_text(result.facts);
  if (flags.format == Format::kCsv) {
    for (const auto& [name, value] : result.facts) {
      std::cout << csv_field(name) << "," << csv_field(value) << "\n";
    }
  }
  std::cout << std::flush;
  for (const std::string& note : file.notes) tell(flags, "note: " + note);
  for (const std::string& warning : result.warnings) tell(flags, "warning: " + warning);
  tell(flags, result.warnings.empty() ? "no warnings"
                                      : fmt::format("{} warnings", result.warnings.size()));
}

void print_list(Format format, const Extensions& extensions) {
  std::vector<std::array<std::string, 3>> lines;
  for (const harness::Algorithm& algorithm : all_algorithms(extensions)) {
    lines.push_back({"algorithm", algorithm.key, algorithm.description});
  }
  for (const problems::ProblemInfo& info : problems::problem_list()) {
    lines.push_back({"function", std::string(info.name), std::string(info.description)});
  }
  for (const OwnFunction& own : extensions.functions) {
    lines.push_back({"function", own.name, own.description});
  }
  if (format == Format::kJson) {
    auto json = nlohmann::ordered_json::array();
    for (const auto& [kind, name, text] : lines) {
      json.push_back({{"kind", kind}, {"name", name}, {"description", text}});
    }
    std::cout << json.dump(2) << "\n";
    return;
  }
  if (format == Format::kCsv) std::cout << "kind,name,description\n";
  for (const auto& [kind, name, text] : lines) {
    if (format == Format::kCsv) {
      fmt::print(std::cout, "{},{},{}\n", kind, csv_field(name), csv_field(text));
    } else {
      fmt::print(std::cout, "{:<11}{:<24}{}\n", kind, name, text);
    }
  }
}

void print_version(Format format) {
  if (format == Format::kJson) {
    nlohmann::ordered_json json;
    for (const auto& [name, value] : build_facts()) json[name] = value;
    std::cout << json.dump(2) << "\n";
    return;
  }
  fmt::print(std::cout, "duets {}\n", version());
  for (const auto& [name, value] : build_facts()) {
    if (name != "version") fmt::print(std::cout, "{:<14}{}\n", name, value);
  }
}

}  // namespace duets::cli
