// What a study will do, told before it runs: facts derived from the file, and warnings.
//
// The warnings are forecasts, not errors. Three of them rest on what an epoch will leave unknown.
// That is measured, not guessed: for each planned exchange, N T_j points are drawn from the whole
// domain (at most kForecastPoints, each then counting several times), sigma2_max is the largest
// posterior variance at kForecastProbes more, and S_j is chosen from the points by the study's
// rule. Real epochs draw from a smaller region and leave less variance, so sigma2_max is an upper
// estimate. Where parameters are learned the unit is one prior deviation, lambda is taken for a
// tenth of the prior variance, and the length scale for the study's guess.
//
// The forecast acceptance (box or ball) is the share of the domain within distance r of a maximum,
// in length scales, where a single bump k(., x*) of height one prior deviation has fallen by the
// last cut. One bump, so it is low for functions with many good places; sigma_max of the whole
// domain, so it is high for long runs. With a volume floor it is at least what all cuts leave.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "duets/cli/study_file.h"
#include "duets/harness/memory_estimate.h"

namespace duets::cli {

inline constexpr std::size_t kForecastPoints = 400;
inline constexpr std::size_t kForecastProbes = 200;
/// What a rank is taken for that kForecastPoints points do not show.
inline constexpr std::size_t kForecastMaxRank = 4000;
/// Below this forecast acceptance there is a warning.
inline constexpr double kLowAcceptance = 1e-6;

/// One planned exchange.
struct ExchangeForecast {
  std::uint32_t length = 0;  ///< T_j: how many rewards an agent has to tell
  bool rewards = false;      ///< they are what it sends; otherwise a projection
  double sigma2_max = 0;     ///< upper estimate
  double cut = 0;            ///< max mean - tau_j, model units; upper estimate
  std::size_t inducing = 0;  ///< |S_j|: how many reals a projection has
  std::size_t rank = 0;      ///< pivots that the variance of many points needs
};

/// One for every epoch but the last, which is followed by no exchange. Deterministic; costs a
/// factorisation of at most kForecastPoints rows for every different epoch length.
std::vector<ExchangeForecast> forecast_exchanges(const protocol::Study& study, std::uint64_t seed);

/// The forecast acceptance after the last cut; none on a finite set.
std::optional<double> forecast_acceptance(const protocol::Study& study, double cut);

/// Real numbers that all exchanges send, in the three ledgers of docs/guide.md. Without learned
/// models and what absent agents, holes and start points would add.
struct RealsForecast {
  double paper = 0, figure = 0, links = 0;
};
RealsForecast forecast_reals(const protocol::Study& study,
                             const std::vector<ExchangeForecast>& exchanges);

/// Something in the file that is likely to disappoint.
struct ConfigWarning {
  std::string code;   ///< for programs: "one-epoch"
  std::string field;  ///< of the study file, the first to change
  std::string text;   ///< one sentence or two, with what to change
};

/// The cuts that use a learned length scale: small fleets cut several times before they know one.
struct LearnedCuts {
  std::size_t learned = 0;  ///< of `all`; the first ones rest on the guess
  std::size_t all = 0;
};

struct ConfigCheck {
  /// Names and values for people, in a fixed order.
  std::vector<std::pair<std::string, std::string>> facts;
  std::vector<ConfigWarning> warnings;
  std::vector<std::uint32_t> lengths;       ///< T_1 .. T_J
  std::vector<ExchangeForecast> exchanges;  ///< empty when there is none, or no forecast
  std::optional<double> acceptance;         ///< forecast_acceptance() after the last exchange
  std::optional<LearnedCuts> learned_cuts;  ///< with learned parameters
  /// For estimate_memory(): the largest of the forecasts.
  harness::ModelSize model;
  harness::MemoryEstimate memory;  ///< of a simulation in one process on all processors
};

ConfigCheck check(const StudyFile& file);

/// The parts of the region that stratified coins make in an epoch of so many queries an agent; none
/// where coins are independent.
std::optional<std::uint64_t> strata_of(const protocol::Study& study, std::uint32_t length);

/// The whole check as one JSON object (docs/formats/json.md).
std::string config_json(const StudyFile& file, const ConfigCheck& check);

}  // namespace duets::cli
