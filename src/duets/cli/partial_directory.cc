#include "duets/cli/partial_directory.h"

#include <system_error>

#include "duets/base/error.h"
#include "duets/cli/file_io.h"
#include "duets/cli/result_kind.h"

namespace duets::cli {

namespace fs = std::filesystem;

void require_free(const fs::path& directory, const PartialDirectory::Replaced& replaced) {
  if (!fs::exists(directory) || holds_nothing(directory)) return;
  base::require(replaced.finished != nullptr, replaced.field, directory.string(),
                std::string("already exists; ") + replaced.hint);
  base::require(fs::is_directory(directory) && replaced.finished(directory), replaced.field,
                directory.string(), "is not the result of a run, and is not overwritten");
}

PartialDirectory::PartialDirectory(const fs::path& directory, Replaced replaced)
    : directory_(full_name(directory)),
      partial_(directory_.string() + ".partial"),
      replaced_(replaced) {
  require_free(directory_, replaced_);
  if (fs::exists(partial_)) {
    base::require(holds_nothing(partial_) || replaced_.cut_off(partial_), replaced_.field,
                  partial_.string(), "exists and has other contents; it is not removed");
    std::error_code error;
    fs::remove_all(partial_, error);
    if (error) fail_io("cannot remove", partial_, error);
  }
  make_directory(partial_);
}

PartialDirectory::~PartialDirectory() {
  if (committed_) return;
  std::error_code ignored;
  fs::remove_all(partial_, ignored);
}

void PartialDirectory::write(const std::string& name, std::string_view text) {
  const fs::path file = partial_ / name;
  make_directory(file.parent_path());
  write_whole_file(file, text);
  files_.push_back(name);
}

// The old directory is removed only when the new one has its name.
void PartialDirectory::commit() {
  require_free(directory_, replaced_);  // it may have been created in the meantime
  const fs::path earlier = partial_.string() + ".old";
  const bool replaces = fs::exists(directory_);
  std::error_code error, ignored;
  if (replaces) fs::rename(directory_, earlier, error);
  if (!error) fs::rename(partial_, directory_, error);
  if (error) {
    if (replaces) fs::rename(earlier, directory_, ignored);
    fail_io("cannot move the results to", directory_, error);
  }
  if (replaces) fs::remove_all(earlier, ignored);
  committed_ = true;
}

}  // namespace duets::cli
