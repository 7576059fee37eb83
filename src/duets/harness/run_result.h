// The results of a finished run as plain data, for tables, figures, files and reports.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "duets/domain/shown_value.h"
#include "duets/numeric/matrix.h"
#include "duets/protocol/found.h"
#include "duets/protocol/reward_scale.h"
#include "duets/protocol/run_summary.h"

namespace duets::harness {

using protocol::CommunicationPoint;

/// One query.
struct Trial {
  std::uint32_t agent = 0;
  std::uint32_t epoch = 0;
  std::uint32_t slot = 0;
  std::uint32_t t = 0;         ///< 0-based time of the query at its agent
  std::vector<double> values;  ///< parameter values, user's units
  bool hole = false;           ///< the query failed
  double value = 0;            ///< observed, user's units
  double regret = 0;           ///< f(x*) - f(x), noise-free, user's units; 0 for a hole
};

/// A picture of a two-dimensional study on a regular grid (x fastest), over [low, high]^2.
struct Picture {
  std::size_t resolution = 0;  ///< grid points along each axis
  double low = 0;              ///< of both axes, latent units
  double high = 1;
  std::vector<double> mean;   ///< last posterior mean, model units; resolution^2
  std::vector<double> truth;  ///< noise-free function, or empty
  std::vector<std::vector<std::uint8_t>> inside;  ///< for X_2, X_3, ...: 1 where the region is
  std::vector<std::vector<double>> margin;  ///< for each cut: mean - tau (its zero line is the cut)
  std::vector<double> point_x, point_y;     ///< queried points
  std::vector<std::uint32_t> point_epoch;   ///< 1-based epoch of each
  std::uint64_t point_stride = 1;           ///< one point per this many queries (thinning.h)
  double recommended_x = 0, recommended_y = 0;
  bool has_recommendation = false;
};

struct RunResult {
  std::string study_name;
  std::string objective;
  std::string direction;  ///< "maximize" or "minimize"
  std::string domain;     ///< "finite", "box", "ball"
  std::vector<std::string> coordinate_names;
  std::vector<domain::Parameter> parameters;  ///< of a box; empty otherwise
  std::uint32_t agents = 0;
  std::uint32_t horizon = 0;
  std::uint64_t seed = 0;
  std::vector<std::uint32_t> lengths;  ///< T_1 .. T_J
  std::vector<protocol::EpochReport>
      epochs;  ///< the closed ones: J - 1, or J with a closing projection
  std::vector<double> cumulative_regret;  ///< after t = 1 .. T queries, summed over agents
  std::vector<CommunicationPoint> communication;
  std::optional<double> optimum;  ///< f(x*) the regret is measured against
  std::optional<protocol::Found> recommendation;
  std::optional<protocol::Found> best_trial;  ///< no values when the agents' secret is not known
  std::optional<Picture> picture;             ///< two-dimensional studies
  std::string interval_meaning;               ///< of the recommendation, in a phrase
  std::string guarantee;        ///< the theorem's statement about this run, in a sentence
  std::string horizon_changes;  ///< in a phrase; empty: it was never changed
  std::string study_digest, run_digest, state_digest;
  double smallest_margin = 0;  ///< of all decisions
  double mean_error = 0;       ///< estimated rounding error beside it
};

/// What plain ask and tell, which sends every agent each point and is told each reward, would have
/// sent over all links by time t.
double ask_tell_reals(const RunResult& result, double t);

/// The result of a run as far as its records have it, simulated or deployed. The caller sets
/// objective and seed, and what is not in the records: values of the best trial, regret and other
/// truths, the picture.
RunResult result_of(const protocol::Study& study, const protocol::RewardScale& scale,
                    const protocol::RunSummary& summary);

}  // namespace duets::harness
