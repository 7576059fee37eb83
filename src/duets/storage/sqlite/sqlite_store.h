// The engine of the product: a store as one SQLite file.
#pragma once

#include <filesystem>
#include <memory>

#include "duets/storage/store.h"

namespace duets::storage::sqlite {

/// WAL mode with full sync. Every entry is in a chain of checksums, all of which are compared
/// before anything is written. A missing directory is made for its owner only (0700). Beside the
/// file stands FILE-lock with the writer's process and the number of its commits, so that a cut or
/// lost FILE-wal and a lost FILE are noticed (kDamaged). To start anew, remove both.
std::unique_ptr<Store> open(const std::filesystem::path& file, Access access);

}  // namespace duets::storage::sqlite
