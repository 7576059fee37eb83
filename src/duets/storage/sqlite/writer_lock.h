// The lock file of a store (NAME-lock): excludes a second writer and records the number of commits.
#pragma once

#include <cstdint>
#include <filesystem>

#include "duets/storage/files.h"

namespace duets::storage::sqlite {

/// Held by the only writer of a store. Released when it is destroyed or its process ends; the file
/// remains, because removing it would let two writers each lock a file of that name.
class WriterLock {
 public:
  /// Throws StorageError: kLocked, naming the process that holds it, or kUnwritable. A second lock
  /// in the same process is refused too.
  explicit WriterLock(const std::filesystem::path& store);

  /// Notes the number of commits in the store. Call only after they are durable. The note itself is
  /// not synced, and failing to write it is not an error: it may lag behind, never run ahead.
  void note_commits(std::uint64_t commits) noexcept;

 private:
  Descriptor fd_;
};

std::filesystem::path lock_path(const std::filesystem::path& store);

/// True when there is a writer now. Takes the lock itself for a moment.
bool has_writer(const std::filesystem::path& store);

/// The last noted number; 0 when it cannot be read.
std::uint64_t noted_commits(const std::filesystem::path& store);

}  // namespace duets::storage::sqlite
