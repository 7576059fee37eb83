// The study file: what a person writes, checked and turned into a study (docs/formats/study.md).
// The same text, with every setting written out, is what coordinators store and send.
//
// Every error is base::Error(kInvalid) for the first problem found, one line of the form
//   FILE:LINE:COLUMN: field = value: constraint
// with the position of the field, or of its table when the field is missing.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "duets/base/enum_table.h"
#include "duets/protocol/preset.h"
#include "duets/protocol/reward_scale.h"
#include "duets/protocol/study.h"
#include "duets/random/noise_kind.h"
#include "duets/region/draw.h"

namespace duets::study {

using protocol::Direction;
using random::NoiseKind;

/// What runs a study.
enum class Method : std::uint8_t { kDuets = 0 };
constexpr auto enum_entries(Method /*tag*/) {
  return base::entries<Method>({{Method::kDuets, "duets"}});
}

/// What is queried, and how its answers become rewards. At most one of `builtin` and `command` is
/// not empty; without either every agent brings its own program.
struct Objective : protocol::RewardScale {
  std::string builtin;               ///< a function that the program knows by this name
  std::vector<std::string> command;  ///< program and arguments

  /// Of a built-in function. The noise is what a simulation adds to it.
  double noise = 0.2;  ///< in the function's own units, before offset and scale; 0: none
  NoiseKind noise_kind = NoiseKind::kGaussian;
  std::uint32_t centers = 30;  ///< rkhs only
  double norm = 1;             ///< rkhs only

  /// Of a command.
  std::optional<double> infeasible_value;  ///< in the program's own units
  double timeout = 600;                    ///< seconds a query may take; > 0
  std::uint32_t retries = 0;               ///< more attempts after a failed one

  /// Why a value cannot be used as a reward: "value = 1e308: ...". Empty: it can.
  std::string objection_to(double value) const;

  friend bool operator==(const Objective&, const Objective&) = default;
};

/// Where the points of a finite set come from.
enum class CandidateSource : std::uint8_t {
  kNone,    ///< the domain is not finite
  kRandom,  ///< drawn from the public coin
  kPoints,  ///< given, in the file itself or in a CSV file
};

struct Space {
  CandidateSource source = CandidateSource::kNone;
  region::CandidateShape shape = region::CandidateShape::kCube;  ///< kRandom only
  double radius = 1;  ///< of a ball, or of random candidates in a ball or on a sphere
  std::string file;   ///< the CSV the points were read from, as written; empty otherwise
};

/// [coordinator]: used by `duets serve`, not by a simulation.
struct CoordinatorSettings {
  std::optional<std::string> listen;   ///< "host:port"
  std::optional<std::string> storage;  ///< a path
  std::optional<std::string> tls;      ///< directory of the certificates
  std::optional<std::uint32_t> quorum;
  std::optional<double> deadline;  ///< >= 1: multiples of T_j x the measured seconds per query

  friend bool operator==(const CoordinatorSettings&, const CoordinatorSettings&) = default;
};

/// Where neither `duets serve` nor the file says otherwise.
inline constexpr const char* kUsualListen = "127.0.0.1:7117";
inline constexpr const char* kUsualStorage = "duets-storage";
inline constexpr const char* kUsualCerts = "certs";

struct StudyFile {
  protocol::Study study;  ///< valid; the domain is built, the kernel is over its features
  std::uint64_t seed = 1;
  Method method = Method::kDuets;
  Objective objective;
  Space space;
  std::vector<double> lengthscales;          ///< as written: one, or one per latent coordinate
  bool lengthscale_given = false;            ///< false: a default
  const protocol::Preset* preset = nullptr;  ///< where the defaults of [duets] came from, if named
  protocol::Goal goal = protocol::Goal::kEarn;  ///< of the preset
  CoordinatorSettings coordinator;
};

/// What a study needs to know of a function it names.
struct FunctionInfo {
  std::size_t lowest = 1;  ///< dimensions it can have
  std::size_t highest = 1;
  std::size_t usual = 1;  ///< when the study says nothing
  std::optional<bool>
      is_round;  ///< it lives on a ball, or on a cube; none: wherever the study does
  std::vector<domain::Parameter> parameters{};  ///< not empty: it lives on the box of these alone
};

/// The functions a program has.
struct FunctionList {
  std::vector<std::string> names;
  std::function<FunctionInfo(const std::string& name)> info;
};

/// What a reader is told beside the text.
struct ReadOptions {
  std::optional<std::uint64_t> seed{};  ///< wins over the file; at most kMaxSeed
  /// Null: any name is taken, and the file must say what space the function has.
  const FunctionList* functions = nullptr;
  std::filesystem::path directory_for_csv{};  ///< where a CSV file is looked up
  bool measures = false;  ///< the caller does: with `functions`, too, no objective is needed
};

/// The largest seed, of a study and on the command line: TOML has no larger whole number.
inline constexpr std::uint64_t kMaxSeed = (std::uint64_t{1} << 63) - 1;
/// The largest number of agents, and the largest number of queries of all agents together.
inline constexpr std::uint64_t kMaxQueries = (std::uint64_t{1} << 31) - 1;
/// The largest study file that is read, in bytes.
inline constexpr std::size_t kMaxStudyBytes = std::size_t{32} << 20;
/// The largest set that is given point by point, in numbers (points times dimension).
inline constexpr std::size_t kMaxGivenNumbers = 1'000'000;
/// The largest random set, in numbers.
inline constexpr std::size_t kMaxRandomNumbers = 4'000'000;

/// 1 to 100 letters, digits, '-', '_' or '.', not starting with '.': it becomes a file name and a
/// part of certificates.
bool is_study_name(std::string_view name);

/// `file_name` is used in messages and, without its folder and suffix, as the default name of the
/// study.
///
/// For every text it returns or throws base::Error(kInvalid): size, nesting, number of keys and
/// number of candidates are capped, so that time and memory are too.
StudyFile parse_study(std::string_view text, const std::string& file_name,
                      const ReadOptions& options = {});

/// The study file with every field that applies written out, defaults too, and the points of a CSV
/// file inside. Parsing it, with or without a list of functions, gives an equal StudyFile (but for
/// space.file, lengthscale_given and preset, whose name is a comment) and the same study digest.
std::string resolved_toml(const StudyFile& file);

/// The file of a study that was made by a program. kInvalid when no file gives this study: a
/// setting that does not apply is not at its default.
StudyFile file_of(const protocol::Study& study, const Objective& objective = {},
                  const CoordinatorSettings& coordinator = {});

/// Points from CSV text: a row a point, numbers separated by commas, an optional first line of
/// names. `file` is used in messages.
numeric::Points parse_csv(std::string_view text, const std::string& file);

/// A regular file of at most `max_bytes`. Throws "field = value: constraint".
std::string read_file(const std::filesystem::path& path, std::size_t max_bytes,
                      const std::string& field);

}  // namespace duets::study
