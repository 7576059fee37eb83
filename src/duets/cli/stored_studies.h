// The studies of a storage directory, without a coordinator.
#pragma once

#include <filesystem>
#include <memory>

#include "duets/cli/study_source.h"

namespace duets::cli {

/// Reads beside a running coordinator. What changes a study throws kStorage, with a hint to use
/// --server, when one runs. kInvalid when the directory holds no store.
std::unique_ptr<StudySource> open_storage(const std::filesystem::path& directory);

}  // namespace duets::cli
