#include "duets/cli/report_command.h"

#include <algorithm>
#include <iostream>
#include <map>
#include <tuple>

#include "duets/base/error.h"
#include "duets/cli/export_files.h"
#include "duets/cli/export_tables.h"
#include "duets/cli/export_trials.h"
#include "duets/cli/file_io.h"
#include "duets/cli/summary.h"
#include "duets/harness/threads.h"
#include "duets/service/answer_journal.h"
#include "duets/service/secret.h"
#include "duets/service/study_journal.h"

namespace duets::cli {
namespace {

namespace fs = std::filesystem;
using service::JournalTrial;

ReportSource exported_source(const fs::path& path) {
  const bool is_directory = fs::is_directory(path);
  ReportSource source;
  source.study = read_journal(read_whole_file(is_directory ? path / kJournalFile : path));
  const fs::path table = path / kTrialsFile;
  if (is_directory && fs::exists(table)) {
    source.trials = parse_trials(read_whole_file(table), *source.study.definition.study);
  }
  return source;
}

auto place(const JournalTrial& trial) {
  return std::tuple(trial.query.epoch, trial.query.agent, trial.query.slot);
}

// If both have a trial, the journal has more than the table.
void add_journals(const std::vector<std::string>& given, ReportSource& source) {
  std::map<decltype(place(JournalTrial{})), JournalTrial> all;
  for (JournalTrial& trial : merged_trials(find_given_journals(given), source.study)) {
    all.emplace(place(trial), std::move(trial));
  }
  for (JournalTrial& trial : source.trials) all.emplace(place(trial), std::move(trial));
  source.trials.clear();
  for (auto& [key, trial] : all) source.trials.push_back(std::move(trial));
}

// The rule that the rows follow, if there is one.
std::optional<TrialRows> rule_for(const std::vector<TrialRow>& rows, const StudyExport& exported) {
  if (rows.empty()) return TrialRows{"none", {0}};
  const protocol::Study& study = *exported.definition.study;
  std::uint64_t queries = std::uint64_t{study.agents} * protocol::num_queries_each(study);
  const std::vector<std::uint32_t> lengths = protocol::lengths(study);
  const protocol::RunSummary summary = protocol::summarise(study, exported.records);
  for (const auto& [epoch, away] : summary.participation()) {
    queries -= away.excluded.size() * lengths[epoch - 1];
  }
  if (rows.size() == queries) return TrialRows{};
  return std::nullopt;
}

}  // namespace

ReportSource source_at(const fs::path& path, const std::string& study) {
  if (fs::is_regular_file(path) || fs::exists(path / kJournalFile)) {
    base::require(study.empty(), "--study", study, "an export has one study");
    return exported_source(path);
  }
  base::require(
      fs::exists(service::store_path(path)), "path", path.string(),
      "has neither an export nor studies: give the output of `duets study export`, or the "
      "storage directory of a coordinator");
  ReportSource source = stored_source(path, study);
  const fs::path answers = service::answers_path(path);
  if (fs::exists(answers)) source.trials = service::read_agent_journal(answers).trials;
  return source;
}

ReportSource stored_source(const fs::path& storage, const std::string& name) {
  ReportSource source;
  source.study = open_source({{}, storage.string()}, {})->exported(name);
  source.secret =
      service::load_secret(service::secret_path(storage, source.study.definition.study->name));
  return source;
}

harness::RunResult write_results(const ReportSource& source, const fs::path& output, bool overwrite,
                                 const Extensions& extensions) {
  const StudyFile& file = *source.study.definition.file;
  const harness::ThreadExecutor executor(harness::default_threads());
  harness::RecordedResult result =
      result_of(source.study, extensions.functions, source.secret, executor);
  std::vector<TrialRow> rows = trial_rows(source.trials, source.study, result.regrets);
  std::sort(rows.begin(), rows.end(), [](const TrialRow& a, const TrialRow& b) {
    return std::tuple(a.trial.epoch, a.trial.agent, a.trial.slot) <
           std::tuple(b.trial.epoch, b.trial.agent, b.trial.slot);
  });
  ResultDirectory results(output, overwrite, file);
  for (const TrialRow& row : rows) results.trial(row.trial, row.state);
  results.commit(result.run, rule_for(rows, source.study), harness::default_threads());
  return std::move(result.run);
}

void report_study(const ReportFlags& flags, const Extensions& extensions) {
  ReportSource source = source_at(flags.path, flags.study);
  if (!flags.secret.empty()) source.secret = service::load_secret(flags.secret);
  add_journals(flags.trials, source);
  const std::string& name = source.study.definition.study->name;
  const std::string output = flags.output.empty() ? "results/" + name : flags.output;
  const harness::RunResult result = write_results(source, output, flags.overwrite, extensions);
  std::cout << run_summary(result, flags.format, output);
}

void add_report(CLI::App& app, Chosen& chosen, const Extensions& extensions) {
  const auto flags = std::make_shared<ReportFlags>();
  CLI::App* command =
      app.add_subcommand("report", "Write tables, figures and a report page of a deployed study");
  command
      ->add_option("path", flags->path,
                   "Output of `duets study export`, or the storage directory of a coordinator")
      ->required()
      ->option_text("PATH");
  add_text(*command, "--study", flags->study,
           "Study in a storage directory (default: the only one)", "NAME");
  add_text(*command, "--secret", flags->secret,
           "The study's secret file, which gives the queried points (default: the storage's)",
           "FILE");
  command->add_option("--trials", flags->trials, "Agents' journals for trials.csv")
      ->option_text("JOURNAL...");
  add_text(*command, "-o,--output", flags->output, "Directory (default results/<study>)", "DIR");
  command->add_flag("--overwrite", flags->overwrite, "Replace an earlier result directory");
  add_format(*command, flags->format);
  command->callback([flags, &chosen, &extensions] {
    chosen = [flags, &extensions] { report_study(*flags, extensions); };
  });
}

}  // namespace duets::cli
