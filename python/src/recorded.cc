#include "recorded.h"

#include <algorithm>
#include <tuple>

#include "duets/base/error.h"
#include "duets/cli/export_tables.h"
#include "duets/cli/export_trials.h"
#include "duets/cli/run_manifest.h"
#include "duets/cli/summary.h"
#include "duets/harness/threads.h"

namespace duets::python {
namespace {

std::string trials_text(const cli::ReportSource& source, const harness::Regrets& regrets) {
  std::vector<cli::TrialRow> rows = cli::trial_rows(source.trials, source.study, regrets);
  std::ranges::sort(rows, {}, [](const cli::TrialRow& row) {
    return std::tuple(row.trial.epoch, row.trial.agent, row.trial.slot);
  });
  const harness::TrialTable table(*source.study.definition.study->domain);
  std::string text = table.head();
  for (const cli::TrialRow& row : rows) table.append(text, row.trial, row.state);
  return text;
}

}  // namespace

Recorded::Recorded(cli::ReportSource source)
    : source_(std::move(source)), definition_(source_->study.definition) {
  const harness::ThreadExecutor executor(harness::default_threads());
  harness::RecordedResult result = cli::result_of(source_->study, {}, source_->secret, executor);
  trials_ = trials_text(*source_, result.regrets);
  run_ = std::move(result.run);
}

Recorded::Recorded(service::Definition definition, harness::RunResult run, std::string trials)
    : definition_(std::move(definition)), run_(std::move(run)), trials_(std::move(trials)) {}

std::string Recorded::text(const std::string& name) {
  const std::lock_guard lock(mutex_);
  if (name == "summary.json") return cli::summary_json(run_);
  if (name == "manifest.json") return cli::manifest_json(run_, harness::default_threads());
  if (name == "study.toml") return definition_.toml;
  if (name == "trials.csv") return trials_;
  if (name == "epochs.csv") return report::to_csv(harness::epochs_table(run_));
  if (name == "communication.csv") return report::to_csv(harness::communication_table(run_));
  // Figures and the page take longer than all of these.
  if (!files_) files_ = cli::result_files(run_);
  const auto found = files_->find(name);
  return found == files_->end() ? "" : found->second;
}

void Recorded::write(const std::string& directory, bool overwrite) const {
  base::require(source_.has_value(), "result", definition_.study->name,
                "is of a simulation; write one with `duets run`");
  cli::write_results(*source_, directory, overwrite, {});
}

}  // namespace duets::python
