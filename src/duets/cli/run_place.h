// Where a run on this machine puts its results and its journal.
#pragma once

#include <filesystem>
#include <string>

#include "duets/cli/partial_directory.h"
#include "duets/service/local_study.h"

namespace duets::cli {

struct RunPlace {
  std::string output;              ///< directory of the results, as given
  std::filesystem::path journal;   ///< "<output>.journal", beside it
  const char* field = "--output";  ///< of which errors speak
  const char* hint = PartialDirectory::Replaced{}.hint;
};

RunPlace run_place(const std::string& output);

/// To be called before anything is measured. kInvalid, naming the place, unless results can be
/// written there: beside a journal, or to overwrite, they may replace those of an earlier run.
/// With `overwrite` the journal is removed if a new study can begin (service::require_new_study());
/// kStorage while another process runs its study, kInvalid when the directory holds anything else.
void prepare(const RunPlace& place, bool overwrite, const service::Definition& definition,
             const service::LocalOptions& options);

}  // namespace duets::cli
