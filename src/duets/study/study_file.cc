#include "duets/study/study_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "duets/base/error.h"
#include "duets/protocol/messages.h"
#include "duets/protocol/settings.h"
#include "duets/study/fields.h"
#include "duets/study/space.h"

namespace duets::study {
namespace {

using protocol::Preset;
using protocol::Study;

constexpr double kUsualLengthscale = 0.2;
constexpr std::size_t kMaxStudyName = 100;

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_' || c == '.';
}

std::string default_name(const std::string& file_name) {
  std::string stem = std::filesystem::path(file_name).stem().string();
  for (char& c : stem) {
    if (!is_name_character(c)) c = '-';
  }
  stem.resize(std::min(stem.size(), kMaxStudyName));
  return is_study_name(stem) ? stem : "study";
}

/// Reads a file in steps: each needs what the ones before it found.
class Reader {
 public:
  Reader(const Node& root, const ReadOptions& options) : root_(root), options_(options) {
    check_tables();
  }

  StudyFile read(const std::string& file_name) {
    file_.study.name = default_name(file_name);
    read_table("study");
    if (options_.seed) {
      base::require(*options_.seed <= kMaxSeed, "--seed", fmt::format("{}", *options_.seed),
                    fmt::format("must be a whole number from 0 to {}", kMaxSeed));
      file_.seed = *options_.seed;
    }
    read_objective();
    SpaceResult space =
        read_space(section("space"), function(), file_.seed, options_.directory_for_csv);
    file_.space = std::move(space.space);
    file_.study.domain = std::move(space.domain);
    read_settings();
    read_kernel();
    read_table("coordinator");
    protocol::validate(file_.study);
    return std::move(file_);
  }

 private:
  Section section(std::string_view name) const { return {std::string(name), root_.find(name)}; }

  void check_tables() const {
    std::vector<std::string_view> tables;
    for (const std::string_view table : table_names()) {
      if (table != "space.NAME") tables.push_back(table);
    }
    for (const auto& [key, node] : root_.entries) {
      if (std::find(tables.begin(), tables.end(), key) == tables.end()) {
        throw PlacedError(node.position, show_name(key) + " = " + show(node) +
                                             ": unknown key or table" + advice(key, tables));
      }
    }
  }

  // Values first, then what goes with what: a row may ask for any other setting.
  template <class Record, class Fields, class Row>
  void read_fields(const Fields& fields, const Row& row, Record& record, Record& usual) const {
    for (const auto& entry : fields) {
      if (const base::Field<Record>* field = row(entry)) {
        section(field->table)
            .read(field->key, field->place(record), field->range, field->constraint);
      }
    }
    for (const auto& entry : fields) {
      if (const base::Field<Record>* field = row(entry)) check_field(*field, record, usual);
    }
  }

  template <class Record>
  void check_field(const base::Field<Record>& field, Record& record, Record& usual) const {
    const Section table = section(field.table);
    if (!field.applies_to(record)) {
      table.forbid(field.key, std::string(field.why_not(record)));
      base::assign(field.place(record), field.place(usual));
    } else if (!table.has(field.key)) {
      if (!field.required.empty()) table.fail(field.key, std::string(field.required));
    } else if (field.holds != nullptr && !field.holds(record)) {
      table.fail(field.key, std::string(field.constraint));
    }
  }

  void read_table(std::string_view table) {
    section(table).check_keys(keys_of(table));
    const auto row = [&](const FileField& field) {
      return field.table == table && field.place != nullptr ? &field : nullptr;
    };
    read_fields(file_fields(), row, file_, usual_);
  }

  void read_objective() {
    const Section table = section("objective");
    table.check_keys(keys_of("objective"));
    if (options_.functions != nullptr && !options_.measures && !table.has("builtin") &&
        !table.has("command")) {
      table.fail("builtin", "give builtin = \"NAME\" or command = [\"PROGRAM\", ...]");
    }
    read_table("objective");
    if (options_.functions != nullptr && table.has("builtin")) {
      table.choice("builtin", options_.functions->names);
    }
  }

  std::optional<KnownFunction> function() const {
    const std::string& name = file_.objective.builtin;
    if (options_.functions == nullptr || name.empty()) return std::nullopt;
    return KnownFunction{name, options_.functions->info(name)};
  }

