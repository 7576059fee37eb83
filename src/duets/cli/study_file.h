// The study file: what a person writes, checked and turned into a study (docs/formats/study.md).
//
// Every error is base::Error(kInvalid) for the first problem found, one line of the form
//   FILE:LINE:COLUMN: field = value: constraint
// with the position of the field, or of its table when the field is missing.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "duets/base/enum_table.h"
#include "duets/cli/extensions.h"
#include "duets/problems/noise.h"
#include "duets/problems/problem.h"
#include "duets/protocol/preset.h"
#include "duets/protocol/reward_scale.h"
#include "duets/protocol/study.h"
#include "duets/region/draw.h"

namespace duets::cli {

using protocol::Direction;

/// What is queried. Exactly one of `builtin` and `command` is not empty. The reward in model units
/// is (sign * value - offset) / scale, sign = -1 for kMinimize.
struct ObjectiveSpec {
  std::string builtin;               ///< a name of problems::problem_list(), or of `own`
  std::optional<OwnFunction> own;    ///< a function that came with the program
  std::vector<std::string> command;  ///< program and arguments
  double offset = 0;
  double scale = 1;  ///< > 0

  problems::Noise noise;     ///< builtin only; in the function's own units, before offset and scale
  std::size_t centers = 30;  ///< rkhs only
  double norm = 1;           ///< rkhs only

  std::optional<double> infeasible_value;  ///< command only; in the program's own units
  double timeout = 600;                    ///< command only; seconds a query may take; > 0
  std::uint32_t retries = 0;               ///< command only; more attempts after a failed one
};

/// Where the points of a finite set come from.
enum class CandidateSource : std::uint8_t {
  kNone,    ///< the domain is not finite
  kRandom,  ///< drawn from the public coin
  kPoints,  ///< given, in the file itself or in a CSV file
};

struct SpaceSpec {
  CandidateSource source = CandidateSource::kNone;
  region::CandidateShape shape = region::CandidateShape::kCube;  ///< kRandom only
  double radius = 1;  ///< of a ball, or of random candidates in a ball or on a sphere
  std::string file;   ///< the CSV the points were read from, as written; empty otherwise
};

/// [coordinator]: used by `duets serve`, not by a simulation.
struct CoordinatorSpec {
  std::optional<std::string> listen;   ///< "host:port"
  std::optional<std::string> storage;  ///< a path
  std::optional<std::string> tls;      ///< directory of the certificates
  std::optional<std::uint32_t> quorum;
  std::optional<double> deadline;  ///< >= 1: multiples of T_j x the measured seconds per query

  friend bool operator==(const CoordinatorSpec&, const CoordinatorSpec&) = default;
};

struct StudyFile {
  protocol::Study study;  ///< valid; the domain is built, the kernel is over its features
  std::uint64_t seed = 1;
  Direction direction = Direction::kMaximize;
  ObjectiveSpec objective;
  SpaceSpec space;
  std::vector<double> lengthscales;        ///< as written: one, or one per latent coordinate
  bool lengthscale_given = false;          ///< false: a default
  std::optional<protocol::Preset> preset;  ///< where the defaults of [duets] came from, if named
  CoordinatorSpec coordinator;
};

/// From the command line, where they win over the file, and from the program.
struct StudyOverrides {
  std::optional<std::uint64_t> seed{};       ///< below 2^63, as TOML has no larger numbers
  std::span<const OwnFunction> functions{};  ///< known beside the built-in ones
};

/// The largest seed, of a study and on the command line: TOML has no larger whole number.
inline constexpr std::uint64_t kMaxSeed = (std::uint64_t{1} << 63) - 1;
/// The largest study file that is read, in bytes.
inline constexpr std::size_t kMaxStudyBytes = std::size_t{32} << 20;
/// The largest set that is given point by point, in numbers (points times dimension).
inline constexpr std::size_t kMaxGivenNumbers = 1'000'000;
/// The largest random set, in numbers.
inline constexpr std::size_t kMaxRandomNumbers = 4'000'000;

/// Reads a study file. A CSV file it names is looked up beside it. A file that cannot be read is
/// kInvalid too, as the user named it.
StudyFile load_study(const std::filesystem::path& path, const StudyOverrides& overrides = {});

/// The same from text. `file_name` is used in messages and, without its folder and suffix, as the
/// default name of the study; `directory_for_csv` is where a CSV file is looked up.
///
/// For every text it returns or throws base::Error(kInvalid): size, nesting, number of keys and
/// number of candidates are capped, so that time and memory are too.
StudyFile parse_study(std::string_view text, const std::string& file_name,
                      const std::filesystem::path& directory_for_csv,
                      const StudyOverrides& overrides = {});

/// The study file with every field that applies written out, defaults too, and the points of a CSV
/// file inside. Parsing it gives an equal StudyFile (but for space.file, lengthscale_given and
/// preset, whose name is a comment) and the same study digest.
std::string resolved_toml(const StudyFile& file);

/// The built-in function of the study, to be evaluated on the *features* of a point (the unit cube
/// after snapping for a box, the coordinates otherwise). The kernel of an rkhs function is the
/// study's. kInvalid when the objective is a command. Takes a moment for rkhs: it searches the
/// maximum.
std::unique_ptr<problems::Problem> make_builtin(const StudyFile& file);

}  // namespace duets::cli
