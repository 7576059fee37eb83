// A thin wrapper of SQLite that throws: a connection, its prepared statements, one use of each.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "duets/base/bytes.h"

namespace duets::storage::sqlite {

/// All errors of SQLite become StorageError with the name of the file, except "too big" (kInvalid)
/// and "out of memory" (std::bad_alloc). Not thread-safe.
class Connection {
 public:
  enum class Mode : std::uint8_t {
    kReadOnly,   ///< never changes the file or its -wal, not even on closing
    kImmutable,  ///< the same, and creates no other file; the file must not change meanwhile
    kReadWrite,  ///< the file must exist
    kMemory,     ///< an empty private database
  };
  Connection(const std::filesystem::path& file, Mode mode);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  const std::filesystem::path& file() const { return file_; }
  sqlite3* get() const { return database_.get(); }

  /// Runs statements without results.
  void execute(const std::string& sql);
  /// The first column of the first row; empty or 0 when there is none.
  std::string text(const std::string& sql);
  std::int64_t number(const std::string& sql);
  bool in_transaction() const { return sqlite3_get_autocommit(get()) == 0; }

  /// Throws the error of a result code; does nothing for SQLITE_OK.
  void check(int code) const;
  /// True when the code means that the disk is full, read-only or failing.
  static bool is_disk_failure(int code);

 private:
  struct Close {
    void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
  };
  std::filesystem::path file_;
  std::unique_ptr<sqlite3, Close> database_;
};

/// A prepared statement, kept for many uses. Must not outlive its connection.
class Statement {
 public:
  Statement(Connection& connection, std::string_view sql);

 private:
  friend class Query;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  Connection* connection_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

/// One use of a statement, from binding to reset. Bound values must live as long as the query.
class Query {
 public:
  explicit Query(Statement& statement) : statement_(statement) {}
  ~Query();
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;

  /// Each binds the next parameter.
  Query& bind(std::int64_t value);
  Query& bind(std::string_view value);
  Query& bind(std::span<const std::uint8_t> value);

  /// Moves to the next row; false when there is none.
  bool next();

  /// Columns of the row, from 0. Views end with the row.
  std::int64_t number(int column) const;
  std::string_view text(int column) const;
  std::span<const std::uint8_t> bytes(int column) const;

 private:
  Statement& statement_;
  int bound_ = 0;
};

/// BEGIN ... COMMIT; rolls back unless commit() was called. A read transaction sees one state of
/// the file throughout.
class Transaction {
 public:
  enum class Kind : std::uint8_t { kRead, kWrite };
  Transaction(Connection& connection, Kind kind);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  Connection& connection_;
};

}  // namespace duets::storage::sqlite
