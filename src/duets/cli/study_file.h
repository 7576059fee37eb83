// Reads study files with the built-in functions and the user's own.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "duets/cli/extensions.h"
#include "duets/problems/noise.h"
#include "duets/problems/problem.h"
#include "duets/study/study_file.h"

namespace duets::cli {

using study::CandidateSource;
using study::Direction;
using study::resolved_toml;
using study::StudyFile;

/// From the command line, where they override the file, and from the program.
struct StudyOverrides {
  std::optional<std::uint64_t> seed{};       ///< at most study::kMaxSeed
  std::span<const OwnFunction> functions{};  ///< known in addition to the built-in ones
  bool measures = false;                     ///< study::ReadOptions
};

/// Reads a study file. The path of a CSV file is relative to it. A file that cannot be read is
/// kInvalid too, because the user named it.
StudyFile load_study(const std::filesystem::path& path, const StudyOverrides& overrides = {});

/// The same from text; paths of CSV files are relative to `directory_for_csv`.
StudyFile parse_study(std::string_view text, const std::string& file_name,
                      const std::filesystem::path& directory_for_csv,
                      const StudyOverrides& overrides = {});

/// The built-in function of the study, to be evaluated on the *features* of a point (the unit cube
/// after snapping for a box, the coordinates otherwise). The kernel of an rkhs function is the
/// study's. kInvalid when the objective is a command, or an unknown function. Takes a moment for
/// rkhs: it searches the maximum.
std::unique_ptr<problems::Problem> make_builtin(const StudyFile& file,
                                                std::span<const OwnFunction> functions = {});

/// The noise of a built-in function.
problems::Noise noise_of(const study::Objective& objective);

}  // namespace duets::cli
