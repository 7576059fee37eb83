#include "duets/cli/verify_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "duets/base/error.h"
#include "duets/cli/exit_code.h"
#include "duets/cli/export_tables.h"
#include "duets/cli/file_io.h"
#include "duets/harness/threads.h"
#include "duets/service/agent_session.h"
#include "duets/service/export_file.h"
#include "duets/service/secret.h"

namespace duets::cli {
namespace {

namespace fs = std::filesystem;

fs::path journal_file(const std::string& path) {
  base::require(fs::exists(path), "path", path,
                "no such directory or file: name what `duets study export` wrote");
  if (!fs::is_directory(path)) return path;
  fs::path file = fs::path(path) / "journal.bin";
  base::require(fs::exists(file), "path", path,
                "holds no journal.bin: name a directory that `duets study export` wrote");
  return file;
}

service::ExportedStudy load_export(const fs::path& file) {
  const std::string text = read_whole_file(file);
  const base::Bytes bytes(text.begin(), text.end());
  try {
    return service::decode_export(bytes);
  } catch (const base::Error& error) {
    throw CodedError(ExitCode::kStorage, fmt::format("{}: {}", file.string(), error.what()));
  }
}

std::vector<protocol::Answer> load_answers(const std::vector<std::string>& given,
                                           const service::ExportedStudy& study) {
  const service::Definition& definition = study.definition;
  using Kind = service::JournalTrial::Kind;
  std::vector<protocol::Answer> answers;
  for (const GivenJournal& journal : find_given_journals(given)) {
    const service::JournalContents contents = service::read_agent_journal(journal.path);
    const bool ours = contents.study_digest == protocol::study_digest(*definition.study);
    base::require(ours || !journal.named, "--trials", journal.path.string(),
                  "is a journal of another study");
    if (!ours) continue;
    require_same_run(contents, journal.path, study.records);
    for (const service::JournalTrial& trial : contents.trials) {
      protocol::Answer answer{base::AgentId{contents.agent}, base::EpochId{trial.query.epoch},
                              trial.query.slot, std::nullopt};
      if (trial.kind != Kind::kHole) answer.reward = definition.objective.reward(trial.value);
      answers.push_back(answer);
    }
  }
  return answers;
}

protocol::Verification verified(const service::ExportedStudy& study, const fs::path& file,
                                const random::StudySecret& secret,
                                const std::vector<protocol::Answer>& answers) {
  const harness::ThreadExecutor executor(harness::default_threads());
  try {
    return protocol::verify(study.definition.study, secret, study.records, executor, answers);
  } catch (const base::Error& error) {
    if (error.kind() != base::ErrorKind::kDecode) throw;
    throw CodedError(ExitCode::kStorage, fmt::format("{}: {}", file.string(), error.what()));
  }
}

}  // namespace

void verify_study(const VerifyFlags& flags) {
  const fs::path file = journal_file(flags.path);
  const service::ExportedStudy study = load_export(file);
  base::require(fs::is_regular_file(flags.secret), "--secret", flags.secret, "no such file");
  const random::StudySecret secret = service::load_secret(flags.secret);
  const std::vector<protocol::Answer> answers = load_answers(flags.trials, study);
  const protocol::Verification result = verified(study, file, secret, answers);
  std::cout << findings_text(result, flags.format);
  if (result.ok()) {
    fmt::print(stderr, "{}", verified_text(result, answers.size()));
    return;
  }
  const auto first = std::find_if(result.findings.begin(), result.findings.end(),
                                  [](const protocol::Finding& f) { return !f.ok; });
  const auto wrong = std::count_if(result.findings.begin(), result.findings.end(),
                                   [](const protocol::Finding& f) { return !f.ok; });
  throw CodedError(
      ExitCode::kDiverged,
      fmt::format(
          "{}: {} of {} checks failed, the first in epoch {}: {}. Records that were changed "
          "or a secret of another study look like this",
          file.string(), wrong, result.findings.size(), base::value(first->epoch), first->what));
}

void add_verify(CLI::App& app, Chosen& chosen) {
  const auto flags = std::make_shared<VerifyFlags>();
  CLI::App* command = app.add_subcommand("verify", "Compute an exported study again");
  command->add_option("path", flags->path, "What `duets study export` wrote")
      ->required()
      ->option_text("PATH");
  add_text(*command, "--secret", flags->secret, "The study's secret file", "FILE")->required();
  command->add_option("--trials", flags->trials, "Agents' journals: uploads are checked too")
      ->option_text("JOURNAL...");
  add_format(*command, flags->format);
  command->callback([flags, &chosen] { chosen = [flags] { verify_study(*flags); }; });
}

}  // namespace duets::cli
