#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "duets/base/count_text.h"
#include "duets/cli/config_check.h"
#include "duets/cli/json_text.h"
#include "duets/cli/queries_text.h"
#include "duets/cli/study_file.h"
#include "duets/gp/confidence.h"
#include "duets/gp/fit_parameters.h"
#include "duets/protocol/study.h"
#include "duets/region/strata.h"

namespace duets::cli {
namespace {

using Json = nlohmann::ordered_json;
using protocol::Study;

/// What programs read and what people read, side by side.
struct Fact {
  std::string field{};  ///< of the JSON object; empty: the value is inside another field
  Json value{};
  std::string name{};  ///< of the line for people
  std::string text{};  ///< empty: no line
};
using Facts = std::vector<Fact>;

constexpr std::size_t kMaxListed = 12;  // epochs in a line of text

template <class Item>
std::string listed(const std::vector<Item>& items) {
  const auto end = items.begin() + static_cast<std::ptrdiff_t>(std::min(items.size(), kMaxListed));
  return fmt::format("{}{}", fmt::join(items.begin(), end, ", "),
                     items.size() > kMaxListed ? ", ..." : "");
}

bool learns_model(const Study& study) { return study.parameters == protocol::Parameters::kLearned; }

Json domain_json(const domain::Domain& domain) {
  return {{"shape", base::name_of(domain.shape())},
          {"dimension", domain.dimension()},
          {"candidates", domain.is_finite() ? Json(domain.candidates().rows()) : Json(nullptr)}};
}

// With learned parameters, variance and lambda are not known in advance.
Json model_json(const StudyFile& file) {
  const Study& study = file.study;
  const bool learned = learns_model(study);
  return {{"parameters", base::name_of(study.parameters)},
          {"kernel", base::name_of(study.kernel.family)},
          {"lengthscale", file.lengthscales},
          {"variance", learned ? Json(nullptr) : Json(study.kernel.variance)},
          {"lambda", learned ? Json(nullptr) : Json(study.lambda)},
          {"relevance", study.relevance},
          {"family", study.family}};
}

std::string kernel_text(const StudyFile& file) {
  const kernel::Kernel& kernel = file.study.kernel;
  const std::string_view family = base::name_of(kernel.family);
  return learns_model(file.study)
             ? fmt::format("{}, length scale {:.3g} as a first guess", family,
                           fmt::join(file.lengthscales, ", "))
             : fmt::format("{}, length scale {}, variance {}", family,
                           fmt::join(file.lengthscales, ", "), kernel.variance);
}

std::string learned_text(const Study& study) {
  if (!learns_model(study)) return "";
  return fmt::format("{}, variance, lambda, level",
                     study.relevance ? "a length scale for each feature" : "length scale");
}

// That of a stage that was added differs; its cuts are the ones to come.
double share_of_a_cut(const Study& study) {
  return protocol::kept_share(study, base::EpochId{protocol::stages(study).back().end()});
}

Json floor_json(const Study& study, std::size_t num_cuts) {
  if (!protocol::has_floor(study) || num_cuts == 0) return nullptr;
  return {{"each_cut", share_of_a_cut(study)}, {"all_cuts", floor_of_all_cuts(study)}};
}

std::string floor_text(const Json& floor) {
  if (floor.is_null()) return "";
  return fmt::format("each cut keeps at least {:.3g} of its region, all together {:.1g}",
                     floor["each_cut"].get<double>(), floor["all_cuts"].get<double>());
}

std::string cut_text(const Study& study, std::size_t num_cuts) {
  if (study.cut != protocol::CutRule::kDecision || num_cuts == 0) return "";
  const double least = share_of_a_cut(study);
  if (least >= study.epoch_cap) {
    return fmt::format(
        "each keeps {:.3g} of its region: with so many cuts the floor is above the "
        "cap of {:.3g}, and nothing is left to decide",
        least, study.epoch_cap);
  }
  return fmt::format("by decision: each keeps {:.3g} to {:.3g} of its region", least,
                     study.epoch_cap);
}

Json theory_json(const Study& study, const ConfigCheck& check) {
  if (!check.theory) return nullptr;
  return {{"width", gp::sparse_beta(theory_inputs(study))},
          {"p0", gp::theory_p0(theory_inputs(study))},
          {"regret", check.theory->regret},
          {"trivial_regret", check.theory->trivial_regret},
          {"literal_reals", check.theory->literal_reals},
          {"long_enough", check.theory->long_enough()}};
}

std::string theory_regret_text(const ConfigCheck& check) {
  if (!check.theory) return "";
  const TheoryForecast& theory = *check.theory;
  return fmt::format(
      "forecast of its bound {:.3g}, {:.0f} % of the {:.3g} that is certain anyway: {}",
      theory.regret, 100 * theory.regret / theory.trivial_regret, theory.trivial_regret,
      theory.long_enough() ? "the horizon is long enough"
                           : "the horizon is too short to mean anything");
}

// A number of an object that may be null.
std::string number_text(const Json& object, const char* field) {
  return object.is_null() ? "" : fmt::format("{:.4g}", object[field].get<double>());
}

Json learned_json(const ConfigCheck& check) {
  if (!check.learned_cuts) return nullptr;
  return {{"learned", check.learned_cuts->learned}, {"all", check.learned_cuts->all}};
}

std::string learned_cuts_text(const ConfigCheck& check) {
  if (!check.learned_cuts) return "";
  const auto [learned, all] = *check.learned_cuts;
  if (learned == 0) {
    return fmt::format("none of {}: {} rewards are not reached, the guess stays", all,
                       gp::kFewestRewards);
  }
  if (learned == all) return fmt::format("all {}", all);
  return fmt::format("{} of {}; the first {} by the guess, before {} rewards are known", learned,
                     all, all - learned, gp::kFewestRewards);
}

Json exchange_json(const ExchangeForecast& exchange) {
  return {{"upload", exchange.rewards ? "rewards" : "projection"},
          {"upload_reals", exchange.rewards ? exchange.length : exchange.inducing},
          {"inducing", exchange.inducing},
          {"sigma2_max", exchange.sigma2_max},
          {"cut", exchange.cut}};
}

std::string uploads_text(const ConfigCheck& check) {
  std::vector<std::string> sizes;
  for (const ExchangeForecast& exchange : check.exchanges) {
    sizes.push_back(exchange.rewards ? fmt::format("{} rewards", exchange.length)
                                     : fmt::format("projection of {}", exchange.inducing));
  }
  return listed(sizes);
}

// The parts of the region, one for each query of all agents. On a box or ball they consist of
// public points, whose number is limited.
std::optional<std::uint64_t> strata_of(const Study& study, std::uint32_t length) {
  if (study.coins == protocol::Coins::kIndependent) return std::nullopt;
  const std::uint64_t slots = std::uint64_t{study.agents} * length;
  const bool too_many = !study.domain->is_finite() && 2 * slots > region::kMaxStrataPool;
  return too_many ? std::nullopt : std::optional(slots);
}

std::string strata_text(const Study& study, const ConfigCheck& check) {
  if (study.coins == protocol::Coins::kIndependent) return "";
  std::vector<std::string> parts;
  for (const std::uint32_t length : check.lengths) {
    const auto strata = strata_of(study, length);
    parts.push_back(strata ? fmt::format("{}", *strata) : "independent");
  }
  return listed(parts);
}

std::string points_text(const Study& study, const ConfigCheck& check) {
  std::vector<std::uint64_t> points;
  for (const std::uint32_t length : check.lengths) {
    points.push_back(std::uint64_t{study.agents} * length);
  }
  return listed(points);
}

Json epochs_json(const Study& study, const ConfigCheck& check) {
  Json epochs = Json::array();
  auto exchange = check.exchanges.begin();
  for (std::size_t j = 0; j < check.lengths.size(); ++j) {
    const std::uint32_t length = check.lengths[j];
    epochs.push_back({{"epoch", j + 1},
                      {"length", length},
                      {"queries", std::uint64_t{study.agents} * length},
                      {"strata", or_null(strata_of(study, length))},
                      {"exchange", check.cuts[j] && exchange != check.exchanges.end()
                                       ? exchange_json(*exchange++)
                                       : Json(nullptr)}});
  }
  return epochs;
}

Json reals_json(const Study& study, const ConfigCheck& check) {
  if (check.exchanges.empty()) return nullptr;
  const RealsForecast reals = forecast_reals(study, check.exchanges);
  const std::uint64_t queries = std::uint64_t{study.agents} * protocol::num_queries_each(study);
  return {{"paper", reals.paper},
          {"figure", reals.figure},
          {"links", reals.links},
          {"ask_tell_links", queries * (study.domain->dimension() + 1)}};
}

std::string reals_text(const Json& reals) {
  if (reals.is_null()) return "";
  return fmt::format("paper {:.0f}, figure {:.0f}, links {:.0f}; plain ask and tell: links {}",
                     reals["paper"].get<double>(), reals["figure"].get<double>(),
                     reals["links"].get<double>(), reals["ask_tell_links"].get<std::uint64_t>());
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

// Options of `duets serve` override it.
std::string coordinator_text(const study::CoordinatorSettings& given) {
  std::vector<std::string> parts;
  if (given.listen) parts.push_back("listens on " + *given.listen);
  if (given.storage) parts.push_back("storage " + *given.storage);
  if (given.tls) parts.push_back("certificates in " + *given.tls);
  if (given.quorum) parts.push_back(fmt::format("quorum {}", *given.quorum));
  if (given.deadline) parts.push_back(fmt::format("deadline {}", *given.deadline));
  return fmt::format("{}", fmt::join(parts, ", "));
}

Json warnings_json(const std::vector<ConfigWarning>& warnings) {
  Json list = Json::array();
  for (const ConfigWarning& warning : warnings) {
    list.push_back({{"code", warning.code}, {"field", warning.field}, {"text", warning.text}});
  }
  return list;
}

Facts study_facts(const StudyFile& file) {
  const Study& study = file.study;
  const std::uint32_t each = protocol::num_queries_each(study);
  const domain::Domain& domain = *study.domain;
  const Json domain_value = domain_json(domain);
  return {
      {"study", study.name},
      {"direction", base::name_of(file.objective.direction)},
      {"seed", file.seed},
      {"agents", study.agents},
      {"horizon", each},
      {"queries", std::uint64_t{study.agents} * each, "queries", queries_text(study.agents, each)},
      {"domain", domain_value, "domain",
       fmt::format("{}, {}", base::name_of(domain.shape()),
                   base::count_text(domain.dimension(), "dimension", "dimensions"))},
      {"", {}, "candidates", domain.is_finite() ? domain_value["candidates"].dump() : ""}};
}

Facts preset_facts(const StudyFile& file) {
  if (!file.preset) return {{"preset", nullptr}, {"goal", nullptr}};
  const Fact preset = {"preset", file.preset->name, "preset",
                       fmt::format("{}: {}", file.preset->name, file.preset->meaning)};
  if (!learns_model(file.study)) return {preset, {"goal", nullptr}};
  return {preset,
          {"goal", base::name_of(file.goal), "goal",
           fmt::format("{}: {}", base::name_of(file.goal), base::meaning_of(file.goal))}};
}

Facts model_facts(const StudyFile& file, const ConfigCheck& check) {
  const Study& study = file.study;
  std::optional<gp::LargestGain> gain;
  if (!learns_model(study)) gain = forecast_gain(study, file.seed);
  return {{"mode", base::name_of(study.mode)},
          {"model", model_json(file), "kernel", kernel_text(file)},
          {"", {}, "learned from the rewards", learned_text(study)},
          {"", {}, "kernel family", study.family ? "chosen by evidence" : ""},
          {"learned_cuts", learned_json(check), "cuts with a learned length scale",
           learned_cuts_text(check)},
          {"gamma", gain ? Json(gain->value) : Json(nullptr), "largest information gain (gamma)",
           gain ? fmt::format(
                      "{:.3g} nats, at most {:.3g}{}", gain->value, gain->bound,
                      gain_is_sampled(study) ? fmt::format(" (over {} points)", kGainSample) : "")
                : ""},
          {"gamma_bound", gain ? Json(gain->bound) : Json(nullptr)}};
}

Facts epoch_facts(const Study& study, const ConfigCheck& check) {
  const auto num_cuts =
      static_cast<std::size_t>(std::count(check.cuts.begin(), check.cuts.end(), true));
  const Json floor = floor_json(study, num_cuts);
  const Json theory = theory_json(study, check);
  const bool decides = study.cut == protocol::CutRule::kDecision;
  return {{"epochs", epochs_json(study, check), "epochs",
           fmt::format("{} ({})", check.lengths.size(), listed(check.lengths))},
          {"exchanges", num_cuts, "exchanges", fmt::format("{}", num_cuts)},
          {"volume_floor", floor, "volume floor", floor_text(floor)},
          {"cut", base::name_of(study.cut), "cuts", cut_text(study, num_cuts)},
          {"epoch_cap", decides ? Json(study.epoch_cap) : Json(nullptr)},
          {"", {}, "parts of the region, one for each query", strata_text(study, check)},
          {"theory", theory, "theory width", number_text(theory, "width")},
          {"", {}, "theory p0", number_text(theory, "p0")},
          {"", {}, "theory regret", theory_regret_text(check)},
          {"", {}, "theory real numbers, literal", number_text(theory, "literal_reals")}};
}

Facts forecast_facts(const Study& study, const ConfigCheck& check) {
  // A decision looks at samples, not at a width.
  const bool has_width = !check.exchanges.empty() && study.cut == protocol::CutRule::kWidth;
  const double last_cut = has_width ? check.exchanges.back().cut : 0;
  const Json reals = reals_json(study, check);
  const bool large =
      std::uint64_t{study.agents} * protocol::num_queries_each(study) >= harness::kLargeRun;
  return {
      {"", {}, "forecast uploads", uploads_text(check)},
      {"last_cut", has_width ? Json(last_cut) : Json(nullptr), "forecast last cut",
       has_width ? fmt::format("{:.3g}{}", last_cut, learns_model(study) ? " prior deviations" : "")
                 : ""},
      {"reals", reals, "forecast real numbers sent", reals_text(reals)},
      {"acceptance", or_null(check.acceptance), "forecast acceptance",
       check.acceptance ? fmt::format("{:.2g}", *check.acceptance) : ""},
      {"", {}, "points of an epoch", large ? points_text(study, check) : ""},
      {"memory_bytes", memory_json(check.memory), "forecast memory",
       large ? memory_text(check.memory) : ""}};
}

Facts facts_of(const StudyFile& file, const ConfigCheck& check) {
  Facts facts = study_facts(file);
  for (const Facts& more : {preset_facts(file), model_facts(file, check),
                            epoch_facts(file.study, check), forecast_facts(file.study, check)}) {
    facts.insert(facts.end(), more.begin(), more.end());
  }
  facts.push_back({"coordinator", coordinator_json(file.coordinator), "duets serve",
                   coordinator_text(file.coordinator)});
  facts.push_back({"warnings", warnings_json(check.warnings)});
  return facts;
}

}  // namespace

Rows config_rows(const StudyFile& file, const ConfigCheck& check) {
  Rows rows;
  for (const Fact& fact : facts_of(file, check)) {
    if (!fact.text.empty()) rows.emplace_back(fact.name, fact.text);
  }
  return rows;
}

std::string config_json(const StudyFile& file, const ConfigCheck& check) {
  Json json;
  for (const Fact& fact : facts_of(file, check)) {
    if (!fact.field.empty()) json[fact.field] = fact.value;
  }
  return json_text(json);
}

}  // namespace duets::cli
