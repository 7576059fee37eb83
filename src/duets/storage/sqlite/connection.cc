#include "duets/storage/sqlite/connection.h"

#include <fmt/format.h>

#include <new>

#include "duets/storage/store.h"

namespace duets::storage::sqlite {
namespace {

// Readers only wait for a writer that recovers or closes, which takes moments.
constexpr int kBusyMilliseconds = 10'000;

std::string immutable_uri(const std::filesystem::path& file) {
  std::string uri = "file:";
  for (const char c : file.string()) {
    if (c == '%' || c == '?' || c == '#') {
      uri += fmt::format("%{:02x}", static_cast<unsigned>(c));
    } else {
      uri += c;
    }
  }
  return uri + "?immutable=1";
}

int flags_of(Connection::Mode mode) {
  switch (mode) {
    case Connection::Mode::kReadOnly:
      return SQLITE_OPEN_READONLY;
    case Connection::Mode::kImmutable:
      return SQLITE_OPEN_READONLY | SQLITE_OPEN_URI;
    case Connection::Mode::kReadWrite:
      return SQLITE_OPEN_READWRITE;
    case Connection::Mode::kMemory:
      return SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY;
  }
  return SQLITE_OPEN_READONLY;
}

// Our writers exclude each other before SQLite is called (writer_lock.h): this is another program.
bool is_busy(int code) {
  const int primary = code & 0xff;
  return primary == SQLITE_BUSY || primary == SQLITE_LOCKED || primary == SQLITE_PROTOCOL;
}

}  // namespace

Connection::Connection(const std::filesystem::path& file, Mode mode) : file_(file) {
  const std::string name = mode == Mode::kImmutable ? immutable_uri(file) : file.string();
  sqlite3* database = nullptr;
  const int code =
      sqlite3_open_v2(name.c_str(), &database, flags_of(mode) | SQLITE_OPEN_NOMUTEX, nullptr);
  database_.reset(database);
  if (database == nullptr) throw std::bad_alloc();
  check(code);
  sqlite3_extended_result_codes(database, 1);
  sqlite3_busy_timeout(database, kBusyMilliseconds);
  // The file may come from anywhere until its tables are checked: nothing in it may be executed.
  sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  // Closing the last connection would move the -wal into the file, but a reader changes nothing.
  const bool reads = mode == Mode::kReadOnly || mode == Mode::kImmutable;
  if (reads) sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  execute("PRAGMA temp_store = MEMORY; PRAGMA cell_size_check = ON;");
}

void Connection::check(int code) const {
  if (code == SQLITE_OK) return;
  if ((code & 0xff) == SQLITE_NOMEM) throw std::bad_alloc();
  const std::string reason = sqlite3_errmsg(get());
  if ((code & 0xff) == SQLITE_TOOBIG) {
    throw base::Error(base::ErrorKind::kInvalid,
                      fmt::format("{}: an entry or fact is too large to store", file_.string()));
  }
  if (is_busy(code)) {
    throw StorageError(StorageError::Cause::kUnwritable,
                       fmt::format("{}: is locked by another program; close it (is a database "
                                   "shell or a backup running?)",
                                   file_.string()));
  }
  if (is_disk_failure(code)) {
    throw StorageError(StorageError::Cause::kUnwritable,
                       fmt::format("{}: {} (free some disk space, or check its permissions and "
                                   "health)",
                                   file_.string(), reason));
  }
  throw StorageError(StorageError::Cause::kDamaged,
                     fmt::format("{}: {} (the file is damaged and was not changed; restore a copy "
                                 "of it)",
                                 file_.string(), reason));
}

bool Connection::is_disk_failure(int code) {
  if (code == SQLITE_IOERR_CORRUPTFS) return false;
  switch (code & 0xff) {
    case SQLITE_FULL:
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_IOERR:
      return true;
    default:
      return false;
  }
}

void Connection::execute(const std::string& sql) {
  check(sqlite3_exec(get(), sql.c_str(), nullptr, nullptr, nullptr));
}

std::string Connection::text(const std::string& sql) {
  Statement statement(*this, sql);
  Query query(statement);
  return query.next() ? std::string(query.text(0)) : std::string();
}

std::int64_t Connection::number(const std::string& sql) {
  Statement statement(*this, sql);
  Query query(statement);
  return query.next() ? query.number(0) : 0;
}

Statement::Statement(Connection& connection, std::string_view sql) : connection_(&connection) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(connection.get(), sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  statement_.reset(statement);
  connection.check(code);
}

Query::~Query() {
  sqlite3_reset(statement_.statement_.get());
  sqlite3_clear_bindings(statement_.statement_.get());
}

Query& Query::bind(std::int64_t value) {
  statement_.connection_->check(sqlite3_bind_int64(statement_.statement_.get(), ++bound_, value));
  return *this;
}

Query& Query::bind(std::string_view value) {
  // A null pointer would mean NULL instead of the empty text.
  const char* data = value.empty() ? "" : value.data();
  statement_.connection_->check(sqlite3_bind_text64(statement_.statement_.get(), ++bound_, data,
                                                    value.size(), SQLITE_STATIC, SQLITE_UTF8));
  return *this;
}

Query& Query::bind(std::span<const std::uint8_t> value) {
  const void* data = value.empty() ? static_cast<const void*>("") : value.data();
  statement_.connection_->check(sqlite3_bind_blob64(statement_.statement_.get(), ++bound_, data,
                                                    value.size(), SQLITE_STATIC));
  return *this;
}

bool Query::next() {
  const int code = sqlite3_step(statement_.statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) statement_.connection_->check(code);
  return false;
}

std::int64_t Query::number(int column) const {
  return sqlite3_column_int64(statement_.statement_.get(), column);
}

std::string_view Query::text(int column) const {
  const unsigned char* data = sqlite3_column_text(statement_.statement_.get(), column);
  const int size = sqlite3_column_bytes(statement_.statement_.get(), column);
  return {reinterpret_cast<const char*>(data), static_cast<std::size_t>(data ? size : 0)};
}

std::span<const std::uint8_t> Query::bytes(int column) const {
  const void* data = sqlite3_column_blob(statement_.statement_.get(), column);
  const int size = sqlite3_column_bytes(statement_.statement_.get(), column);
  return {static_cast<const std::uint8_t*>(data), static_cast<std::size_t>(data ? size : 0)};
}

Transaction::Transaction(Connection& connection, Kind kind) : connection_(connection) {
  connection_.execute(kind == Kind::kWrite ? "BEGIN IMMEDIATE" : "BEGIN");
}

Transaction::~Transaction() {
  // SQLite may have rolled back by itself. If the rollback fails, so will the next BEGIN.
  if (connection_.in_transaction()) {
    sqlite3_exec(connection_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
  }
}

void Transaction::commit() { connection_.execute("COMMIT"); }

}  // namespace duets::storage::sqlite
