// [space] and its parameters: how the domain of a study is read and written.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "duets/study/section.h"
#include "duets/study/study_file.h"
#include "duets/study/toml_writer.h"

namespace duets::study {

struct SpaceResult {
  Space space;
  std::shared_ptr<const domain::Domain> domain;
};

/// A function and what its list says of it.
struct KnownFunction {
  std::string name;
  FunctionInfo info;
};

/// Random candidates come from the public coin of `seed`. Throws as Section does, or LocatedError
/// for a mistake inside a CSV file.
SpaceResult read_space(const Section& space, const std::optional<KnownFunction>& function,
                       std::uint64_t seed, const std::filesystem::path& directory_for_csv);

/// The table of one parameter: [space.NAME].
void write_parameter(const domain::Parameter& parameter, TomlWriter& out);

/// [space] and the tables of its parameters.
void write_space(const StudyFile& file, TomlWriter& out);

}  // namespace duets::study
