#include "duets/storage/sqlite/check.h"

#include <fmt/format.h>

#include <string>

#include "duets/storage/sqlite/journals.h"
#include "duets/storage/sqlite/writer_lock.h"
#include "duets/storage/store.h"

namespace duets::storage::sqlite {
namespace {

[[noreturn]] void damaged(Connection& connection, const std::string& what) {
  throw StorageError(StorageError::Cause::kDamaged,
                     fmt::format("{}: {} (the file is damaged and was not changed; restore a copy "
                                 "of it)",
                                 connection.file().string(), what));
}

void check_commits(Connection& connection, std::uint64_t noted) {
  const std::int64_t commits = connection.number("SELECT commits FROM store");
  if (commits >= 0 && static_cast<std::uint64_t>(commits) >= noted) return;
  const std::string file = connection.file().string();
  throw StorageError(
      StorageError::Cause::kDamaged,
      fmt::format(
          "{}: the file has {} commits, but {} were made: its end is missing. Was {}-wal cut, "
          "changed or removed, or an older copy restored? Restore the newest {} and "
          "{}-wal; only if they are lost for good, remove {} to continue without them",
          file, commits, noted, file, file, file, lock_path(file).string()));
}

}  // namespace

void check_pages(Connection& connection) {
  const std::string answer = connection.text("PRAGMA integrity_check(1)");
  if (answer != "ok") damaged(connection, answer);
}

void check_contents(Connection& connection, std::uint64_t noted_commits) {
  Journals journals(connection);
  std::uint64_t num_entries = 0;
  std::uint64_t num_facts = 0;
  for (const std::string& name : journals.names()) {
    const Journal journal = journals.get(name);
    journals.check(journal);
    num_entries += journal.entries;
    num_facts += journal.facts;
  }
  if (static_cast<std::uint64_t>(connection.number("SELECT count(*) FROM entries")) !=
      num_entries) {
    damaged(connection, "there are entries that belong to no journal");
  }
  if (static_cast<std::uint64_t>(connection.number("SELECT count(*) FROM facts")) != num_facts) {
    damaged(connection, "there are facts that belong to no journal");
  }
  check_commits(connection, noted_commits);
}

}  // namespace duets::storage::sqlite
