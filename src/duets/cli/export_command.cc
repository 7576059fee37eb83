#include "duets/cli/export_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "duets/cli/export_files.h"
#include "duets/cli/export_tables.h"
#include "duets/cli/export_trials.h"
#include "duets/cli/json_text.h"
#include "duets/cli/lines.h"
#include "duets/cli/partial_directory.h"
#include "duets/cli/result_kind.h"
#include "duets/service/export_file.h"

namespace duets::cli {
namespace {

// The agents' points are not exported, so the coordinator provides the point of the best trial.
std::vector<double> best_values(service::Operators& source, const protocol::Study& study) {
  const v1::StudyStatus status = source.status(study.name);
  std::vector<double> values;
  for (const v1::Param& param : status.best_trial().params()) {
    double value = param.has_integer() ? static_cast<double>(param.integer()) : param.number();
    if (param.has_choice()) {
      const auto& choices = study.domain->parameters()[values.size()].choices;
      value = static_cast<double>(std::ranges::find(choices, param.choice()) - choices.begin());
    }
    values.push_back(value);
  }
  return values;
}

}  // namespace

void export_study(const ExportFlags& flags, const Extensions& extensions) {
  Lines lines(flags.verbosity);
  const auto source = open_source(flags.source, lines.log());
  const StudyExport study = source->exported(flags.study);
  const std::string& name = study.definition.study->name;
  FileTexts files =
      tables_of(study, extensions.functions, best_values(*source, *study.definition.study));
  const base::Bytes journal = service::encode_export(study.definition, study.records);
  files.emplace(kJournalFile, std::string(journal.begin(), journal.end()));
  const std::string output = flags.output.empty() ? "results/" + name : flags.output;
  PartialDirectory directory(output,
                             {nullptr, holds_unfinished_export, "choose another directory"});
  if (!flags.trials.empty()) {
    const auto trials = merged_trials(find_given_journals(flags.trials), study);
    files.emplace(kTrialsFile, trials_csv(trials, study));
  }
  for (const auto& [file_name, text] : files) directory.write(file_name, text);
  directory.write(std::string(kDigestsFile), digests_text(files));
  directory.commit();
  lines.say(fmt::format("{} records of study {} are in {}", study.records.size(), name, output));
  if (flags.format != Format::kJson) return;
  std::cout << json_text({{"study", name},
                          {"records", study.records.size()},
                          {"results", output},
                          {"files", directory.files()}});
}

}  // namespace duets::cli
