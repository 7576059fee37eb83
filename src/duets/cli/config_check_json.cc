#include <cmath>

#include "duets/cli/config_check.h"
#include "duets/cli/json_text.h"
#include "duets/cli/study_file.h"
#include "duets/gp/confidence.h"
#include "duets/protocol/study.h"

namespace duets::cli {
namespace {

using Json = nlohmann::ordered_json;
using protocol::Study;

Json domain_json(const domain::Domain& domain) {
  return {{"shape", base::name_of(domain.shape())},
          {"dimension", domain.dimension()},
          {"candidates", domain.is_finite() ? Json(domain.candidates().rows()) : Json(nullptr)}};
}

// With learned parameters, variance and lambda are not known in advance.
Json model_json(const StudyFile& file) {
  const Study& study = file.study;
  const bool learned = study.parameters == protocol::Parameters::kLearned;
  return {{"parameters", base::name_of(study.parameters)},
          {"kernel", base::name_of(study.kernel.family)},
          {"lengthscale", file.lengthscales},
          {"variance", learned ? Json(nullptr) : Json(study.kernel.variance)},
          {"lambda", learned ? Json(nullptr) : Json(study.lambda)}};
}

Json floor_json(const Study& study, std::size_t num_cuts) {
  if (!protocol::has_floor(study) || num_cuts == 0) return nullptr;
  const double share = protocol::kept_share(study);
  return {{"each_cut", share}, {"all_cuts", std::pow(share, static_cast<double>(num_cuts))}};
}

Json theory_json(const Study& study) {
  if (study.mode != protocol::Mode::kTheory) return nullptr;
  return {{"width", gp::sparse_beta(theory_inputs(study))},
          {"p0", gp::theory_p0(theory_inputs(study))}};
}

Json learned_json(const ConfigCheck& check) {
  if (!check.learned_cuts) return nullptr;
  return {{"learned", check.learned_cuts->learned}, {"all", check.learned_cuts->all}};
}

Json exchange_json(const ExchangeForecast& exchange) {
  return {{"upload", exchange.rewards ? "rewards" : "projection"},
          {"upload_reals", exchange.rewards ? exchange.length : exchange.inducing},
          {"inducing", exchange.inducing},
          {"sigma2_max", exchange.sigma2_max},
          {"cut", exchange.cut}};
}

Json epochs_json(const Study& study, const ConfigCheck& check) {
  Json epochs = Json::array();
  for (std::size_t j = 0; j < check.lengths.size(); ++j) {
    const std::uint32_t length = check.lengths[j];
    epochs.push_back({{"epoch", j + 1},
                      {"length", length},
                      {"queries", std::uint64_t{study.agents} * length},
                      {"strata", or_null(strata_of(study, length))},
                      {"exchange", j < check.exchanges.size() ? exchange_json(check.exchanges[j])
                                                              : Json(nullptr)}});
  }
  return epochs;
}

Json reals_json(const Study& study, const ConfigCheck& check) {
  if (check.exchanges.empty()) return nullptr;
  const RealsForecast reals = forecast_reals(study, check.exchanges);
  return {{"paper", reals.paper}, {"figure", reals.figure}, {"links", reals.links}};
}

Json memory_json(const harness::MemoryEstimate& memory) {
  return {{"total", memory.total()},   {"program", memory.program}, {"points", memory.points},
          {"rewards", memory.rewards}, {"agents", memory.agents},   {"model", memory.model}};
}

Json coordinator_json(const study::CoordinatorSettings& coordinator) {
  return {{"listen", or_null(coordinator.listen)},
          {"storage", or_null(coordinator.storage)},
          {"tls", or_null(coordinator.tls)},
          {"quorum", or_null(coordinator.quorum)},
          {"deadline", or_null(coordinator.deadline)}};
}

Json warnings_json(const std::vector<ConfigWarning>& warnings) {
  Json list = Json::array();
  for (const ConfigWarning& warning : warnings) {
    list.push_back({{"code", warning.code}, {"field", warning.field}, {"text", warning.text}});
  }
  return list;
}

}  // namespace

std::string config_json(const StudyFile& file, const ConfigCheck& check) {
  const Study& study = file.study;
  Json json;
  json["study"] = study.name;
  json["direction"] = base::name_of(file.objective.direction);
  json["seed"] = file.seed;
  json["agents"] = study.agents;
  json["horizon"] = study.horizon;
  json["queries"] = std::uint64_t{study.agents} * study.horizon;
  json["domain"] = domain_json(*study.domain);
  json["preset"] = file.preset ? Json(file.preset->name) : Json(nullptr);
  json["mode"] = base::name_of(study.mode);
  json["model"] = model_json(file);
  json["epochs"] = epochs_json(study, check);
  json["exchanges"] = check.lengths.size() - 1;
  json["volume_floor"] = floor_json(study, check.lengths.size() - 1);
  json["theory"] = theory_json(study);
  json["learned_cuts"] = learned_json(check);
  json["reals"] = reals_json(study, check);
  json["last_cut"] = check.exchanges.empty() ? Json(nullptr) : Json(check.exchanges.back().cut);
  json["acceptance"] = or_null(check.acceptance);
  json["memory_bytes"] = memory_json(check.memory);
  json["coordinator"] = coordinator_json(file.coordinator);
  json["warnings"] = warnings_json(check.warnings);
  return json_text(json);
}

}  // namespace duets::cli
