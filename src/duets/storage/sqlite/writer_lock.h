// The file beside a store (NAME-lock) that keeps a second writer out and remembers how far the
// first one came.
#pragma once

#include <cstdint>
#include <filesystem>

#include "duets/storage/files.h"

namespace duets::storage::sqlite {

/// Held by the one writer of a store. Released when it is destroyed or its process ends; the file
/// stays, since removing it would let two writers each lock a file of that name.
class WriterLock {
 public:
  /// Throws StorageError: kLocked, naming the process that holds it, or kUnwritable. A second lock
  /// of the same process is refused too.
  explicit WriterLock(const std::filesystem::path& store);

  /// Notes that the store holds so many commits. Call only after they are durable. The note itself
  /// is not synced, and failing to write it is no error: it may lag behind, never run ahead.
  void note_commits(std::uint64_t commits) noexcept;

 private:
  Descriptor fd_;
};

std::filesystem::path lock_path(const std::filesystem::path& store);

/// Is there a writer now? Holds the lock itself for a moment.
bool has_writer(const std::filesystem::path& store);

/// What was noted last; 0 when nothing can be read.
std::uint64_t noted_commits(const std::filesystem::path& store);

}  // namespace duets::storage::sqlite
