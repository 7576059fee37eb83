#include <fmt/format.h>

#include "duets/protocol/settings.h"
#include "duets/study/fields.h"
#include "duets/study/space.h"
#include "duets/study/toml_writer.h"

namespace duets::study {
namespace {

template <class Record>
void write_field(const base::Field<Record>& field, Record& record, TomlWriter& out) {
  if (field.place == nullptr || !field.applies_to(record)) return;
  const base::Place place = field.place(record);
  const auto* const list = std::get_if<std::vector<std::uint32_t>*>(&place);
  if (list != nullptr && (*list)->empty()) return;
  out.value(field.key, place);
}

void write_table(std::string_view table, StudyFile& file, TomlWriter& out) {
  out.table(table);
  if (table == "duets" && file.preset != nullptr) {
    const bool tunes = file.study.parameters == protocol::Parameters::kLearned;
    out.comment(fmt::format("preset = \"{}\"{}", file.preset->name,
                            tunes ? fmt::format(", goal = \"{}\"", base::name_of(file.goal)) : ""));
  }
  for (const FileField& field : file_fields()) {
    if (field.table == table) write_field(field, file, out);
  }
  for (const protocol::Setting& setting : protocol::settings()) {
    if (setting.field.table == table) write_field(setting.field, file.study, out);
  }
}

}  // namespace

std::string resolved_toml(const StudyFile& given) {
  StudyFile file = given;  // rows point into a record that may change
  TomlWriter out;
  for (const std::string_view table : table_names()) {
    if (table == "space") {
      write_space(file, out);
    } else if (table != "space.NAME" &&
               (table != "coordinator" || file.coordinator != CoordinatorSettings{})) {
      write_table(table, file, out);
    }
  }
  return out.take();
}

}  // namespace duets::study
