// `duets study export`: writes a study to files that outlive the coordinator.
#pragma once

#include <string>
#include <vector>

#include "duets/cli/extensions.h"
#include "duets/cli/progress.h"
#include "duets/cli/study_source.h"
#include "duets/cli/summary.h"

namespace duets::cli {

struct ExportFlags {
  SourceFlags source;
  std::string study;
  std::string output;               ///< empty: results/<study name>
  std::vector<std::string> trials;  ///< agents' journals, files or directories
  Format format = Format::kTable;
  Verbosity verbosity = Verbosity::kNormal;
};

/// Writes "<directory>.partial" and renames it (docs/formats/results.md). The secret is never
/// included. Throws base::Error; kInvalid when the directory exists.
void export_study(const ExportFlags& flags, const Extensions& extensions);

}  // namespace duets::cli
