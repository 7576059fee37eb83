#include <fmt/format.h>

#include <array>

#include "duets/cli/study_file_sections.h"

namespace duets::cli {
namespace {

using protocol::ClosingRule;
using protocol::CoinRate;
using protocol::Coins;
using protocol::DataPolicy;
using protocol::Inducing;
using protocol::Mode;
using protocol::Parameters;
using protocol::Preset;
using protocol::ScheduleRule;
using protocol::Study;
using protocol::UploadRule;

constexpr std::array<std::string_view, 17> kKeys{
    "mode",         "t1",          "p0",         "beta",      "schedule", "epochs",
    "inducing",     "upload",      "data",       "closing",   "preset",   "rate",
    "volume_floor", "epoch_floor", "parameters", "relevance", "coins"};

void read_schedule(const Section& duets, Study& study) {
  const bool listed = duets.has("epochs");
  study.schedule = duets.option<ScheduleRule>("schedule")
                       .value_or(listed ? ScheduleRule::kExplicit : study.schedule);
  if (study.schedule != ScheduleRule::kExplicit) {
    duets.forbid("epochs", "belongs to schedule = \"explicit\"");
    study.t1 = static_cast<std::uint32_t>(duets.whole("t1", 1, kMaxQueries).value_or(study.t1));
    return;
  }
  duets.forbid("t1", "does not go with a list of epochs, which says how long the first is");
  if (!listed) duets.fail("epochs", "schedule = \"explicit\" needs a list of epoch lengths");
  // The file cannot say it, but the digest covers it: one value, whatever the preset.
  study.t1 = Study{}.t1;
  study.epochs = duets.wholes("epochs", 1, kMaxQueries).value();
}

void read_tuned(const Section& duets, const Section& noise, Study& study) {
  for (const char* key : {"bound", "subgaussian", "delta"}) {
    noise.forbid(key, "belongs to duets.mode = \"theory\"");
  }
  study.beta = duets.number("beta").value_or(study.beta);
  if (study.inducing != Inducing::kCoin) {
    for (const char* key : {"p0", "rate"}) duets.forbid(key, "belongs to inducing = \"coin\"");
  }
  study.p0 = duets.positive("p0").value_or(study.p0);
  study.rate = duets.option<CoinRate>("rate").value_or(study.rate);
}

void read_theory(const Section& duets, const Section& noise, Study& study) {
  for (const char* key : {"beta", "p0", "rate"}) {
    duets.forbid(key,
                 "mode = \"theory\" computes it from noise.bound, noise.subgaussian and "
                 "noise.delta");
  }
  if (study.parameters == Parameters::kLearned) {
    duets.fail("parameters", "mode = \"theory\" needs parameters = \"fixed\": a known kernel");
  }
  const auto bound = noise.positive("bound");
  if (!bound) noise.fail("bound", "mode = \"theory\" needs a bound on the norm of the function");
  const auto subgaussian = noise.positive("subgaussian");
  if (!subgaussian) {
    noise.fail("subgaussian", "mode = \"theory\" needs the sub-Gaussian constant of the noise");
  }
  study.norm_bound = *bound;
  study.subgaussian = *subgaussian;
  study.delta = noise.positive("delta").value_or(study.delta);
  if (study.delta >= 1) noise.fail("delta", "must be a probability below 1");
}

std::optional<Preset> read_preset(const Section& duets) {
  std::vector<std::pair<std::string_view, Preset>> names;
  names.reserve(protocol::kPresets.size());
  for (const Preset preset : protocol::kPresets) names.emplace_back(protocol::name(preset), preset);
  return duets.option<Preset>("preset", names);
}

// What a preset says of a part that the file switches off has no meaning any more.
void read_floor(const Section& duets, Study& study) {
  study.volume_floor = duets.number("volume_floor").value_or(study.volume_floor);
  if (study.volume_floor == 0) {
    duets.forbid("epoch_floor", "belongs to a volume_floor above 0");
    study.epoch_floor = 1;
  }
  study.epoch_floor = duets.number("epoch_floor").value_or(study.epoch_floor);
}

void read_parameters(const Section& duets, Study& study) {
  study.parameters = duets.option<Parameters>("parameters").value_or(study.parameters);
  const bool learned = study.parameters == Parameters::kLearned;
  study.relevance = duets.flag("relevance").value_or(learned && study.relevance);
}

}  // namespace

std::optional<Preset> read_duets(const Section& duets, const Section& noise,
                                 std::optional<Preset> usual, Study& study) {
  duets.check_keys(kDuetsKeys);
  const std::optional<Preset> named = read_preset(duets);
  const std::optional<Preset> preset = named ? named : usual;
  protocol::apply_preset(preset.value_or(Preset::kPaper), study);
  study.mode = duets.option<Mode>("mode").value_or(study.mode);
  if (study.mode == Mode::kTheory && preset && *preset != Preset::kPaper) {
    duets.fail("preset", "has no theory: mode = \"theory\" goes with preset = \"paper\" or none");
  }
  study.inducing = duets.option<Inducing>("inducing").value_or(study.inducing);
  study.upload = duets.option<UploadRule>("upload").value_or(study.upload);
  study.data = duets.option<DataPolicy>("data").value_or(study.data);
  study.closing = duets.option<ClosingRule>("closing").value_or(study.closing);
  study.coins = duets.option<Coins>("coins").value_or(study.coins);
  read_floor(duets, study);
  read_parameters(duets, study);
  read_schedule(duets, study);
  if (study.mode == Mode::kTuned) {
    read_tuned(duets, noise, study);
  } else {
    read_theory(duets, noise, study);
  }
  return preset;
}

}  // namespace duets::cli
