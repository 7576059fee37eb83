#include "duets/lab/scaling_tables.h"

#include <fmt/format.h>

#include <iterator>

#include "duets/lab/comparison_text.h"

namespace duets::lab {
namespace {

std::optional<double> interval_low(const std::optional<Interval>& interval) {
  return interval ? std::optional(interval->low) : std::nullopt;
}
std::optional<double> interval_high(const std::optional<Interval>& interval) {
  return interval ? std::optional(interval->high) : std::nullopt;
}

std::string_view sizes_used(const SlopeFit& fit) { return fit.upper_half ? "upper half" : "all"; }

// "branin over T (1.20 [1.10, 1.30])"
std::string fit_text(const SlopeFit& fit) {
  return fmt::format("{} over {}, {} sizes ({})", fit.function, sweep_name(fit.sweep),
                     sizes_used(fit), slope_with_interval(fit));
}

}  // namespace

std::string scaling_csv(const ScalingAnalysis& analysis) {
  std::string out =
      "function,agents,horizon,queries,exchanges,gamma,sqrt_n_t_gamma,runs,regret_mean,regret_std,"
      "regret_low,regret_high,communication_paper,communication_figure,communication_links,"
      "regret_ratio,communication_ratio\n";
  for (const ScalingSummary& size : analysis.sizes) {
    const double root = size.yardstick(Growth::kRegret);
    fmt::format_to(std::back_inserter(out), "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n",
                   size.point.function, size.point.agents, size.point.horizon, size.point.queries(),
                   size.exchanges, size.gain, root, size.regret.runs, size.regret.mean,
                   or_empty(size.regret.stddev), or_empty(interval_low(size.regret.interval)),
                   or_empty(interval_high(size.regret.interval)), size.communication[0].mean,
                   size.communication[1].mean, size.communication[2].mean, size.regret.mean / root,
                   size.communication[0].mean / size.gain);
  }
  return out;
}

std::string slopes_csv(const ScalingAnalysis& analysis) {
  std::string out =
      "function,sweep,measure,sizes_used,sizes,runs,slope,slope_std,low,high,verdict\n";
  for (const SlopeFit& fit : analysis.fits) {
    fmt::format_to(std::back_inserter(out), "{},{},{},{},{},{},{},{},{},{},{}\n", fit.function,
                   sweep_name(fit.sweep), growth_name(fit.growth), sizes_used(fit), fit.sizes,
                   fit.runs, fit.slope, or_empty(fit.stddev), or_empty(interval_low(fit.interval)),
                   or_empty(interval_high(fit.interval)), slope_text(fit.verdict));
  }
  return out;
}

std::string slope_with_interval(const SlopeFit& fit) {
  if (!fit.interval) return fmt::format("{:.2f}", fit.slope);
  return fmt::format("{:.2f} [{:.2f}, {:.2f}]", fit.slope, fit.interval->low, fit.interval->high);
}

std::string scaling_verdict(const ScalingAnalysis& analysis, Growth growth) {
  std::string above;
  std::size_t fits = 0;
  std::size_t unknown = 0;
  std::size_t below = 0;
  for (const SlopeFit& fit : analysis.fits) {
    if (fit.growth != growth) continue;
    ++fits;
    if (fit.verdict == SlopeVerdict::kUnknown) ++unknown;
    if (fit.verdict == SlopeVerdict::kBelow) ++below;
    if (fit.verdict != SlopeVerdict::kAbove) continue;
    if (!above.empty()) above += "; ";
    above += fit_text(fit);
  }
  const bool regret = growth == Growth::kRegret;
  const std::string what =
      regret ? "Regret against sqrt(N T gamma)" : "Communication (paper ledger) against gamma";
  if (unknown == fits) return what + ": one run has no interval, so nothing is decided.";
  if (above.empty()) {
    return what + fmt::format(
                      ": none of {} slopes is shown to be above 1; {} are shown to be below, the "
                      "others are not told from 1.",
                      fits, below);
  }
  return what + ": above 1 in " + above +
         ". The order of the theorem allows that only through "
         "its logarithms, or because these sizes are small.";
}

std::string scaling_text(const ScalingAnalysis& analysis) {
  std::string out = fmt::format("{:<15}{:<7}{:<15}{:<24}{:<24}{}\n", "function", "sweep", "measure",
                                "slope, all sizes", "slope, upper half", "verdicts");
  for (const SlopeFit& fit : analysis.fits) {
    if (fit.upper_half) continue;
    const SlopeFit* half = analysis.fit(fit.function, fit.sweep, fit.growth, true);
    fmt::format_to(std::back_inserter(out), "{:<15}{:<7}{:<15}{:<24}{:<24}{}{}\n", fit.function,
                   sweep_name(fit.sweep), growth_name(fit.growth), slope_with_interval(fit),
                   half != nullptr ? slope_with_interval(*half) : "", slope_text(fit.verdict),
                   half != nullptr ? fmt::format("; {}", slope_text(half->verdict)) : "");
  }
  out += "\n";
  for (const Growth growth : kGrowths) out += scaling_verdict(analysis, growth) + "\n";
  return out;
}

}  // namespace duets::lab
