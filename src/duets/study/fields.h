// The keys of a study file, one row each. Those of [duets] and [noise] are protocol::settings(),
// the others are defined here.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "duets/base/field.h"
#include "duets/study/study_file.h"

namespace duets::study {

using FileField = base::Field<StudyFile>;

/// The keys outside the settings of the protocol, table by table.
std::span<const FileField> file_fields();

/// The tables of a study file, in the order in which they are printed. The parameters of a box are
/// in "space.NAME".
std::span<const std::string_view> table_names();

/// All keys of a table.
std::vector<std::string_view> keys_of(std::string_view table);

/// One key for people, in Markdown: what it may be, and its default (empty: none).
struct KeyReference {
  std::string table, key, value, usual;
};
/// Every key, table by table.
std::vector<KeyReference> reference();

/// A table in Markdown, as docs/formats/study.md has it: key, value, default.
std::string reference_table(std::string_view table);

/// Likewise what the presets set: key, then a column for each preset.
std::string reference_presets();

}  // namespace duets::study
