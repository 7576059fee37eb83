// `duets verify`: an exported study, computed again.
#pragma once

#include <string>
#include <vector>

#include "duets/cli/command_options.h"
#include "duets/cli/export_check.h"
#include "duets/cli/extensions.h"
#include "duets/protocol/verify.h"

namespace duets::cli {

struct VerifyFlags {
  std::string path;                 ///< what `duets study export` wrote, or its journal.bin
  std::string secret;               ///< file
  std::vector<std::string> trials;  ///< agents' journals, files or directories
  Format format = Format::kTable;
};

/// Prints the findings and throws CodedError with exit code 5, naming every file that is not as
/// exported and the first check that failed; kInvalid for a path that is no export, a secret that
/// cannot be used or journals of another study.
void verify_study(const VerifyFlags& flags, const Extensions& extensions);

/// The findings as text: one line an epoch and one for everything that differs; or all of them.
std::string findings_text(const protocol::Verification& verification, const Verdicts& files,
                          Format format);

/// In a line, when something is not.
std::string wrong_text(const protocol::Verification& verification, const Verdicts& files);

/// For people, when all is well: how each file was checked, and what has nothing but its digest.
std::string verified_text(const protocol::Verification& verification, const Verdicts& files);

/// The word of the command line. `chosen` and `extensions` must outlive the app.
void add_verify(CLI::App& app, Chosen& chosen, const Extensions& extensions);

}  // namespace duets::cli
