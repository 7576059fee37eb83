// The engine of the product: a store in one SQLite file.
#pragma once

#include <filesystem>
#include <memory>

#include "duets/storage/store.h"

namespace duets::storage::sqlite {

/// WAL mode with full sync. Every entry is in a chain of checksums, and all of them are compared
/// before anything is written. Creates a missing directory for the owner only (0700). The file
/// FILE-lock next to it has the writer's process and the number of its commits, so that a cut or
/// lost FILE-wal and a lost FILE are detected (kDamaged). To start over, remove both.
std::unique_ptr<Store> open(const std::filesystem::path& file, Access access);

}  // namespace duets::storage::sqlite
