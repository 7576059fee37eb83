#include "duets/cli/progress.h"

#include <fmt/format.h>

#include <cmath>

namespace duets::cli {
namespace {

std::string percent(double fraction) {
  return fraction >= 0.001 ? fmt::format("{:.3g} %", 100 * fraction)
                           : fmt::format("{:.1e} %", 100 * fraction);
}

}  // namespace

std::string epoch_line(const protocol::EpochReport& r, bool verbose) {
  std::string line = fmt::format(
      "epoch {}: {} queries per agent, {} points; region {} of the domain, the cut keeps {}; {} "
      "inducing points; best mean {:.4g}",
      base::value(r.epoch), r.length, r.num_points, percent(r.region_fraction),
      percent(r.cut_acceptance), r.num_inducing, r.max_mean);
  if (r.num_holes > 0) line += fmt::format("; {} holes", r.num_holes);
  if (verbose) {
    line += fmt::format(
        "\n         sigma_max {:.4g}, tau {:.4g}, p {:.3g} (asked {:.3g}), {} selected; "
        "sampled by {}, {} membership tests; smallest margin {:.2g}, error {:.2g}",
        std::sqrt(r.sigma2_max), r.tau, r.p, r.p_unclipped, r.num_selected,
        region::to_string(r.sampler.method), r.membership_tests, r.smallest_margin, r.mean_error);
  }
  return line;
}

Progress::Progress(std::FILE* out, Verbosity verbosity, std::uint64_t total)
    : out_(out), verbosity_(verbosity), bar_(out, total, "queries") {}

void Progress::query_done() {
  bar_.advance();
  if (verbosity_ != Verbosity::kQuiet) bar_.draw();
}

void Progress::epoch_ended(const protocol::EpochReport& report) {
  if (verbosity_ == Verbosity::kQuiet) return;
  bar_.clear();
  fmt::print(out_, "{}\n", epoch_line(report, verbosity_ == Verbosity::kVerbose));
}

}  // namespace duets::cli
