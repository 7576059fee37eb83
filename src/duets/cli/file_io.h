// File names as the commands use them.
#pragma once

#include <filesystem>

#include "duets/storage/whole_file.h"

namespace duets::cli {

using storage::fail_io;
using storage::last_error;
using storage::make_directory;
using storage::read_whole_file;
using storage::write_whole_file;

/// The absolute path, so that "out/" and "." have names that can be extended.
std::filesystem::path full_name(const std::filesystem::path& directory);

}  // namespace duets::cli
