// The few calls to the file system that the standard library lacks. Each returns an errno value, 0
// when all went well: what a failure means is the caller's to say.
#pragma once

#include <filesystem>
#include <string_view>

namespace duets::storage {

/// A file descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor();
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  bool ok() const { return fd_ >= 0; }

 private:
  int fd_;
};

/// Makes the directory and what is missing above it, for the owner only (0700). An existing one
/// stays as it is.
int make_private_directory(const std::filesystem::path& directory);

/// Makes the names in a directory durable.
int sync_directory(const std::filesystem::path& directory);

/// All of `text`, at the descriptor's position.
int write_all(int fd, std::string_view text);

/// The directory a file is in: "." when the path has none.
std::filesystem::path directory_of(const std::filesystem::path& file);

}  // namespace duets::storage
