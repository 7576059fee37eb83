#include "duets/storage/whole_file.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <fstream>

#include "duets/base/error.h"

namespace duets::storage {
namespace fs = std::filesystem;

std::error_code last_error() { return {errno != 0 ? errno : EIO, std::generic_category()}; }

void fail_io(const std::string& what, const fs::path& path, const std::error_code& error) {
  throw base::Error(base::ErrorKind::kIo,
                    fmt::format("{} {}: {}", what, path.string(), error.message()));
}

void make_directory(const fs::path& directory) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) fail_io("cannot create", directory, error);
}

std::string read_whole_file(const fs::path& path) {
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  std::string text;
  std::array<char, 1 << 16> part;
  while (in.read(part.data(), part.size()) || in.gcount() > 0) {
    text.append(part.data(), static_cast<std::size_t>(in.gcount()));
  }
  if (!in.eof()) fail_io("cannot read", path, last_error());
  return text;
}

void write_whole_file(const fs::path& path, std::string_view text) {
  const fs::path temporary = path.string() + ".tmp";
  errno = 0;
  std::ofstream out(temporary, std::ios::binary);
  out << text;
  out.close();
  std::error_code error;
  if (!out) error = last_error();
  if (!error) fs::rename(temporary, path, error);
  if (!error) return;
  std::error_code ignored;
  fs::remove(temporary, ignored);
  fail_io("cannot write", path, error);
}

}  // namespace duets::storage