  void read_settings() {
    const Section duets = section("duets");
    duets.check_keys(keys_of("duets"));
    section("noise").check_keys(keys_of("noise"));
    Study& study = file_.study;
    if (duets.has("preset")) {
      std::vector<std::string> names;
      for (const Preset& preset : protocol::presets()) names.emplace_back(preset.name);
      file_.preset = &protocol::presets()[duets.choice("preset", names)];
    } else if (duets.has("goal") || says_nothing_of_the_model()) {
      file_.preset = protocol::find_preset("auto");
    }
    if (file_.preset != nullptr) protocol::apply_preset(*file_.preset, study);
    if (!has_own_preset()) duets.forbid("goal", "needs a preset that learns its parameters");
    if (file_.preset != nullptr) file_.goal = file_.preset->goal;
    file_.goal = duets.option<protocol::Goal>("goal").value_or(file_.goal);
    protocol::apply_goal(file_.goal, study);
    if (duets.option<protocol::Mode>("mode") == protocol::Mode::kTheory && has_own_preset()) {
      duets.fail("preset", "has no theory: mode = \"theory\" goes with preset = \"paper\" or none");
    }
    if (duets.has("epochs")) study.schedule = protocol::ScheduleRule::kExplicit;
    // Either floor of the file takes the place of the preset's.
    if (duets.has("volume_floor")) study.side_floor = 0;
    if (duets.has("side_floor")) study.volume_floor = 0;
    read_fields(
        protocol::settings(), [](const protocol::Setting& setting) { return &setting.field; },
        study, usual_.study);
  }

  void read_kernel() {
    const Section kernel = section("kernel");
    file_.lengthscale_given = kernel.has("lengthscale");
    if (!file_.lengthscale_given) file_.lengthscales = {default_lengthscale(kernel)};
    read_table("kernel");
    file_.study.kernel.lengthscales = file_.study.domain->feature_lengthscales(file_.lengthscales);
  }

  // Then the preset is one that finds out.
  bool says_nothing_of_the_model() const {
    return !section("duets").is_there() && !section("noise").is_there() &&
           !section("kernel").is_there();
  }

  bool has_own_preset() const {
    return file_.preset != nullptr && file_.preset != &protocol::presets().front();
  }

  // Boxes are one unit wide whatever they are about, so one default serves them all; given points
  // have units that nobody else knows, unless a preset measures them.
  double default_lengthscale(const Section& kernel) const {
    if (has_own_preset()) {
      const double guess = protocol::guessed_lengthscale(*file_.study.domain);
      // Given points lie anywhere.
      if (guess >= 1e-12 && guess <= 1e100) return guess;
      kernel.fail("lengthscale", "must be at least 1e-12 and at most 1e100");
    }
    if (file_.space.source == CandidateSource::kPoints) {
      kernel.fail("lengthscale", "required: given points have no usual length scale");
    }
    const bool round = file_.study.domain->shape() == domain::Shape::kBall ||
                       (file_.space.source == CandidateSource::kRandom &&
                        file_.space.shape != region::CandidateShape::kCube);
    return round ? file_.space.radius : kUsualLengthscale;
  }

  const Node& root_;
  const ReadOptions& options_;
  StudyFile file_;
  StudyFile usual_;
};

// One length scale for each latent coordinate: the columns of a categorical share theirs.
std::vector<double> latent_lengthscales(const Study& study) {
  const std::vector<double>& features = study.kernel.lengthscales;
  if (features.size() == 1 || study.domain->shape() != domain::Shape::kBox) return features;
  std::vector<double> latents;
  std::size_t feature = 0;
  for (const domain::Parameter& parameter : study.domain->parameters()) {
    latents.push_back(features.at(feature));
    feature += domain::num_features(parameter);
  }
  return latents;
}

}  // namespace

bool is_study_name(std::string_view name) {
  return !name.empty() && name.size() <= kMaxStudyName && name.front() != '.' &&
         std::all_of(name.begin(), name.end(), is_name_character);
}

std::string Objective::objection_to(double value) const {
  if (protocol::is_usable_reward(reward(value))) return {};
  return fmt::format("value = {}: must be finite and, after offset and scale, below {} in size",
                     value, protocol::kLargestRewardText);
}

StudyFile parse_study(std::string_view text, const std::string& file_name,
                      const ReadOptions& options) {
  const Node root = parse_toml(text, file_name);
  try {
    return Reader(root, options).read(file_name);
  } catch (const LocatedError&) {
    throw;
  } catch (const PlacedError& error) {
    throw LocatedError(file_name, error.position(), error.what());
  } catch (const base::Error& error) {
    // "field = value: constraint", from here or from a module below.
    const std::string_view message = error.what();
    const Position position = locate(root, message.substr(0, message.find(" = ")));
    throw LocatedError(file_name, position, error.what());
  }
}

StudyFile file_of(const Study& study, const Objective& objective,
                  const CoordinatorSettings& coordinator) {
  protocol::validate(study);
  StudyFile file;
  file.study = study;
  file.objective = objective;
  file.coordinator = coordinator;
  file.space.radius = study.domain->radius();
  if (study.domain->is_finite()) file.space.source = CandidateSource::kPoints;
  file.lengthscales = latent_lengthscales(study);
  file.lengthscale_given = true;
  const StudyFile read = parse_study(resolved_toml(file), study.name);
  base::require(protocol::study_digest(read.study) == protocol::study_digest(study), "study",
                study.name,
                "no study file says this: a setting that does not apply must have its "
                "default");
  return file;
}

}  // namespace duets::study
