#include "duets/service/agent_journal_instance.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sodium.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "duets/base/error.h"

namespace duets::service {
namespace {

constexpr const char* kPrefix = "joining-";

[[noreturn]] void fail_joining(const std::string& what, const std::filesystem::path& path) {
  throw base::Error(base::ErrorKind::kIo,
                    fmt::format("{}: {}: {}", path.string(), what, std::strerror(errno)));
}

/// A new file name is durable only once its directory is synced.
void sync_directory(const std::filesystem::path& directory) {
  const int fd = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) fail_joining("cannot be opened", directory);
  const bool ok = fsync(fd) == 0;
  close(fd);
  if (!ok) fail_joining("cannot be synced", directory);
}

}  // namespace

std::string new_instance() {
  if (sodium_init() < 0) throw base::Error(base::ErrorKind::kPlatform, "libsodium cannot start");
  std::string instance(kInstanceBytes, '\0');
  randombytes_buf(instance.data(), instance.size());
  return instance;
}

PendingInstance::PendingInstance(const std::filesystem::path& directory,
                                 const std::string& purpose) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) {
    throw base::Error(base::ErrorKind::kIo, fmt::format("cannot make the directory {}: {}",
                                                        directory.string(), error.message()));
  }
  for (int i = 0; fd_ < 0; ++i) {
    lock(directory / fmt::format("{}{}.{}", kPrefix, purpose, i));
  }
  try {
    fill(directory);
  } catch (const base::Error&) {
    close(fd_);
    throw;
  }
}

PendingInstance::~PendingInstance() {
  if (fd_ >= 0) close(fd_);
}

bool PendingInstance::lock(const std::filesystem::path& path) {
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) fail_joining("cannot be opened", path);
  struct stat held {};
  struct stat named {};
  // The holder may have removed the file between our two steps: then the lock is on a deleted file.
  const bool ours = flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &held) == 0 &&
                    stat(path.c_str(), &named) == 0 && held.st_ino == named.st_ino;
  if (!ours) {
    close(fd);
    return false;
  }
  fd_ = fd;
  path_ = path;
  return true;
}

void PendingInstance::fill(const std::filesystem::path& directory) {
  std::array<char, kInstanceBytes> bytes{};
  if (pread(fd_, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size())) {
    instance_.assign(bytes.data(), bytes.size());
    return;
  }
  instance_ = new_instance();
  const ssize_t written = pwrite(fd_, instance_.data(), instance_.size(), 0);
  if (written != static_cast<ssize_t>(instance_.size()) || fsync(fd_) != 0) {
    fail_joining("cannot be written", path_);
  }
  sync_directory(directory);
}

void PendingInstance::remove() {
  if (fd_ < 0) return;
  unlink(path_.c_str());
  close(fd_);
  fd_ = -1;
}

void PendingInstance::forget(const std::filesystem::path& directory, const std::string& instance) {
  std::error_code error;
  for (const auto& file : std::filesystem::directory_iterator(directory, error)) {
    if (!file.path().filename().string().starts_with(kPrefix)) continue;
    std::ifstream in(file.path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    if (bytes == instance) unlink(file.path().c_str());
  }
}

}  // namespace duets::service
