// Is what a store holds what was written to it?
#pragma once

#include <cstdint>

#include "duets/storage/sqlite/connection.h"

namespace duets::storage::sqlite {

/// SQLite's own check of pages and tables. Throws kDamaged.
void check_pages(Connection& connection);

/// Every journal, entry and fact against its checksum, and that at least `noted_commits` commits
/// are there. The tables must be those of the newest version. Call inside a transaction. Throws
/// kDamaged, naming journal and entry where one is to blame. O(bytes stored).
void check_contents(Connection& connection, std::uint64_t noted_commits);

}  // namespace duets::storage::sqlite
