#include "duets/cli/export_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "duets/base/error.h"
#include "duets/cli/shell_line.h"
#include "duets/cli/study_simulation.h"
#include "duets/protocol/found.h"

namespace duets::cli {
namespace {

namespace fs = std::filesystem;
using service::JournalTrial;
using Kind = JournalTrial::Kind;

using TrialKey = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // agent, epoch, slot

struct FoundTrial {
  JournalTrial trial;
  fs::path file;
};

void merge(const service::JournalContents& contents, const fs::path& file,
           std::map<TrialKey, FoundTrial>& trials) {
  for (const JournalTrial& trial : contents.trials) {
    const TrialKey key{trial.query.agent, trial.query.epoch, trial.query.slot};
    const auto [place, fresh] = trials.try_emplace(key, FoundTrial{trial, file});
    if (fresh || same_answer(place->second.trial, trial)) continue;
    throw base::Error(
        base::ErrorKind::kInvalid,
        fmt::format("trial {}: {} and {} have different answers", service::trial_name(trial.query),
                    place->second.file.string(), file.string()));
  }
}

// False for a journal that just happens to be in the same directory.
bool belongs(const service::JournalContents& contents, const GivenJournal& journal,
             const protocol::Study& study) {
  const bool same_name = contents.study == study.name;
  if (!journal.named && !same_name) return false;
  const bool never_joined = contents.study_digest == base::Digest{};
  base::require(same_name && (never_joined || protocol::has_digest(study, contents.study_digest)),
                "--trials", journal.path.string(),
                fmt::format("is a journal of another study ({}, digest {})", contents.study,
                            base::to_hex(contents.study_digest)));
  return true;
}

std::vector<base::Bytes> broadcasts_of(const protocol::Study& study,
                                       const std::vector<base::Bytes>& records) {
  std::vector<base::Bytes> broadcasts;
  for (const base::Bytes& bytes : records) {
    const protocol::Record record = protocol::decode_record(bytes);
    for (const protocol::Message& message : protocol::broadcasts(study, record)) {
      broadcasts.push_back(protocol::encode(message));
    }
  }
  return broadcasts;
}

}  // namespace

harness::RecordedResult result_of(const StudyExport& exported,
                                  std::span<const OwnFunction> functions,
                                  const std::optional<random::StudySecret>& secret,
                                  const base::Executor& executor) {
  const service::Definition& definition = exported.definition;
  const StudyFile& file = *definition.file;
  harness::RecordedRun run{definition.study, definition.objective(), exported.records, secret,
                           std::nullopt};
  if (!file.objective.builtin.empty()) run.truth = simulation_of(file, functions);
  harness::RecordedResult result = harness::result_of(run, executor);
  // Without either, every agent has brought its own program.
  result.run.objective = run.truth                        ? run.truth->problem->name()
                         : file.objective.command.empty() ? "a program"
                                                          : shell_line(file.objective.command);
  result.run.seed = file.seed;
  return result;
}

std::vector<double> best_values_of(const StudyExport& study, const random::StudySecret& secret) {
  try {
    const service::Definition& definition = study.definition;
    const auto best = protocol::best_trial_of(definition.study, definition.objective(),
                                              study.records, secret, base::SerialExecutor());
    return best ? best->values : std::vector<double>{};
  } catch (const base::Error&) {
    return {};
  }
}

bool same_answer(const JournalTrial& a, const JournalTrial& b) {
  return a.kind == b.kind && (a.kind == Kind::kHole || a.value == b.value);
}

std::vector<GivenJournal> find_given_journals(const std::vector<std::string>& given) {
  std::vector<GivenJournal> journals;
  for (const std::string& word : given) {
    base::require(fs::exists(word), "--trials", word, "does not exist");
    if (!fs::is_directory(word)) {
      journals.push_back({word, true});
      continue;
    }
    std::vector<fs::path> inside;
    for (const fs::directory_entry& entry : fs::directory_iterator(word)) {
      if (entry.path().extension() == ".db") inside.push_back(entry.path());
    }
    std::sort(inside.begin(), inside.end());
    for (const fs::path& path : inside) journals.push_back({path, false});
  }
  return journals;
}

void require_same_run(const protocol::Study& study, const service::JournalContents& contents,
                      const fs::path& journal, const std::vector<base::Bytes>& records) {
  const std::vector<base::Bytes> sent = broadcasts_of(study, records);
  // A running study may have continued since its records were read.
  const std::size_t both = std::min(sent.size(), contents.broadcasts.size());
  if (std::equal(sent.begin(), sent.begin() + static_cast<std::ptrdiff_t>(both),
                 contents.broadcasts.begin())) {
    return;
  }
  throw base::Error(
      base::ErrorKind::kDiverged,
      fmt::format("{}: the journal of agent {} belongs to another run of study {}: its "
                  "broadcasts differ from the records; leave it out of --trials",
                  journal.string(), contents.agent, contents.study));
}

std::vector<JournalTrial> merged_trials(const std::vector<GivenJournal>& journals,
                                        const StudyExport& study) {
  std::map<TrialKey, FoundTrial> trials;
  for (const GivenJournal& journal : journals) {
    const service::JournalContents contents = service::read_agent_journal(journal.path);
    if (!belongs(contents, journal, *study.definition.study)) continue;
    require_same_run(*study.definition.study, contents, journal.path, study.records);
    merge(contents, journal.path, trials);
  }
  std::vector<JournalTrial> sorted;
  sorted.reserve(trials.size());
  for (auto& [key, found] : trials) sorted.push_back(std::move(found.trial));
  return sorted;
}

}  // namespace duets::cli
