#include "duets/cli/run_place.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>

#include "duets/base/error.h"
#include "duets/cli/file_io.h"
#include "duets/cli/partial_directory.h"
#include "duets/cli/result_kind.h"
#include "duets/service/study_storage.h"
#include "duets/storage/store.h"

namespace duets::cli {
namespace {

namespace fs = std::filesystem;

// The files of a journal, and nothing else: no file of anyone else is removed.
bool holds_journal(const fs::path& directory) {
  constexpr std::array<std::string_view, 3> kNames{"duets.db", "answers.db", "secrets"};
  return fs::is_directory(directory) &&
         std::all_of(fs::directory_iterator(directory), fs::directory_iterator(),
                     [&](const fs::directory_entry& entry) {
                       const std::string name = entry.path().filename().string();
                       return std::ranges::any_of(kNames, [&](std::string_view known) {
                         return name == known ||
                                (known != "secrets" && name.starts_with(std::string(known) + "-"));
                       });
                     });
}

void remove_journal(const fs::path& journal) {
  if (!fs::exists(journal)) return;
  base::require(holds_journal(journal), "--overwrite", journal.string(),
                "is not the journal of a run, and is not removed");
  // Fails while another process runs the study.
  storage::open_store(service::store_path(journal), storage::Access::kWrite);
  std::error_code error;
  fs::remove_all(journal, error);
  if (error) fail_io("cannot remove", journal, error);
}

}  // namespace

RunPlace run_place(const std::string& output) {
  const fs::path given(output);
  const fs::path path = given.has_filename() ? given : given.parent_path();  // "out/" is "out"
  RunPlace place;
  place.output = path.string();
  place.journal = full_name(path).string() + ".journal";
  return place;
}

// With a journal the results are those of an earlier call, and are written again.
void prepare(const RunPlace& place, bool overwrite, const service::Definition& definition,
             const service::LocalOptions& options) {
  const bool continues = !overwrite && fs::exists(place.journal);
  require_free(place.output, {overwrite || continues ? holds_run : nullptr, holds_unfinished_run,
                              place.hint, place.field});
  if (!overwrite) return;
  service::require_new_study(definition, options);
  remove_journal(place.journal);
}

}  // namespace duets::cli
