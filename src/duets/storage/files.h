// File system calls that the standard library lacks. Each returns an errno value, 0 on success; the
// caller decides what a failure means.
#pragma once

#include <filesystem>
#include <string_view>

namespace duets::storage {

/// Owns a file descriptor; -1: none.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor() { close(); }
  int get() const { return fd_; }
  bool ok() const { return fd_ >= 0; }
  int release();
  void close();

 private:
  int fd_;
};

/// Creates the directory and missing parents, for the owner only (0700). An existing one is not
/// changed.
int make_private_directory(const std::filesystem::path& directory);

/// Makes the file names in a directory durable.
int sync_directory(const std::filesystem::path& directory);

/// Writes all of `text` at the descriptor's position.
int write_all(int fd, std::string_view text);

/// The directory of a file: "." when the path has none.
std::filesystem::path directory_of(const std::filesystem::path& file);

}  // namespace duets::storage
