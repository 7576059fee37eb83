#include "duets/cli/file_io.h"

#include <fmt/format.h>

#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>

#include "duets/base/error.h"

namespace duets::cli {
namespace fs = std::filesystem;

void fail_io(const std::string& what, const fs::path& path, const std::error_code& error) {
  throw base::Error(base::ErrorKind::kIo,
                    fmt::format("{} {}: {}", what, path.string(), error.message()));
}

std::string read_whole_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (!in) fail_io("cannot read", path, std::make_error_code(std::errc::io_error));
  return text;
}

void write_whole_file(const fs::path& path, std::string_view text) {
  const fs::path temporary = path.string() + ".tmp";
  errno = 0;
  std::ofstream out(temporary, std::ios::binary);
  out << text;
  out.close();
  std::error_code error;
  if (!out) error = {errno != 0 ? errno : EIO, std::generic_category()};
  if (!error) fs::rename(temporary, path, error);
  if (!error) return;
  std::error_code ignored;
  fs::remove(temporary, ignored);
  fail_io("cannot write", path, error);
}

fs::path full_name(const fs::path& directory) {
  const fs::path full = fs::absolute(directory).lexically_normal();
  return full.has_filename() ? full : full.parent_path();
}

}  // namespace duets::cli
