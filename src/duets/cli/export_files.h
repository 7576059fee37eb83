// The files of an export (docs/formats/results.md): their contents, and the list of their digests.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "duets/cli/result_directory.h"
#include "duets/cli/study_file.h"
#include "duets/cli/study_source.h"

namespace duets::cli {

inline constexpr std::string_view kJournalFile = "journal.bin";
inline constexpr std::string_view kTrialsFile = "trials.csv";  ///< only on request
inline constexpr std::string_view kManifestFile = "manifest.json";
inline constexpr std::string_view kDigestsFile = "digests.txt";

inline constexpr std::array<std::string_view, 12> kExportFiles{"study.toml",
                                                               kJournalFile,
                                                               "participation.toml",
                                                               kManifestFile,
                                                               "epochs.csv",
                                                               "communication.csv",
                                                               "figures/communication.svg",
                                                               "figures/inducing.svg",
                                                               "figures/region.svg",
                                                               "report.html",
                                                               kTrialsFile,
                                                               kDigestsFile};

/// Parses journal.bin. Throws kDecode; kInvalid for a definition that is not a study.
StudyExport read_journal(std::string_view bytes);

/// The files of an export except journal.bin, trials.csv and digests.txt. They follow from the
/// definition, the records and the values of the best trial (empty: not known), except for "build"
/// in the manifest, which describes this program. `functions` are known in addition to the built-in
/// ones. Throws kDecode for damaged records.
FileTexts tables_of(const StudyExport& study, std::span<const OwnFunction> functions,
                    const std::vector<double>& best_values);

/// The manifest without "build", its last part.
std::string_view without_build(std::string_view manifest);

/// 32 hexadecimal digits.
std::string digest_text(std::string_view bytes);

/// digests.txt: a line "duets export VERSION", a line "DIGEST  NAME" for each file, and the last
/// for itself, the digest of the lines before it.
std::string digests_text(const FileTexts& files);

/// Digests by name, without that of the list itself. kDecode for a text that digests_text cannot
/// have written: every byte is checked.
FileTexts parse_digests(std::string_view text);

}  // namespace duets::cli
