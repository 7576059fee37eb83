// Checks a study before it runs: facts derived from the file, and warnings.
//
// The warnings are forecasts, not errors. Three of them depend on the uncertainty that an epoch
// will leave. It is measured, not guessed: for each planned exchange, N T_j points are drawn from
// the whole domain (at most kForecastPoints, each then counting several times), sigma2_max is the
// largest posterior variance at kForecastProbes more, and S_j is chosen from the points by the
// study's rule. Real epochs draw from a smaller region and leave less variance, so sigma2_max is an
// upper estimate. With learned parameters the unit is one prior deviation, lambda is assumed to be
// a tenth of the prior variance, and the length scale to be the study's guess.
//
// The forecast acceptance (box or ball) is the share of the domain within distance r of a maximum,
// in length scales, where a single bump k(., x*) of height one prior deviation has fallen by the
// last cut. It is low for functions with many good places, because it counts one bump, and high for
// long runs, because it uses sigma_max of the whole domain. With a volume floor it is at least what
// all cuts leave.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "duets/cli/study_file.h"
#include "duets/cli/summary.h"
#include "duets/gp/largest_gain.h"
#include "duets/harness/memory_estimate.h"

namespace duets::cli {

inline constexpr std::size_t kForecastPoints = 400;
inline constexpr std::size_t kForecastProbes = 200;
/// The assumed rank when kForecastPoints points do not show it.
inline constexpr std::size_t kForecastMaxRank = 4000;
/// Below this forecast acceptance there is a warning.
inline constexpr double kLowAcceptance = 1e-6;

/// One planned exchange.
struct ExchangeForecast {
  std::uint32_t length = 0;  ///< T_j: the number of an agent's rewards
  bool rewards = false;      ///< the agent sends them; otherwise a projection
  double sigma2_max = 0;     ///< upper estimate
  double cut = 0;            ///< max mean - tau_j, model units; upper estimate
  std::size_t inducing = 0;  ///< |S_j|: the number of reals in a projection
  std::size_t rank = 0;      ///< pivots that the variance of many points needs
};

/// One for every epoch except those that end a stage, where nothing is cut. Deterministic; costs a
/// factorisation of at most kForecastPoints rows for every different epoch length.
std::vector<ExchangeForecast> forecast_exchanges(const protocol::Study& study, std::uint64_t seed);

/// The forecast acceptance after the last cut; none on a finite set.
std::optional<double> forecast_acceptance(const protocol::Study& study, double cut);

/// The share of the domain that all cuts together keep at least; 0 without a floor.
double floor_of_all_cuts(const protocol::Study& study);

/// Real numbers that all exchanges send, in the three ledgers of docs/guide.md. Without learned
/// models and what absent agents, holes and start points would add.
struct RealsForecast {
  double paper = 0, figure = 0, links = 0;
};
RealsForecast forecast_reals(const protocol::Study& study,
                             const std::vector<ExchangeForecast>& exchanges);

/// What the theorem says of a study in mode "theory", all agents together.
struct TheoryForecast {
  /// sum_j N T_j Delta_j with Delta_1 the range of the function and Delta_{j+1} at most twice the
  /// forecast cut of epoch j (lemma 4.2): the regret, with the study's probability.
  double regret = 0;
  double trivial_regret = 0;  ///< N T times the range: what is known without any algorithm
  double literal_reals = 0;   ///< ledger paper, with every point that the coins select
  /// Whether the regret is at most half of the trivial one.
  bool long_enough() const { return 2 * regret <= trivial_regret; }
};
TheoryForecast forecast_theory(const protocol::Study& study,
                               const std::vector<ExchangeForecast>& exchanges);

/// Up to this many candidates of a finite set count all, otherwise a sample of kGainSample points.
bool gain_is_sampled(const protocol::Study& study);
inline constexpr std::size_t kGainCandidates = 2000;
inline constexpr std::size_t kGainSample = 600;
/// The largest information gain of N T queries (gamma), in nats, and what bounds it: over all
/// candidates of a finite set, or over a sample of public points. Fixed parameters only.
gp::LargestGain forecast_gain(const protocol::Study& study, std::uint64_t seed);

/// A setting that is likely to give poor results.
struct ConfigWarning {
  std::string code;   ///< for programs: "one-epoch"
  std::string field;  ///< of the study file, the first to change
  std::string text;   ///< one or two sentences, with advice
};

/// The cuts that use a learned length scale: small fleets cut several times before they have one.
struct LearnedCuts {
  std::size_t learned = 0;  ///< of `all`; the first ones use the guess
  std::size_t all = 0;
};

struct ConfigCheck {
  std::vector<ConfigWarning> warnings;
  std::vector<std::uint32_t> lengths;       ///< T_1 .. T_J
  std::vector<bool> cuts;                   ///< whether an epoch ends with a cut, by epoch
  std::vector<ExchangeForecast> exchanges;  ///< empty when there is none, or no forecast
  std::optional<double> acceptance;         ///< forecast_acceptance() after the last exchange
  std::optional<LearnedCuts> learned_cuts;  ///< with learned parameters
  std::optional<TheoryForecast> theory;     ///< in mode "theory"
  /// For estimate_memory(): the largest of the forecasts.
  harness::ModelSize model;
  harness::MemoryEstimate memory;  ///< of a simulation in one process on all processors
};

ConfigCheck check(const StudyFile& file);

/// The check for people: names and values of what applies, in a fixed order.
Rows config_rows(const StudyFile& file, const ConfigCheck& check);

/// The whole check as one JSON object (docs/formats/json.md).
std::string config_json(const StudyFile& file, const ConfigCheck& check);

}  // namespace duets::cli
