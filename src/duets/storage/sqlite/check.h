// Verifies that a store contains what was written to it.
#pragma once

#include <cstdint>

#include "duets/storage/sqlite/connection.h"

namespace duets::storage::sqlite {

/// SQLite's own check of pages and tables. Throws kDamaged.
void check_pages(Connection& connection);

/// Compares every journal, entry and fact with its checksum, and checks that there are at least
/// `noted_commits` commits. The tables must be those of the newest version. Call inside a
/// transaction. Throws kDamaged, naming the journal and entry where possible. O(bytes stored).
void check_contents(Connection& connection, std::uint64_t noted_commits);

}  // namespace duets::storage::sqlite
