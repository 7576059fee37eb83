#include "duets/cli/file_io.h"

namespace duets::cli {
namespace fs = std::filesystem;

fs::path full_name(const fs::path& directory) {
  const fs::path full = fs::absolute(directory).lexically_normal();
  return full.has_filename() ? full : full.parent_path();
}

}  // namespace duets::cli
