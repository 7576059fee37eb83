#include "duets/cli/progress.h"

#include <fmt/format.h>

#include <cmath>

#include "duets/base/count_text.h"
#include "duets/cli/print_to.h"
#include "duets/harness/memory_estimate.h"
#include "duets/protocol/variance.h"

namespace duets::cli {
namespace {

std::string percent(double fraction) {
  return fraction >= 0.001 ? fmt::format("{:.3g} %", 100 * fraction)
                           : fmt::format("{:.1e} %", 100 * fraction);
}

}  // namespace

std::string epoch_line(const protocol::EpochEnded& ended, bool verbose) {
  const protocol::EpochReport& r = ended.report;
  // After an early end the answer has an epoch of its own, without queries.
  if (r.length == 0) return fmt::format("ended early; best mean {:.4g}", r.max_mean);
  std::string line = fmt::format(
      "epoch {}: {} per agent, {}; region {} of the domain, {}; {}; best mean {:.4g}",
      base::value(r.epoch), base::count_text(r.length, "query", "queries"),
      base::count_text(r.num_points, "point", "points"), percent(r.region_fraction),
      ended.cuts ? "the cut keeps " + percent(r.cut_acceptance) : "the closing epoch cuts nothing",
      base::count_text(r.num_inducing, "inducing point", "inducing points"), r.max_mean);
  if (r.num_holes > 0) line += "; " + base::count_text(r.num_holes, "hole", "holes");
  if (verbose) {
    line += fmt::format(
        "\n         sigma_max {:.4g}, tau {:.4g}, p {:.3g} (asked {:.3g}), {} selected; "
        "sampled by {}, {} membership tests; smallest margin {:.2g}, error {:.2g}",
        std::sqrt(r.sigma2_max), r.tau, r.p, r.p_unclipped, r.num_selected,
        base::name_of(r.sampler.method), r.membership_tests, r.smallest_margin, r.mean_error);
  }
  // Always shown when the variance is not what was requested.
  if (verbose || r.variance_path == protocol::VariancePath::kApproximate) {
    line += "\n         variance " + protocol::variance_reason(r);
  }
  return line;
}

Progress::Progress(std::FILE* out, Verbosity verbosity, std::uint32_t agents, std::uint32_t horizon)
    : out_(out),
      verbosity_(verbosity),
      agents_(agents),
      large_(std::uint64_t{agents} * horizon >= harness::kLargeRun),
      bar_(out, std::uint64_t{agents} * horizon, "queries") {}

void Progress::epoch_began(std::uint32_t epoch, std::uint32_t length) {
  prepared_ += std::uint64_t{agents_} * length;
  bar_.prepared(prepared_);
  bar_.set_label(fmt::format("epoch {}", epoch));
  if (verbosity_ == Verbosity::kQuiet) return;
  if (large_ && epoch > 1 && !bar_.terminal()) print_to(out_, "  {}\n", bar_.text());
  bar_.draw();
}

void Progress::queries_done(std::uint64_t count) {
  bar_.advance_by(count);
  if (verbosity_ != Verbosity::kQuiet) bar_.draw();
}

void Progress::exchange_began(std::uint32_t epoch) {
  bar_.set_label(fmt::format("epoch {}, coordinator computing", epoch));
  if (verbosity_ != Verbosity::kQuiet && large_) bar_.draw_now();
}

void Progress::epoch_ended(const protocol::EpochEnded& ended) {
  if (verbosity_ == Verbosity::kQuiet) return;
  bar_.clear();
  print_to(out_, "{}\n", epoch_line(ended, verbosity_ == Verbosity::kVerbose));
}

}  // namespace duets::cli
