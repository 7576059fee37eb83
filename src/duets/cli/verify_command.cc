#include "duets/cli/verify_command.h"

#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <map>

#include "duets/base/error.h"
#include "duets/cli/exit_code.h"
#include "duets/cli/export_tables.h"
#include "duets/cli/export_trials.h"
#include "duets/cli/print_to.h"
#include "duets/harness/threads.h"
#include "duets/service/secret.h"

namespace duets::cli {
namespace {

namespace fs = std::filesystem;

using service::JournalTrial;

std::vector<JournalTrial> load_journals(const std::vector<std::string>& given,
                                        const StudyExport& study) {
  std::vector<JournalTrial> trials;
  for (const GivenJournal& journal : find_given_journals(given)) {
    const service::JournalContents contents = service::read_agent_journal(journal.path);
    const bool ours = protocol::has_digest(*study.definition.study, contents.study_digest);
    base::require(ours || !journal.named, "--trials", journal.path.string(),
                  "is a journal of another study");
    if (!ours) continue;
    require_same_run(*study.definition.study, contents, journal.path, study.records);
    trials.insert(trials.end(), contents.trials.begin(), contents.trials.end());
  }
  return trials;
}

std::vector<protocol::Answer> answers_of(const std::vector<JournalTrial>& trials,
                                         const study::Objective& objective) {
  std::vector<protocol::Answer> answers;
  for (const JournalTrial& trial : trials) {
    protocol::Answer answer{base::AgentId{trial.query.agent}, base::EpochId{trial.query.epoch},
                            trial.query.slot, std::nullopt, trial.query.values};
    // An agent sends a hole for a value that no model can use.
    const bool hole =
        trial.kind == JournalTrial::Kind::kHole || !objective.objection_to(trial.value).empty();
    if (!hole) answer.reward = objective.reward(trial.value);
    answers.push_back(std::move(answer));
  }
  return answers;
}

/// `duets verify` in steps. A step that finds an error reports it in a verdict or a finding.
class Verify {
 public:
  Verify(const VerifyFlags& flags, const Extensions& extensions)
      : flags_(flags), extensions_(extensions), check_(flags.path) {
    base::require(fs::is_regular_file(flags.secret), "--secret", flags.secret, "no such file");
    secret_ = service::load_secret(flags.secret);
  }

  void run() {
    if (check_.text(kJournalFile) != nullptr) check_journal();
    std::cout << findings_text(result_, check_.verdicts(), flags_.format);
    if (!result_.ok() || num_wrong(check_.verdicts()) > 0) {
      throw CodedError(ExitCode::kDiverged,
                       flags_.path + ": " + wrong_text(result_, check_.verdicts()));
    }
    print_to(stderr, "{}", verified_text(result_, check_.verdicts()));
  }

 private:
  void check_journal() {
    std::optional<StudyExport> study;
    try {
      study = read_journal(*check_.text(kJournalFile));
      check_.compare(tables_of(*study, extensions_.functions, best_values_of(*study, *secret_)));
    } catch (const base::Error& error) {
      check_.set_wrong(kJournalFile, error.what());
      return;
    }
    compute_again(*study);
  }

  void compute_again(const StudyExport& study) {
    std::vector<JournalTrial> answered = load_journals(flags_.trials, study);
    const std::vector<JournalTrial> listed = load_table(study);
    add_trials(listed, answered);
    const harness::ThreadExecutor executor(harness::default_threads());
    result_ = protocol::verify(study.definition.study, *secret_, study.records, executor,
                               answers_of(answered, study.definition.objective()));
    judge_journal(result_, answered.size(), check_);
    if (check_.text(kTrialsFile) != nullptr) judge_trials(listed, result_, check_);
  }

  std::vector<JournalTrial> load_table(const StudyExport& study) {
    const std::string* text = check_.text(kTrialsFile);
    if (text == nullptr) return {};
    try {
      std::vector<JournalTrial> trials = parse_trials(*text, *study.definition.study);
      check_.compare_trials(trials_csv(trials, study));
      return trials;
    } catch (const base::Error& error) {
      check_.set_wrong(kTrialsFile, error.what());
      return {};
    }
  }

  // For an excluded agent the table has neither that a point was infeasible nor why.
  static bool shows_same(const JournalTrial& a, const JournalTrial& b) {
    const bool hole = a.kind == JournalTrial::Kind::kHole;
    return hole == (b.kind == JournalTrial::Kind::kHole) && (hole || a.value == b.value);
  }

  // Adds the trials of trials.csv that no journal has; if both have one, they must be equal.
  void add_trials(const std::vector<JournalTrial>& listed, std::vector<JournalTrial>& answered) {
    std::map<std::string, JournalTrial> known;
    for (const JournalTrial& trial : answered) known.emplace(trial_name(trial.query), trial);
    for (const JournalTrial& trial : listed) {
      const auto found = known.find(trial_name(trial.query));
      if (found == known.end()) {
        answered.push_back(trial);
      } else if (!shows_same(found->second, trial)) {
        check_.set_wrong(kTrialsFile, fmt::format("has another answer to trial {} than the journal "
                                                  "of its agent",
                                                  found->first));
      }
    }
  }

  const VerifyFlags& flags_;
  const Extensions& extensions_;
  ExportCheck check_;
  std::optional<random::StudySecret> secret_;
  protocol::Verification result_;
};

}  // namespace

void verify_study(const VerifyFlags& flags, const Extensions& extensions) {
  Verify(flags, extensions).run();
}

void add_verify(CLI::App& app, Chosen& chosen, const Extensions& extensions) {
  const auto flags = std::make_shared<VerifyFlags>();
  CLI::App* command =
      app.add_subcommand("verify", "Verify an exported study by computing it again");
  command->add_option("path", flags->path, "Output of `duets study export`")
      ->required()
      ->option_text("PATH");
  add_text(*command, "--secret", flags->secret, "The study's secret file", "FILE")->required();
  command->add_option("--trials", flags->trials, "Agents' journals, to check uploads too")
      ->option_text("JOURNAL...");
  add_format(*command, flags->format);
  command->callback([flags, &chosen, &extensions] {
    chosen = [flags, &extensions] { verify_study(*flags, extensions); };
  });
}

}  // namespace duets::cli
