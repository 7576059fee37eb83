#include "duets/storage/sqlite/schema.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <vector>

#include "duets/storage/store.h"

namespace duets::storage::sqlite {
namespace {

constexpr std::int64_t kApplicationId = 0x44554554;  // "DUET"

// WITHOUT ROWID: one tree for the entries, in reading order. STRICT: SQLite's integrity check then
// also checks the types.
constexpr const char* kVersion1 = R"sql(
CREATE TABLE store (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  commits INTEGER NOT NULL
) STRICT;
CREATE TABLE journals (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  entries INTEGER NOT NULL,
  head BLOB NOT NULL,
  facts INTEGER NOT NULL
) STRICT;
CREATE TABLE entries (
  journal INTEGER NOT NULL,
  sequence INTEGER NOT NULL,
  chain BLOB NOT NULL,
  bytes BLOB NOT NULL,
  PRIMARY KEY (journal, sequence)
) STRICT, WITHOUT ROWID;
CREATE TABLE facts (
  journal INTEGER NOT NULL,
  key TEXT NOT NULL,
  checksum BLOB NOT NULL,
  value BLOB NOT NULL,
  PRIMARY KEY (journal, key)
) STRICT, WITHOUT ROWID;
INSERT INTO store VALUES (1, 0);
)sql";

constexpr std::array kSteps = {kVersion1};

// One line per table and index: its name and the statement that created it.
std::vector<std::string> tables_of(Connection& connection) {
  Statement statement(connection,
                      "SELECT type || ' ' || name || ' ' || tbl_name || ' ' || coalesce(sql, '') "
                      "FROM sqlite_schema ORDER BY type, name");
  Query query(statement);
  std::vector<std::string> tables;
  while (query.next()) tables.emplace_back(query.text(0));
  return tables;
}

std::vector<std::string> expected_tables(Steps steps) {
  Connection memory(":memory:", Connection::Mode::kMemory);
  for (const char* step : steps) memory.execute(step);
  return tables_of(memory);
}

}  // namespace

Steps schema_steps() { return kSteps; }

int schema_version(Connection& connection, Steps steps) {
  const std::string file = connection.file().string();
  if (connection.number("PRAGMA application_id") != kApplicationId) {
    throw StorageError(StorageError::Cause::kDamaged,
                       fmt::format("{}: a database, but not a store of this program", file));
  }
  const std::int64_t version = connection.number("PRAGMA user_version");
  const auto newest = static_cast<std::int64_t>(steps.size());
  if (version > newest) {
    throw StorageError(StorageError::Cause::kVersion,
                       fmt::format("{}: has format version {}, and this program reads versions up "
                                   "to {}; use a newer release",
                                   file, version, newest));
  }
  if (version < 1 ||
      tables_of(connection) != expected_tables(steps.first(static_cast<std::size_t>(version)))) {
    throw StorageError(StorageError::Cause::kDamaged,
                       fmt::format("{}: its tables are not those of version {}", file, version));
  }
  return static_cast<int>(version);
}

void migrate(Connection& connection, Steps steps) {
  const std::int64_t version = connection.number("PRAGMA user_version");
  for (const char* step : steps.subspan(static_cast<std::size_t>(version))) {
    connection.execute(step);
  }
  connection.execute(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}",
                                 kApplicationId, steps.size()));
}

}  // namespace duets::storage::sqlite
