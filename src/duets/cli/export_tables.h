// Computes the result of a deployed study from its records, and merges its agents' journals.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "duets/cli/study_file.h"
#include "duets/cli/study_source.h"
#include "duets/harness/recorded_run.h"
#include "duets/service/agent_session.h"

namespace duets::cli {

/// The result, as far as it can be known (harness/recorded_run.h). `functions` are known in
/// addition to the built-in ones. Throws kDecode for damaged records.
harness::RecordedResult result_of(const StudyExport& study, std::span<const OwnFunction> functions,
                                  const std::optional<random::StudySecret>& secret,
                                  const base::Executor& executor);

/// The parameter values of the best trial; empty if there is none, or the records do not have them.
std::vector<double> best_values_of(const StudyExport& study, const random::StudySecret& secret);

/// The journals among files and directories: a directory means every "*.db" in it. kInvalid for a
/// path that does not exist.
struct GivenJournal {
  std::filesystem::path path;
  bool named = false;  ///< given as a file: it must belong to the study
};
std::vector<GivenJournal> find_given_journals(const std::vector<std::string>& given);

/// kDiverged, naming the journal, when its broadcasts are not those in these records: the same
/// study with another secret has the same digest, and other points.
void require_same_run(const protocol::Study& study, const service::JournalContents& contents,
                      const std::filesystem::path& journal,
                      const std::vector<base::Bytes>& records);

/// True when two trials have the same answer.
bool same_answer(const service::JournalTrial& a, const service::JournalTrial& b);

/// The trials of agents' journals, by agent, epoch and slot. A trial in two journals is listed
/// once; kInvalid, naming both, when they differ, and for a journal of another study; kDiverged for
/// one of another run.
std::vector<service::JournalTrial> merged_trials(const std::vector<GivenJournal>& journals,
                                                 const StudyExport& study);

}  // namespace duets::cli
