#include "duets/cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

namespace duets::cli {
namespace {

constexpr auto kRedraw = std::chrono::milliseconds(100);
constexpr int kBarWidth = 30;

std::string percent(double fraction) {
  return fraction >= 0.001 ? fmt::format("{:.3g} %", 100 * fraction)
                           : fmt::format("{:.1e} %", 100 * fraction);
}

}  // namespace

std::string duration_text(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::llround(std::max(0.0, seconds)));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

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
    : out_(out),
      verbosity_(verbosity),
      terminal_(isatty(fileno(out)) != 0),
      total_(total),
      start_(std::chrono::steady_clock::now()),
      last_drawn_(start_) {}

Progress::~Progress() { clear(); }

void Progress::clear() {
  if (bar_shown_) fmt::print(out_, "\r\033[K");
  bar_shown_ = false;
}

void Progress::query_done() {
  ++done_;
  if (!terminal_ || verbosity_ == Verbosity::kQuiet) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_drawn_ < kRedraw) return;
  last_drawn_ = now;
  draw_bar();
}

void Progress::draw_bar() {
  const double fraction =
      static_cast<double>(done_) / static_cast<double>(std::max<std::uint64_t>(total_, 1));
  const int filled = static_cast<int>(fraction * kBarWidth);
  const std::chrono::duration<double> elapsed = last_drawn_ - start_;
  const double left = fraction > 0 ? elapsed.count() * (1 - fraction) / fraction : 0;
  fmt::print(out_, "\r[{}{}] {:3.0f} %  {} of {} queries, about {} left\033[K",
             std::string(static_cast<std::size_t>(filled), '#'),
             std::string(static_cast<std::size_t>(kBarWidth - filled), '.'), 100 * fraction, done_,
             total_, duration_text(left));
  std::fflush(out_);
  bar_shown_ = true;
}

void Progress::epoch_ended(const protocol::EpochReport& report) {
  if (verbosity_ == Verbosity::kQuiet) return;
  clear();
  fmt::print(out_, "{}\n", epoch_line(report, verbosity_ == Verbosity::kVerbose));
}

}  // namespace duets::cli
