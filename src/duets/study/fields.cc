#include "duets/study/fields.h"

#include <fmt/format.h>

#include <array>
#include <set>

#include "duets/protocol/settings.h"
#include "duets/study/toml_writer.h"

namespace duets::study {
namespace {

using base::at;

constexpr std::array<std::string_view, 8> kTables{"study", "space", "space.NAME", "kernel",
                                                  "noise", "duets", "objective",  "coordinator"};

// Why a key does not apply; empty: it does.
std::string_view of_functions(const StudyFile& f) {
  if (!f.objective.builtin.empty()) return {};
  return "belongs to a built-in function: remove it, a command answers with its own values and "
         "noise";
}
std::string_view of_commands(const StudyFile& f) {
  return f.objective.builtin.empty() ? "" : "belongs to a command, not to a built-in function";
}
std::string_view unless_function(const StudyFile& f) {
  return f.objective.builtin.empty() ? "" : "give builtin or command, not both";
}
std::string_view of_rkhs(const StudyFile& f) {
  return f.objective.builtin == "rkhs" ? "" : "belongs to builtin = \"rkhs\"";
}
std::string_view unless_learned(const StudyFile& f) {
  if (f.study.parameters == protocol::Parameters::kFixed) return {};
  return "is learned from the rewards: leave it out, or set duets.parameters = \"fixed\"";
}
std::string_view with_quorum(const StudyFile& f) {
  if (f.coordinator.quorum) return {};
  return "needs coordinator.quorum: how many agents are enough";
}

template <auto kMember>
constexpr base::Place (*kStudy)(StudyFile&) = at<StudyFile, &StudyFile::study, kMember>;
template <auto kMember>
constexpr base::Place (*kKernel)(StudyFile&) =
    at<StudyFile, &StudyFile::study, &protocol::Study::kernel, kMember>;
template <auto kMember>
constexpr base::Place (*kObjective)(StudyFile&) = at<StudyFile, &StudyFile::objective, kMember>;
template <auto kMember>
constexpr base::Place (*kCoordinator)(StudyFile&) = at<StudyFile, &StudyFile::coordinator, kMember>;

constexpr std::array kFields{
    FileField{
        .table = "study",
        .key = "name",
        .place = kStudy<&protocol::Study::name>,
        .holds = [](const StudyFile& f) { return is_study_name(f.study.name); },
        .constraint = "must be 1 to 100 letters, digits, '-', '_' or '.', not starting with '.'",
        .meaning = "1 to 100 letters, digits, `-`, `_`, `.`, not starting with `.`; names the "
                   "result directory",
        .usual = "the file's name without its suffix, other characters replaced by `-`"},
    FileField{.table = "study",
              .key = "direction",
              .place = kObjective<&protocol::RewardScale::direction>,
              .required = "required: \"maximize\" or \"minimize\""},
    FileField{.table = "study",
              .key = "agents",
              .place = kStudy<&protocol::Study::agents>,
              .range = {1, kMaxQueries},
              .required = "required: the number of agents",
              .meaning = "N: 1 to 2^31 - 1"},
    FileField{.table = "study",
              .key = "horizon",
              .place = kStudy<&protocol::Study::horizon>,
              .range = {1, kMaxQueries},
              .holds =
                  [](const StudyFile& f) {
                    return std::uint64_t{f.study.agents} * f.study.horizon <= kMaxQueries;
                  },
              .constraint = "agents times horizon must be at most 2147483647",
              .required = "required: the number of queries of each agent",
              .meaning = "T, queries of each agent: at least 1, agents times horizon at most 2^31 "
                         "- 1"},
    FileField{.table = "study",
              .key = "seed",
              .place = at<StudyFile, &StudyFile::seed>,
              .range = {0, 0x1p63},
              .meaning = "0 to 2^63 - 1; `--seed` wins over it"},
    FileField{.table = "study", .key = "algorithm", .place = at<StudyFile, &StudyFile::method>},

    FileField{.table = "space",
              .key = "domain",
              .names = base::kNumberedEntries<domain::Shape>,
              .meaning = "A box is the unit cube",
              .usual = "a box with named parameters; finite with `file`, `points` or `shape`; else "
                       "the built-in function's own; required for a command"},
    FileField{.table = "space",
              .key = "dimension",
              .meaning = "1 to 1000",
              .usual = "from parameters, points or the built-in function; required for a command "
                       "otherwise"},
    FileField{.table = "space",
              .key = "radius",
              .meaning = "positive; of a ball, or of random points in a ball or on a sphere",
              .usual = "`1.0`"},
    FileField{.table = "space",
              .key = "candidates",
              .meaning = "number of random points; with `domain = \"box\"` or `\"ball\"` it "
                         "discretises them. Times dimension at most 4 million",
              .usual = "2000 for `\"finite\"`"},
    FileField{.table = "space",
              .key = "shape",
              .names = base::kNumberedEntries<region::CandidateShape>,
              .meaning = "Where the random points of `domain = \"finite\"` lie",
              .usual = "that of the built-in function, else `\"cube\"`"},
    FileField{
        .table = "space",
        .key = "file",
        .meaning = "CSV file with the points of a finite set, looked up beside the study file"},
    FileField{.table = "space",
              .key = "points",
              .meaning = "the same inside the study file: `[[0.1, 0.2], [0.3, 0.4]]`"},

    FileField{.table = "space.NAME",
              .key = "type",
              .names = base::kNumberedEntries<domain::ParameterType>,
              .usual = "`\"float\"`"},
    FileField{.table = "space.NAME",
              .key = "low",
              .meaning = "the smallest value; whole and at most 2^53 in size for int",
              .usual = "required for float and int"},
    FileField{.table = "space.NAME",
              .key = "high",
              .meaning = "the largest value, likewise",
              .usual = "required for float and int"},
    FileField{.table = "space.NAME",
              .key = "log",
              .meaning = "`true`: uniform in the exponent; `low` must be positive",
              .usual = "`false`"},
    FileField{.table = "space.NAME",
              .key = "step",
              .meaning = "int only: values are low, low + step, ...; 1 when `log`",
              .usual = "`1`"},
    FileField{.table = "space.NAME",
              .key = "choices",
              .meaning = "of a type with choices only: 1 to 1000 different strings",
              .usual = "required"},

    FileField{.table = "kernel", .key = "name", .place = kKernel<&kernel::Kernel::family>},
    FileField{.table = "kernel",
              .key = "lengthscale",
              .place = at<StudyFile, &StudyFile::lengthscales>,
              .range = {1e-12, 1e100},
              .constraint = "must be at least 1e-12 and at most 1e100",
              .meaning =
                  "1e-12 to 1e100: one, or a list of one per dimension; in units of the cube "
                  "for a box",
              .usual = "0.2 for boxes and cubes; the radius for balls and spheres; required for "
                       "given points. With a preset other than `\"paper\"`: a guess, see there"},
    FileField{.table = "kernel",
              .key = "variance",
              .place = kKernel<&kernel::Kernel::variance>,
              .range = base::kPositive,
              .why_not = unless_learned,
              .meaning = "k(x, x), positive; not with `parameters = \"learned\"`"},

    FileField{.table = "duets",
              .key = "preset",
              .meaning = "other defaults for this table: [see below](#presets)",
              .usual = "`\"auto\"` in a file without `[kernel]`, `[noise]` and `[duets]`; "
                       "otherwise as `\"paper\"`"},

    FileField{.table = "duets",
              .key = "goal",
              .names = base::kNumberedEntries<protocol::Goal>,
              .meaning = "Not with `preset = \"paper\"`: [see below](#presets)",
              .usual = "`\"find\"`; with `preset = \"safe\"` `\"earn\"`"},

    FileField{.table = "objective",
              .key = "builtin",
              .place = kObjective<&Objective::builtin>,
              .meaning = "a name of the [built-in functions](#built-in-functions)"},
    FileField{.table = "objective",
              .key = "command",
              .place = kObjective<&Objective::command>,
              .why_not = unless_function,
              .meaning =
                  "list of strings: program and arguments; `{study}`, `{agent}`, `{worker}`, "
                  "`{epoch}`, `{trial}` and `{NAME}` of a parameter in them are "
                  "[replaced](../fleet.md#2-your-program)"},
    FileField{.table = "objective",
              .key = "noise",
              .place = kObjective<&Objective::noise>,
              .range = {0, 1e100},
              .why_not = of_functions,
              .holds =
                  [](const StudyFile& f) {
                    return f.objective.noise == 0 || f.objective.noise >= base::kPositive.low;
                  },
              .constraint = "must be 0 (no noise) or positive (at least 1e-100)",
              .meaning = "builtin: standard deviation (gaussian) or half-width (bounded) of the "
                         "simulated noise, in the function's units; 0 is none"},
    FileField{.table = "objective",
              .key = "noise_kind",
              .place = kObjective<&Objective::noise_kind>,
              .why_not = of_functions,
              .meaning = "Builtin only"},
    FileField{.table = "objective",
              .key = "centers",
              .place = kObjective<&Objective::centers>,
              .range = {1, 1000},
              .why_not = of_rkhs,
              .meaning = "rkhs: 1 to 1000"},
    FileField{.table = "objective",
              .key = "norm",
              .place = kObjective<&Objective::norm>,
              .range = base::kPositive,
              .why_not = of_rkhs,
              .meaning = "rkhs: positive; its RKHS norm with the study's kernel"},
    FileField{.table = "objective",
              .key = "timeout",
              .place = kObjective<&Objective::timeout>,
              .range = base::kPositive,
              .why_not = of_commands,
              .meaning = "command: seconds a query may take, positive"},
    FileField{.table = "objective",
              .key = "retries",
              .place = kObjective<&Objective::retries>,
              .range = {0, 1000},
              .why_not = of_commands,
              .meaning = "command: further attempts after a failed one, 0 to 1000"},
    FileField{.table = "objective",
              .key = "infeasible_value",
              .place = kObjective<&Objective::infeasible_value>,
              .why_not = of_commands,
              .meaning = "command: the value recorded for an infeasible answer",
              .usual = "none"},
    FileField{.table = "objective",
              .key = "offset",
              .place = kObjective<&protocol::RewardScale::offset>,
              .meaning = "number"},
    FileField{.table = "objective",
              .key = "scale",
              .place = kObjective<&protocol::RewardScale::scale>,
              .range = base::kPositive,
              .meaning = "positive"},

    FileField{
        .table = "coordinator",
        .key = "listen",
        .place = kCoordinator<&CoordinatorSettings::listen>,
        .holds =
            [](const StudyFile& f) { return f.coordinator.listen->find(':') != std::string::npos; },
        .constraint = "must be \"HOST:PORT\"",
        .meaning = "`\"HOST:PORT\"`"},
    FileField{.table = "coordinator",
              .key = "storage",
              .place = kCoordinator<&CoordinatorSettings::storage>,
              .meaning = "directory of what the coordinator keeps"},
    FileField{.table = "coordinator",
              .key = "tls",
              .place = kCoordinator<&CoordinatorSettings::tls>,
              .meaning = "directory of certificates"},
    FileField{
        .table = "coordinator",
        .key = "quorum",
        .place = kCoordinator<&CoordinatorSettings::quorum>,
        .range = {1, kMaxQueries},
        .holds = [](const StudyFile& f) { return *f.coordinator.quorum <= f.study.agents; },
        .constraint = "must be a whole number from 1 to study.agents",
        .meaning = "number of uploads that are enough once the deadline has passed, 1 to `agents`",
        .usual = "all agents"},
    FileField{.table = "coordinator",
              .key = "deadline",
              .place = kCoordinator<&CoordinatorSettings::deadline>,
              .range = {1, 1e100},
              .why_not = with_quorum,
              .constraint = "must be at least 1: multiples of T_j times the seconds of a query",
              .meaning = "at least 1, in multiples of T_j times the seconds of a query; needs "
                         "`quorum`",
              .usual = "none"},
};

// "`"coin"`: every point ...; `"greedy"`: ..." or, for names that need no words, a list of them.
std::string choices_text(std::span<const base::EnumEntry<std::uint8_t>> entries) {
  std::string text;
  for (const auto& entry : entries) {
    const bool last = entry.meaning.empty();
    if (!text.empty()) text += last ? ", " : "; ";
    text += fmt::format("`\"{}\"`", entry.name);
    if (!last) text += fmt::format(": {}", entry.meaning);
  }
  return text;
}

// Empty: there is none.
template <class Record>
std::string default_text(const base::Field<Record>& field, Record& usual) {
  if (!field.usual.empty()) return std::string(field.usual);
  if (!field.required.empty()) return "required";
  const std::string value = field.place != nullptr ? toml_value(field.place(usual)) : "";
  return value.empty() ? "" : fmt::format("`{}`", value);
}

template <class Record>
KeyReference reference_of(const base::Field<Record>& field, Record& usual) {
  std::string value(field.meaning);
  auto names = field.names;
  if (field.place != nullptr) {
    const base::Place place = field.place(usual);
    if (const auto* choice = std::get_if<base::EnumPlace>(&place)) names = choice->entries;
  }
  if (!names.empty()) value = choices_text(names) + (value.empty() ? "" : ". ") + value;
  return {std::string(field.table), std::string(field.key), value, default_text(field, usual)};
}

// One row of the table of presets; empty for a setting that no preset changes.
std::string preset_row(const base::Field<protocol::Study>& field) {
  std::string row = fmt::format("| `{}` |", field.key);
  std::set<std::string> values;
  for (const protocol::Preset& preset : protocol::presets()) {
    protocol::Study study;
    protocol::apply_preset(preset, study);
    const std::string value = toml_value(field.place(study));
    values.insert(value);
    row += fmt::format(" `{}` |", value);
  }
  return values.size() > 1 ? row + "\n" : "";
}

}  // namespace

std::span<const FileField> file_fields() { return kFields; }

std::span<const std::string_view> table_names() { return kTables; }

std::vector<std::string_view> keys_of(std::string_view table) {
  std::vector<std::string_view> keys;
  for (const FileField& field : kFields) {
    if (field.table == table) keys.push_back(field.key);
  }
  for (const protocol::Setting& setting : protocol::settings()) {
    if (setting.field.table == table) keys.push_back(setting.field.key);
  }
  return keys;
}

std::vector<KeyReference> reference() {
  StudyFile usual;
  usual.coordinator.listen = kUsualListen;
  usual.coordinator.storage = kUsualStorage;
  usual.coordinator.tls = kUsualCerts;
  std::vector<KeyReference> keys;
  for (const std::string_view table : kTables) {
    for (const FileField& field : kFields) {
      if (field.table == table) keys.push_back(reference_of(field, usual));
    }
    for (const protocol::Setting& setting : protocol::settings()) {
      if (setting.field.table == table) keys.push_back(reference_of(setting.field, usual.study));
    }
  }
  return keys;
}

std::string reference_table(std::string_view table) {
  std::string text = "| key | value | default |\n|---|---|---|\n";
  for (const KeyReference& key : reference()) {
    if (key.table != table) continue;
    text += fmt::format("| `{}` | {} |{}{} |\n", key.key, key.value, key.usual.empty() ? "" : " ",
                        key.usual);
  }
  return text;
}

std::string reference_presets() {
  std::string text = "| key |";
  std::string rule = "|---|";
  for (const protocol::Preset& preset : protocol::presets()) {
    text += fmt::format(" `\"{}\"` |", preset.name);
    rule += "---|";
  }
  text += "\n" + rule + "\n";
  for (const protocol::Setting& setting : protocol::settings()) {
    if (setting.field.table == "duets") text += preset_row(setting.field);
  }
  return text;
}

}  // namespace duets::study
