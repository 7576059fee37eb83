// The coordinator's report of an epoch: what was asked for beside what was used.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string_view>
#include <variant>
#include <vector>

#include "duets/base/bytes.h"
#include "duets/base/digest.h"
#include "duets/base/enum_table.h"
#include "duets/base/ids.h"
#include "duets/kernel/kernel.h"
#include "duets/numeric/matrix.h"
#include "duets/region/sampler.h"

namespace duets::protocol {

/// How the posterior variance of D_j was computed.
enum class VariancePath : std::uint8_t {
  kExact = 0,        ///< dense, over the distinct points
  kLowRank = 1,      ///< through pivots whose residual is at most 1 % of sigma2_max
  kApproximate = 2,  ///< through most_pivots() pivots; their residual is larger than that
};

constexpr auto enum_entries(VariancePath /*tag*/) {
  return base::entries<VariancePath>({{VariancePath::kExact, "exact"},
                                      {VariancePath::kLowRank, "low-rank"},
                                      {VariancePath::kApproximate, "approximate"}});
}

/// One closed epoch. The last epoch of a run has a report with closing = "projection" or "all".
struct EpochReport {
  base::EpochId epoch{};
  std::uint32_t planned_length = 0;  ///< T_j by the schedule
  std::uint32_t length = 0;          ///< T_j after the horizon shortened it
  std::uint64_t num_points = 0;      ///< points that count: N T_j less holes and absent agents
  std::uint64_t num_distinct = 0;    ///< distinct points among them (finite sets collapse)

  std::uint64_t region_points = 0;  ///< finite sets: |X_j|; otherwise 0
  std::uint64_t survivors = 0;      ///< finite sets: |X_{j+1}|; otherwise 0
  double region_fraction = 1;       ///< volume of X_j as a fraction of X (estimated if continuous)
  double cut_acceptance = 1;        ///< fraction of X_j that the cut keeps (likewise)
  std::uint64_t pieces = 0;  ///< of X_j, at least; 0 where they are not counted (region/pieces.h)
  region::SamplerSettings sampler;     ///< how X_j was sampled
  std::uint64_t membership_tests = 0;  ///< made while replaying the points of this epoch

  double sigma2_max_open = 0;      ///< over all N T_j points, when the epoch opened
  double sigma2_max = 0;           ///< over the points that count
  double p_unclipped = 0;          ///< p0 sigma2_max (coin only)
  double p = 0;                    ///< after clipping to 1
  std::uint64_t num_selected = 0;  ///< |S_j| before pruning
  std::uint64_t num_inducing = 0;  ///< |S_j| as broadcast
  VariancePath variance_path = VariancePath::kExact;
  std::uint64_t variance_rank = 0;
  double variance_tolerance = 0;  ///< largest residual the pivots left on any point; 0 when exact
  std::uint64_t num_clamped = 0;  ///< variances that rounding had pushed outside [0, k(x,x)]
  double information_gain = 0;    ///< of the points that count, seen through S_j

  kernel::Kernel kernel;     ///< of the posterior used for the cut: the study's, or learned
  double lambda = 0;         ///< likewise
  double reward_offset = 0;  ///< likewise
  double surprise =
      0;  ///< learned, rewards sent: mean squared standardised residual of the epoch's
          ///< rewards under the model that was known before; 0 where there is none

  double width = 0;            ///< beta, or the theory's b~
  double max_stddev = 0;       ///< sigma_max, or the theory's max s~
  double max_mean = 0;         ///< largest posterior mean on X_j, reward offset included
  double tau = 0;              ///< threshold, reward offset included
  double printed_tau = 0;      ///< what it would be without the volume floor, likewise
  numeric::Vector best_point;  ///< latent point of that largest mean
  double best_stddev = 0;      ///< posterior deviation there
  double kept_share = 0;       ///< decision: the share that was chosen; otherwise 0
  /// Decision, and the end of a run that learns: expected, best on X_j less the value at best_point
  double shortfall = 0;
  double missed = 0;       ///< likewise: chance that it is more than kBetterBy prior deviations
  double lost = 0;         ///< decision: expected, best on X_j less the best that is kept
  double lost_chance = 0;  ///< likewise: chance that it is more than kBetterBy prior deviations

  /// Theory, 0 otherwise: no point that the cut keeps is worse than the best one by more than this
  /// (lemma 4.2), with the study's probability; at most twice the bound on the function.
  double gap_bound = 0;

  double smallest_margin = std::numeric_limits<double>::infinity();  ///< of all decisions
  double mean_error = 0;  ///< estimated rounding error of a posterior mean: compare with the margin

  std::uint32_t num_participants = 0;
  std::uint64_t num_holes = 0;
  base::Digest run_digest;    ///< of everything queried and decided up to here
  base::Digest state_digest;  ///< of everything transmitted up to here
};

/// A number of a report, as records hold it.
struct ReportNumber {
  std::variant<std::uint64_t EpochReport::*, double EpochReport::*> member;
  /// A column of epochs.csv and its title in the report (markup; empty: not shown there), for a
  /// number that harness/run_tables.cc has no column for.
  std::string_view column = {};
  std::string_view title = {};
  /// How far two machines may differ, relative to 1 + the number; 0: not at all. For a number that
  /// verify_compare.cc does not compare itself.
  double tolerance = 0;
};

/// All of them, in the order of the bytes. A new one comes last, and with it a new kReportVersion.
inline constexpr auto kReportNumbers = std::to_array<ReportNumber>({
    {&EpochReport::num_points},
    {&EpochReport::num_distinct},
    {&EpochReport::region_points},
    {&EpochReport::survivors},
    {&EpochReport::region_fraction},
    {&EpochReport::cut_acceptance},
    {&EpochReport::membership_tests},
    {&EpochReport::sigma2_max_open},
    {&EpochReport::sigma2_max},
    {&EpochReport::p_unclipped},
    {&EpochReport::p},
    {&EpochReport::num_selected},
    {&EpochReport::num_inducing},
    {&EpochReport::variance_rank},
    {&EpochReport::variance_tolerance},
    {&EpochReport::num_clamped},
    {&EpochReport::information_gain},
    {&EpochReport::lambda},
    {&EpochReport::reward_offset},
    {&EpochReport::surprise},
    {&EpochReport::width},
    {&EpochReport::max_stddev},
    {&EpochReport::max_mean},
    {&EpochReport::tau},
    {&EpochReport::printed_tau},
    {&EpochReport::best_stddev},
    {&EpochReport::kept_share},
    {&EpochReport::shortfall},
    {&EpochReport::lost},
    {&EpochReport::smallest_margin},
    {&EpochReport::mean_error},
    {&EpochReport::num_holes},
    // Two to five samples of 128 may fall on the other side on another machine.
    {&EpochReport::missed, "missed", "chance of something better", 0.02},
    {&EpochReport::lost_chance, "lost_chance", "chance that the cut loses it", 0.02},
    {&EpochReport::gap_bound, "gap_bound", "largest gap left (theory)", 1e-4},
    {&EpochReport::pieces, "pieces", "pieces of the region, at least"},
});

/// Of the bytes of a report and of all files that are made from reports: the version of exports.
inline constexpr std::uint32_t kReportVersion = 10;

void write_report(base::ByteWriter& out, const EpochReport& report);
EpochReport read_report(base::ByteReader& in);

}  // namespace duets::protocol
