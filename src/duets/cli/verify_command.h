// `duets verify`: checks an exported study by computing it again.
#pragma once

#include <string>
#include <vector>

#include "duets/cli/command_options.h"
#include "duets/cli/export_check.h"
#include "duets/cli/extensions.h"
#include "duets/protocol/verify.h"

namespace duets::cli {

struct VerifyFlags {
  std::string path;                 ///< an export, or its journal.bin
  std::string secret;               ///< file
  std::vector<std::string> trials;  ///< agents' journals, files or directories
  Format format = Format::kTable;
};

/// Prints the findings and throws CodedError with exit code 5, naming every file that differs from
/// the export and the first failed check; kInvalid for a path that is not an export, an unusable
/// secret, or journals of another study.
void verify_study(const VerifyFlags& flags, const Extensions& extensions);

/// The findings as text: one line per epoch and one for each difference; or all of them.
std::string findings_text(const protocol::Verification& verification, const Verdicts& files,
                          Format format);

/// One line about the errors.
std::string wrong_text(const protocol::Verification& verification, const Verdicts& files);

/// For people, when there are no errors: how each file was checked, and what only its digest
/// covers.
std::string verified_text(const protocol::Verification& verification, const Verdicts& files);

/// Adds the command. `chosen` and `extensions` must outlive the app.
void add_verify(CLI::App& app, Chosen& chosen, const Extensions& extensions);

}  // namespace duets::cli
