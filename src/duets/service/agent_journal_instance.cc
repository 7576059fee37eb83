#include "duets/service/agent_journal_instance.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

#include "duets/base/error.h"
#include "duets/service/secret.h"
#include "duets/storage/whole_file.h"

namespace duets::service {
namespace {

constexpr const char* kPrefix = "joining-";

[[noreturn]] void fail_joining(const std::string& what, const std::filesystem::path& path,
                               int error) {
  throw base::Error(base::ErrorKind::kIo,
                    fmt::format("{}: {}: {}", path.string(), what, std::strerror(error)));
}

}  // namespace

std::string new_instance() { return random_bytes(kInstanceBytes); }

PendingInstance::PendingInstance(const std::filesystem::path& directory,
                                 const std::string& purpose) {
  storage::make_directory(directory);
  for (int i = 0; !fd_.ok(); ++i) {
    lock(directory / fmt::format("{}{}.{}", kPrefix, purpose, i));
  }
  fill(directory);
}

void PendingInstance::lock(const std::filesystem::path& path) {
  storage::Descriptor fd(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!fd.ok()) fail_joining("cannot be opened", path, errno);
  struct stat held {};
  struct stat named {};
  // The holder may have removed the file between our two steps: then the lock is on a deleted file.
  const bool ours = flock(fd.get(), LOCK_EX | LOCK_NB) == 0 && fstat(fd.get(), &held) == 0 &&
                    stat(path.c_str(), &named) == 0 && held.st_ino == named.st_ino;
  if (!ours) return;
  fd_ = std::move(fd);
  path_ = path;
}

void PendingInstance::fill(const std::filesystem::path& directory) {
  std::array<char, kInstanceBytes> bytes{};
  if (pread(fd_.get(), bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size())) {
    instance_.assign(bytes.data(), bytes.size());
    return;
  }
  instance_ = new_instance();
  const ssize_t written = pwrite(fd_.get(), instance_.data(), instance_.size(), 0);
  if (written != static_cast<ssize_t>(instance_.size()) || fsync(fd_.get()) != 0) {
    fail_joining("cannot be written", path_, errno);
  }
  // A new file name is durable only once its directory is synced.
  if (const int error = storage::sync_directory(directory); error != 0) {
    fail_joining("cannot be synced", directory, error);
  }
}

void PendingInstance::remove() {
  if (!fd_.ok()) return;
  unlink(path_.c_str());
  fd_.close();
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
