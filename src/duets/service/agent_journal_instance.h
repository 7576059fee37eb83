// The identity of an agent process before it has a journal.
//
// The name of a journal follows from the coordinator's answer. If the process dies before it gets
// the answer, the next process must use the same instance: for the coordinator, that instance
// holds the agent.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "duets/storage/files.h"

namespace duets::service {

inline constexpr std::size_t kInstanceBytes = 16;

/// Random bytes (kInstanceBytes): the identity of a new agent process.
std::string new_instance();

/// An instance on disk, locked by the process that uses it.
class PendingInstance {
 public:
  /// The first instance for this purpose ("agent-3", "any") that no live process holds, or a new
  /// one; on disk when the constructor returns. Creates the directory. kIo.
  PendingInstance(const std::filesystem::path& directory, const std::string& purpose);
  /// Unlocks the instance; the file stays for the next process.
  ~PendingInstance() = default;
  PendingInstance(const PendingInstance&) = delete;
  PendingInstance& operator=(const PendingInstance&) = delete;

  const std::string& instance() const { return instance_; }
  /// Removes the file: the instance is in a journal now, or was refused.
  void remove();

  /// Removes the file that a crash left behind for an instance that has a journal.
  static void forget(const std::filesystem::path& directory, const std::string& instance);

 private:
  /// Takes the file unless another process holds it.
  void lock(const std::filesystem::path& path);
  void fill(const std::filesystem::path& directory);

  std::filesystem::path path_;
  storage::Descriptor fd_;
  std::string instance_;
};

}  // namespace duets::service
