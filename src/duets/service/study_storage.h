// The studies of a storage directory: duets.db, and a secret for each study beside it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "duets/random/coin.h"
#include "duets/service/definition.h"
#include "duets/service/study_journal.h"
#include "duets/storage/store.h"

namespace duets::service {

/// Creates the directory if it is missing, for its owner only; returns it. StorageError
/// kUnwritable.
std::filesystem::path make_storage(const std::filesystem::path& storage);

/// Creates a study and its secret: `secret_text` (64 hexadecimal digits), or a new one if that is
/// empty. A secret without a study is left over from a crash between the two steps, or its study
/// was lost: it is used, and kInvalid when `secret_text` is another.
StudyJournal create_study(storage::Store& store, const std::filesystem::path& storage,
                          const Definition& definition, const std::string& secret_text);

/// The secret of a study that exists. StorageError kDamaged when it is missing.
random::StudySecret stored_secret(const std::filesystem::path& storage, const std::string& study);

/// What may differ between a stored study and the file that continues it.
struct StudyChanges {
  std::vector<std::string_view> allowed;  ///< fields: "coordinator.listen"
  std::string_view way_out;               ///< for the user, when something else differs
};

/// A study cannot be changed once it exists: agents rely on its definition. kInvalid naming the
/// fields that differ; `secret_text` is compared unless it is empty. `asked` may be the study as it
/// was before it was extended or ended early.
void require_same_study(const std::filesystem::path& storage, const Definition& stored,
                        const Definition& asked, const std::string& secret_text,
                        const StudyChanges& changes);

}  // namespace duets::service
