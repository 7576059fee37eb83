#include "duets/storage/secret_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "duets/base/error.h"
#include "duets/storage/files.h"

namespace duets::storage {
namespace {

constexpr off_t kMaxBytes = 1 << 20;

[[noreturn]] void fail(const std::filesystem::path& path, int error) {
  throw base::Error(base::ErrorKind::kIo,
                    fmt::format("{}: {}", path.string(), std::strerror(error)));
}

// 0, or an error number.
int fill(int fd, std::string_view text) {
  if (fchmod(fd, 0600) != 0) return errno;
  if (const int error = write_all(fd, text); error != 0) return error;
  return fsync(fd) == 0 ? 0 : errno;
}

}  // namespace

void write_secret_file(const std::filesystem::path& path, std::string_view text) {
  const std::filesystem::path directory = directory_of(path);
  if (const int error = make_private_directory(directory); error != 0) fail(directory, error);
  // Written under a temporary name; link() then names it atomically and never replaces a file.
  std::string fresh = path.string() + "-XXXXXX";
  const Descriptor fd(mkostemp(fresh.data(), O_CLOEXEC));
  if (!fd.ok()) fail(path, errno);
  int error = fill(fd.get(), text);
  if (error == 0 && link(fresh.c_str(), path.c_str()) != 0) error = errno;
  unlink(fresh.c_str());
  if (error == EEXIST) {
    base::refuse("secret file", path.string(), "already exists and is not overwritten");
  }
  if (error == 0) error = sync_directory(directory);
  if (error != 0) fail(path, error);
}

std::string read_secret_file(const std::filesystem::path& path) {
  const Descriptor fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (!fd.ok() || fstat(fd.get(), &status) != 0) fail(path, errno);
  if (!S_ISREG(status.st_mode)) fail(path, EINVAL);
  if ((status.st_mode & 0077) != 0) {
    base::refuse("secret file", path.string(),
                 fmt::format("other users can read it; run: chmod 600 {}", path.string()));
  }
  if (status.st_size > kMaxBytes) fail(path, EFBIG);
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t got = read(fd.get(), text.data() + done, text.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(path, errno);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  text.resize(done);
  return text;
}

}  // namespace duets::storage
