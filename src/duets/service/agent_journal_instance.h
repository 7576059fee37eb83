// Who asks to be let in, before there is a journal to keep it in.
//
// The name of a journal follows from the coordinator's answer. Should the answer get lost with the
// process, the next one must be the same instance: to the coordinator it is still holding its
// agent.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace duets::service {

inline constexpr std::size_t kInstanceBytes = 16;

/// That many random bytes: a new agent process.
std::string new_instance();

/// An instance on disk, locked by the process that uses it.
class PendingInstance {
 public:
  /// The first one of this purpose ("agent-3", "any") that no live process holds, or a new one; on
  /// disk when it returns. Makes the directory. kIo.
  PendingInstance(const std::filesystem::path& directory, const std::string& purpose);
  /// Unlocks it; it stays for the next process.
  ~PendingInstance();
  PendingInstance(const PendingInstance&) = delete;
  PendingInstance& operator=(const PendingInstance&) = delete;

  const std::string& instance() const { return instance_; }
  /// It is in a journal now, or was refused: removes it.
  void remove();

  /// Removes what a crash left behind of an instance that has its journal.
  static void forget(const std::filesystem::path& directory, const std::string& instance);

 private:
  bool lock(const std::filesystem::path& path);
  void fill(const std::filesystem::path& directory);

  std::filesystem::path path_;
  int fd_ = -1;
  std::string instance_;
};

}  // namespace duets::service
