// A file of journals: named, append-only lists of byte strings, with a few facts for each.
//
// The coordinator keeps one journal per study, an agent one per study that it takes part in. Once
// append() has returned, the data is on disk. Storage knows bytes only (docs/formats/storage.md).
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

/// All errors of stored data (kStorage). The text names the file, and the journal and entry where
/// possible.
class StorageError : public base::Error {
 public:
  enum class Cause : std::uint8_t {
    kDamaged,    ///< not a store, cut off, or changed since it was written; nothing was overwritten
    kLocked,     ///< another process has it open for writing
    kVersion,    ///< written by a newer version
    kUnwritable  ///< the disk is full, read-only or failing, or another program has locked the
                 ///< file; nothing of the call was stored, and it may succeed later
  };
  StorageError(Cause cause, const std::string& message)
      : Error(base::ErrorKind::kStorage, message), cause_(cause) {}
  Cause cause() const { return cause_; }

 private:
  Cause cause_;
};

enum class Access : std::uint8_t {
  kRead,   ///< with or without a writer; kInvalid when the file does not exist
  kWrite,  ///< one process at a time; creates the file, readable by its owner only
};

/// The contract of every engine (store_test.cc). Thread-safe. One writer, and any number of readers
/// at the same time. Opening verifies that the contents are what was written, and updates an older
/// version of the format.
class Store {
 public:
  virtual ~Store() = default;

  /// Sorted.
  virtual std::vector<std::string> names() const = 0;
  virtual bool contains(std::string_view name) const = 0;

  /// A new, empty journal with its facts, in one step. kInvalid when the name exists.
  struct Fact {
    std::string key;
    base::Bytes value;
  };
  virtual void create(std::string_view name, std::span<const Fact> facts) = 0;
  /// With all entries and facts. kInvalid when it does not exist.
  virtual void remove(std::string_view name) = 0;

  /// Entries and facts at once: all or nothing; durable when it returns. kInvalid when the journal
  /// does not exist.
  virtual void append(std::string_view name, std::span<const base::Bytes> entries,
                      std::span<const Fact> facts) = 0;
  void append(std::string_view name, std::span<const base::Bytes> entries) {
    append(name, entries, {});
  }
  /// The same at a fraction of the cost. The end of this process cannot undo it, but until the next
  /// append() has returned, the end of the machine can: then it is missing, with all that came
  /// after it.
  virtual void append_soon(std::string_view name, std::span<const base::Bytes> entries) = 0;
  virtual std::uint64_t size(std::string_view name) const = 0;
  /// Entries `first`, `first + 1`, ...: at most `limit` of them.
  virtual std::vector<base::Bytes> entries(std::string_view name, std::uint64_t first,
                                           std::uint64_t limit) const = 0;
  std::vector<base::Bytes> entries(std::string_view name, std::uint64_t first = 0) const {
    return entries(name, first, UINT64_MAX);
  }

  virtual std::optional<base::Bytes> fact(std::string_view name, std::string_view key) const = 0;
  /// Durable when it returns.
  virtual void set_fact(std::string_view name, std::string_view key, const base::Bytes& value) = 0;
};

/// Opens a store with the engine of the product, SQLite (sqlite/sqlite_store.h). Throws
/// StorageError; kInvalid when there is none to read.
std::unique_ptr<Store> open_store(const std::filesystem::path& file, Access access);

/// True when a process has opened it for writing. False when there is no such file.
bool has_writer(const std::filesystem::path& file);

}  // namespace duets::storage
