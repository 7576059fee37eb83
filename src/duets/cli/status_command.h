// `duets status` and `duets best`: show the progress of a study, and what it has found.
#pragma once

#include <string>

#include "duets/cli/study_source.h"
#include "duets/cli/summary.h"

namespace duets::cli {

struct StatusFlags {
  SourceFlags source;
  std::string study;   ///< empty: the only one, or all of them for `status`
  bool watch = false;  ///< until the study is over
  Format format = Format::kTable;
};

/// Throws base::Error.
void print_status(const StatusFlags& flags);
void print_best(const StatusFlags& flags);

}  // namespace duets::cli
