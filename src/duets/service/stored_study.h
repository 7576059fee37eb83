// A study read straight from a storage directory, without a server or beside one.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "duets/base/executor.h"
#include "duets/service/study_journal.h"
#include "duets/service/study_status.h"

namespace duets::service {

/// The names of the studies in a storage directory. Throws kStorage; kInvalid when there is none.
std::vector<std::string> stored_names(const std::filesystem::path& storage);

/// An empty name means the only one. kInvalid, naming those there are.
StoredStudy read_stored(const std::filesystem::path& storage, const std::string& name);

/// How it stands according to its records: who holds which agent is known, who is alive is not.
/// Reads the study's secret.
StudyStatus stored_status(const std::filesystem::path& storage, const std::string& name,
                          const base::Executor& executor);

/// Changes a study while no server runs: kStorage (locked) otherwise.
void stop_stored(const std::filesystem::path& storage, const std::string& name);
void delete_stored(const std::filesystem::path& storage, const std::string& name);

}  // namespace duets::service
