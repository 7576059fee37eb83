#include "duets/storage/sqlite/opening.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <new>
#include <string>

#include "duets/storage/files.h"
#include "duets/storage/sqlite/check.h"
#include "duets/storage/sqlite/schema.h"

namespace duets::storage::sqlite {
namespace {

using Path = std::filesystem::path;
using Mode = Connection::Mode;

// A caller of append can try again: it need not wait long for another program.
constexpr int kAppendMilliseconds = 1000;

[[noreturn]] void unwritable(const Path& file, int error) {
  throw StorageError(StorageError::Cause::kUnwritable,
                     fmt::format("{}: {} (free some disk space, or check its permissions and "
                                 "health)",
                                 file.string(), std::strerror(error)));
}

[[noreturn]] void damaged(const Path& file, const std::string& what) {
  throw StorageError(StorageError::Cause::kDamaged, fmt::format("{}: {}", file.string(), what));
}

Path beside(const Path& file, const char* ending) { return file.string() + ending; }

bool has_bytes(const Path& file) {
  std::error_code error;
  const auto size = std::filesystem::file_size(file, error);
  return !error && size > 0;
}

// The note outlives the file: entries that were promised to be durable are not silently dropped.
[[noreturn]] void lost(const Path& file, const char* what, std::uint64_t commits) {
  damaged(file, fmt::format("is {} although {} commits were made; restore it, or remove {} to "
                            "start over",
                            what, commits, lock_path(file).string()));
}

// Checks that need no reading. The file must not be opened here: closing it would release the locks
// that SQLite holds on it for another Store of this process.
void check_file(const Path& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) damaged(file, "is not a regular file");
  if (has_bytes(file)) return;
  if (const std::uint64_t commits = noted_commits(file); commits > 0) lost(file, "empty", commits);
  damaged(file, "is empty, and a store never is; restore it, or remove it to start over");
}

// Creates the whole store under a temporary name and then renames it: a crash leaves either no
// store or a valid one. The lock excludes other writers.
void make_store(const Path& file) {
  if (has_bytes(beside(file, "-wal"))) {
    damaged(file, "is missing, but its -wal exists; restore the file, or remove the -wal as well");
  }
  const Path fresh = beside(file, "-new");
  for (const char* ending : {"", "-wal", "-shm", "-journal"}) {
    unlink(beside(fresh, ending).c_str());
  }
  {
    // SQLite would make it readable by all; the -wal and -shm get the permissions of the file.
    const Descriptor fd(::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!fd.ok()) unwritable(fresh, errno);
  }
  {
    Connection connection(fresh, Mode::kReadWrite);
    connection.execute("PRAGMA synchronous = FULL");
    connection.text("PRAGMA journal_mode = WAL");
    Transaction transaction(connection, Transaction::Kind::kWrite);
    migrate(connection, schema_steps());
    transaction.commit();
    // Everything must be in the file itself before the rename: the -wal keeps the old name.
    connection.text("PRAGMA wal_checkpoint(TRUNCATE)");
  }
  if (has_bytes(beside(fresh, "-wal"))) unwritable(fresh, EIO);
  if (rename(fresh.c_str(), file.c_str()) != 0) unwritable(file, errno);
  if (const int error = sync_directory(directory_of(file)); error != 0) unwritable(file, error);
}

// Returns the version of the file. The note is older than the state that is read here, so an active
// writer cannot make it look as if commits were missing.
int check_all(Connection& connection, std::uint64_t noted) {
  const Transaction transaction(connection, Transaction::Kind::kRead);
  const int version = schema_version(connection, schema_steps());
  check_pages(connection);
  // The contents of older tables are checked after their migration, before the commit.
  if (version == static_cast<int>(schema_steps().size())) check_contents(connection, noted);
  return version;
}

// On a read-only disk the files that readers share with a writer cannot be created. Then there is
// no writer either, and without a -wal the file alone is the store.
std::unique_ptr<Connection> open_for_reading(const Path& file) {
  auto connection = std::make_unique<Connection>(file, Mode::kReadOnly);
  const int code =
      sqlite3_exec(connection->get(), "PRAGMA schema_version", nullptr, nullptr, nullptr);
  if (Connection::is_disk_failure(code) && !has_bytes(beside(file, "-wal"))) {
    return std::make_unique<Connection>(file, Mode::kImmutable);
  }
  connection->check(code);
  return connection;
}

Opened open_reader(const Path& file) {
  std::error_code error;
  if (!std::filesystem::exists(file, error)) {
    base::refuse("store", file.string(), error ? error.message() : "does not exist");
  }
  check_file(file);
  const std::uint64_t noted = noted_commits(file);
  Opened opened{nullptr, open_for_reading(file)};
  const int version = check_all(*opened.connection, noted);
  if (version < static_cast<int>(schema_steps().size())) {
    throw StorageError(StorageError::Cause::kVersion,
                       fmt::format("{}: has format version {}; open it once with the program that "
                                   "writes it, which updates it",
                                   file.string(), version));
  }
  return opened;
}

Opened open_writer(const Path& file) {
  if (const int failed = make_private_directory(directory_of(file)); failed != 0) {
    unwritable(directory_of(file), failed);
  }
  Opened opened{std::make_unique<WriterLock>(file), nullptr};
  std::error_code error;
  if (!std::filesystem::exists(file, error)) {
    const std::uint64_t commits = noted_commits(file);
    if (commits > 0) lost(file, "missing", commits);
    make_store(file);
  }
  check_file(file);
  const std::uint64_t noted = noted_commits(file);
  {
    Connection reader(file, Mode::kReadOnly);
    check_all(reader, noted);
  }
  opened.connection = std::make_unique<Connection>(file, Mode::kReadWrite);
  Connection& connection = *opened.connection;
  connection.execute("PRAGMA synchronous = FULL");
  if (connection.text("PRAGMA journal_mode = WAL") != "wal") unwritable(file, EROFS);
  if (schema_version(connection, schema_steps()) < static_cast<int>(schema_steps().size())) {
    Transaction transaction(connection, Transaction::Kind::kWrite);
    migrate(connection, schema_steps());
    check_contents(connection, noted);
    transaction.commit();
  }
  opened.lock->note_commits(
      static_cast<std::uint64_t>(connection.number("SELECT commits FROM store")));
  sqlite3_busy_timeout(connection.get(), kAppendMilliseconds);
  return opened;
}

}  // namespace

Opened open_database(const Path& file, Access access) {
  // Two names of one file must use the same lock.
  std::error_code error;
  const Path absolute = std::filesystem::absolute(file);
  const Path real = std::filesystem::weakly_canonical(absolute, error);
  const Path& found = error ? absolute : real;
  try {
    return access == Access::kWrite ? open_writer(found) : open_reader(found);
  } catch (const std::bad_alloc&) {
    // SQLite's answer to some damaged schemas, however much memory there is.
    damaged(
        found,
        "cannot be read: SQLite runs out of memory. If there is memory left, the file is damaged: "
        "restore a copy of it");
  }
}

}  // namespace duets::storage::sqlite
