// The result of a deployed study from its records, and the trials of its agents' journals.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "duets/cli/study_file.h"
#include "duets/cli/study_source.h"
#include "duets/harness/recorded_run.h"
#include "duets/service/agent_session.h"

namespace duets::cli {

/// Everything that is known about it (harness/recorded_run.h). `functions` are known
/// beside the built-in ones. Throws kDecode for damaged records.
harness::RecordedResult result_of(const StudyExport& study, std::span<const OwnFunction> functions,
                                  const std::optional<random::StudySecret>& secret,
                                  const base::Executor& executor);

/// The parameter values of the best trial; empty where there is none, or the records give none.
std::vector<double> best_values_of(const StudyExport& study, const random::StudySecret& secret);

/// The journals among files and directories: a directory stands for every "*.db" in it. kInvalid
/// for what does not exist.
struct GivenJournal {
  std::filesystem::path path;
  bool named = false;  ///< as a file: then it must belong to the study
};
std::vector<GivenJournal> find_given_journals(const std::vector<std::string>& given);

/// kDiverged, naming the journal, when what its agent was told is not what these records say was
/// sent: the same study with another secret has the same digest, and other points.
void require_same_run(const service::JournalContents& contents,
                      const std::filesystem::path& journal,
                      const std::vector<base::Bytes>& records);

/// Two answers to one query.
bool same_answer(const service::JournalTrial& a, const service::JournalTrial& b);

/// The trials of agents' journals, by agent, epoch and slot. A trial that two journals share stands
/// once; kInvalid, naming both, when they differ, and for a journal of another study; kDiverged for
/// one of another run.
std::vector<service::JournalTrial> merged_trials(const std::vector<GivenJournal>& journals,
                                                 const StudyExport& study);

}  // namespace duets::cli
