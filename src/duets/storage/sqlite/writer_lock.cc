#include "duets/storage/sqlite/writer_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>

#include "duets/storage/store.h"

namespace duets::storage::sqlite {
namespace {

// has_writer takes the lock for microseconds: that is no reason to refuse.
constexpr int kTries = 5;
constexpr auto kBetweenTries = std::chrono::milliseconds(20);

bool lock(int fd) {
  for (int i = 1; flock(fd, LOCK_EX | LOCK_NB) != 0; ++i) {
    if (errno != EWOULDBLOCK || i == kTries) return false;
    std::this_thread::sleep_for(kBetweenTries);
  }
  return true;
}

struct Note {
  std::int64_t pid = 0;
  std::uint64_t commits = 0;
};

Note read_note(int fd) {
  std::array<char, 64> text{};
  Note note;
  if (pread(fd, text.data(), text.size() - 1, 0) <= 0) return {};
  const int fields =
      std::sscanf(text.data(), "pid %" SCNd64 " commits %" SCNu64, &note.pid, &note.commits);
  return fields == 2 ? note : Note{};
}

// Always the same length, so that one write replaces all of it.
void write_note(int fd, std::uint64_t commits) noexcept {
  std::array<char, 64> text{};
  const int size = std::snprintf(text.data(), text.size(), "pid %10d commits %20" PRIu64 "\n",
                                 static_cast<int>(getpid()), commits);
  const ssize_t written = pwrite(fd, text.data(), static_cast<std::size_t>(size), 0);
  static_cast<void>(written);
}

}  // namespace

std::filesystem::path lock_path(const std::filesystem::path& store) {
  return store.string() + "-lock";
}

WriterLock::WriterLock(const std::filesystem::path& store)
    : fd_(::open(lock_path(store).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
  const std::string name = lock_path(store).string();
  if (!fd_.ok()) {
    throw StorageError(StorageError::Cause::kUnwritable,
                       fmt::format("{}: {} (is the disk read-only or full, or does the directory "
                                   "belong to another user?)",
                                   name, std::strerror(errno)));
  }
  if (lock(fd_.get())) {
    write_note(fd_.get(), read_note(fd_.get()).commits);
    return;
  }
  if (errno != EWOULDBLOCK) {
    throw StorageError(StorageError::Cause::kUnwritable,
                       fmt::format("{}: cannot be locked: {}", name, std::strerror(errno)));
  }
  const std::int64_t pid = read_note(fd_.get()).pid;
  const std::string owner = pid > 0 ? fmt::format("process {}", pid) : "another process";
  throw StorageError(StorageError::Cause::kLocked,
                     fmt::format("{}: {} is using it; stop that one first, or use another file",
                                 store.string(), owner));
}

void WriterLock::note_commits(std::uint64_t commits) noexcept { write_note(fd_.get(), commits); }

bool has_writer(const std::filesystem::path& store) {
  const Descriptor fd(::open(lock_path(store).c_str(), O_RDONLY | O_CLOEXEC));
  return fd.ok() && flock(fd.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

std::uint64_t noted_commits(const std::filesystem::path& store) {
  const Descriptor fd(::open(lock_path(store).c_str(), O_RDONLY | O_CLOEXEC));
  return fd.ok() ? read_note(fd.get()).commits : 0;
}

}  // namespace duets::storage::sqlite
