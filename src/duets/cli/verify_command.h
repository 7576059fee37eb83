// `duets verify`: an exported study, computed again.
#pragma once

#include <string>
#include <vector>

#include "duets/cli/command_options.h"
#include "duets/protocol/verify.h"

namespace duets::cli {

struct VerifyFlags {
  std::string path;                 ///< what `duets study export` wrote, or its journal.bin
  std::string secret;               ///< file
  std::vector<std::string> trials;  ///< agents' journals, files or directories
  Format format = Format::kTable;
};

/// Prints the findings and throws CodedError with exit code 5 when one is not well, 6 when the file
/// is damaged; kInvalid for a secret or journals that do not belong to it.
void verify_study(const VerifyFlags& flags);

/// The findings as text: one line an epoch and one for everything that differs; or all of them.
std::string findings_text(const protocol::Verification& verification, Format format);

/// For people, when all is well: what was checked, and what was not. `num_answers`: how many of the
/// agents' journals the uploads were compared with.
std::string verified_text(const protocol::Verification& verification, std::size_t num_answers);

/// The word of the command line. `chosen` must outlive the app.
void add_verify(CLI::App& app, Chosen& chosen);

}  // namespace duets::cli
