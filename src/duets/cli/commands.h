// The simple commands, called with parsed arguments.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "duets/cli/extensions.h"
#include "duets/cli/progress.h"
#include "duets/cli/summary.h"

namespace duets::cli {

/// Flags that several commands share.
struct CommonFlags {
  std::string study;   ///< path of the study file
  std::string output;  ///< empty: results/<study name>
  bool overwrite = false;
  bool resume = false;  ///< experiments only
  std::optional<std::uint64_t> seed;
  unsigned threads = 0;  ///< 0: all of the machine
  std::string engine{};  ///< with_engine()'s name
  Format format = Format::kTable;
  Verbosity verbosity = Verbosity::kNormal;
  std::vector<std::string> words;  ///< the command line as given
};

/// `duets config check`: prints a forecast of the study, and warnings.
void check_config(const CommonFlags& flags, const Extensions& extensions);

/// `duets config keys`: every key of a study file, with its values and default.
void print_keys(Format format);

/// `duets algorithms`: algorithms and functions, one line each.
void print_list(Format format, const Extensions& extensions);

/// `duets version`.
void print_version(Format format);

/// A line on standard error, unless --quiet.
void tell(const CommonFlags& flags, const std::string& text);

}  // namespace duets::cli
