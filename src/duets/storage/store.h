// A file of journals: named, append-only lists of byte strings, with a few facts beside each.
//
// The coordinator keeps one journal a study, an agent one a study it takes part in. What append()
// returned from is on the disk. Storage knows bytes only (docs/formats/storage.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "duets/base/bytes.h"
#include "duets/base/error.h"

namespace duets::storage {

/// Everything that goes wrong with stored data (kStorage). The text names the file, and the journal
/// and entry where one is to blame.
class StorageError : public base::Error {
 public:
  enum class Cause : std::uint8_t {
    kDamaged,    ///< not a store, cut off, or changed since it was written; nothing was overwritten
    kLocked,     ///< another process has it open for writing
    kVersion,    ///< written by a newer version
    kUnwritable  ///< the disk is full, read-only or failing, or a foreign program has locked the
                 ///< file; nothing of the call was stored, and it may succeed later
  };
  StorageError(Cause cause, const std::string& message)
      : Error(base::ErrorKind::kStorage, message), cause_(cause) {}
  Cause cause() const { return cause_; }

 private:
  Cause cause_;
};

enum class Access : std::uint8_t {
  kRead,   ///< beside a writer, or without one; kInvalid when the file does not exist
  kWrite,  ///< one process at a time; makes the file, readable by its owner only
};

/// Thread-safe. SQLite in WAL mode with full sync; one writer. Opening checks every entry's
/// checksum chain before anything is written, and brings older schema versions up to date.
class Store {
 public:
  /// Throws StorageError. A missing directory is made for its owner only (0700). Beside the file
  /// stands FILE-lock with the writer's process and the number of its commits, so that a cut or
  /// lost FILE-wal and a lost FILE are noticed (kDamaged). To start anew, remove both.
  Store(const std::filesystem::path& file, Access access);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  /// Increasing.
  std::vector<std::string> names() const;
  bool contains(std::string_view name) const;

  /// A new, empty journal with its facts, in one step. kInvalid when the name is taken.
  struct Fact {
    std::string key;
    base::Bytes value;
  };
  void create(std::string_view name, std::span<const Fact> facts);
  /// With all entries and facts. kInvalid when there is none.
  void remove(std::string_view name);

  /// All or nothing; durable when it returns. kInvalid when there is no such journal.
  void append(std::string_view name, std::span<const base::Bytes> entries);
  std::uint64_t size(std::string_view name) const;
  /// Entries `first`, `first + 1`, ...: at most `limit` of them.
  std::vector<base::Bytes> entries(std::string_view name, std::uint64_t first = 0,
                                   std::uint64_t limit = UINT64_MAX) const;

  std::optional<base::Bytes> fact(std::string_view name, std::string_view key) const;
  /// Durable when it returns.
  void set_fact(std::string_view name, std::string_view key, const base::Bytes& value);

  /// Both at once: all or nothing.
  void append(std::string_view name, std::span<const base::Bytes> entries,
              std::span<const Fact> facts);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace duets::storage
