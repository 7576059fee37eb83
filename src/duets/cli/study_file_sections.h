// The tables of the study file, one reader each. All throw as Section does, or LocatedError for a
// mistake inside a CSV file.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "duets/cli/study_file.h"
#include "duets/cli/study_file_fields.h"

namespace duets::cli {

/// The largest number of agents, and the largest number of queries of all agents together.
inline constexpr std::uint64_t kMaxQueries = (std::uint64_t{1} << 31) - 1;

/// What a built-in function asks of the space.
struct BuiltinInfo {
  std::string name;
  std::size_t lowest = 1;  ///< dimensions it can have
  std::size_t highest = 1;
  std::size_t usual = 1;                 ///< when the study says nothing
  std::optional<problems::Shape> shape;  ///< none: it lives wherever the study does
};

/// [objective]. `functions` are known beside the built-in ones.
ObjectiveSpec read_objective(const Section& objective, std::span<const OwnFunction> functions);

/// Nothing for a command.
std::optional<BuiltinInfo> builtin_info(const ObjectiveSpec& objective);

struct SpaceResult {
  SpaceSpec spec;
  std::shared_ptr<const domain::Domain> domain;
};

/// [space] and its parameters. Random candidates come from the public coin of `seed`.
SpaceResult read_space(const Section& space, const std::optional<BuiltinInfo>& builtin,
                       std::uint64_t seed, const std::filesystem::path& directory_for_csv);

/// [duets] and the theory's part of [noise]. Returns the preset: the one that is named, or `usual`.
std::optional<protocol::Preset> read_duets(const Section& duets, const Section& noise,
                                           std::optional<protocol::Preset> usual,
                                           protocol::Study& study);

/// Points from CSV text: a row a point, numbers separated by commas, an optional first line of
/// names. `file` is used in messages.
numeric::Points parse_csv(std::string_view text, const std::string& file);

/// A regular file of at most `max_bytes`. Throws "field = value: constraint".
std::string read_file(const std::filesystem::path& path, std::size_t max_bytes,
                      const std::string& field);

}  // namespace duets::cli
