#include "duets/cli/progress_bar.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "duets/cli/print_to.h"

namespace duets::cli {
namespace {

constexpr auto kRedraw = std::chrono::milliseconds(100);
constexpr int kBarWidth = 30;
constexpr double kLeastShare = 0.01;  // of the work, for an estimate

}  // namespace

std::string duration_text(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::llround(std::max(0.0, seconds)));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

ProgressBar::ProgressBar(std::FILE* out, std::uint64_t total, std::string noun)
    : out_(out),
      total_(std::max<std::uint64_t>(total, 1)),
      noun_(std::move(noun)),
      terminal_(isatty(fileno(out)) != 0),
      start_(std::chrono::steady_clock::now()),
      last_drawn_(start_) {}

ProgressBar::~ProgressBar() { clear(); }

void ProgressBar::clear() {
  if (shown_) print_to(out_, "\r\033[K");
  shown_ = false;
}

void ProgressBar::advance(bool free) {
  ++done_;
  if (free) ++free_;
}

std::string ProgressBar::text() const {
  std::string text =
      fmt::format("{}{}{} of {} {}", label_, label_.empty() ? "" : ": ", done_, total_, noun_);
  const double all = static_cast<double>(total_ - free_);
  const double worked =
      static_cast<double>(done_ + std::max(done_, prepared_)) / 2 - static_cast<double>(free_);
  if (worked <= kLeastShare * all || done_ >= total_) return text;
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
  const double left = elapsed.count() * (all - worked) / worked;
  if (left < 1) return text + ", less than a second left";
  return text + fmt::format(", about {} left", duration_text(left));
}

void ProgressBar::draw() {
  if (std::chrono::steady_clock::now() - last_drawn_ >= kRedraw) draw_now();
}

void ProgressBar::draw_now() {
  if (!terminal_) return;
  last_drawn_ = std::chrono::steady_clock::now();
  const double fraction = static_cast<double>(done_) / static_cast<double>(total_);
  const int filled = static_cast<int>(fraction * kBarWidth);
  fmt::print(
      out_, "\r[{}{}] {:3.0f} %  {}\033[K", std::string(static_cast<std::size_t>(filled), '#'),
      std::string(static_cast<std::size_t>(kBarWidth - filled), '.'), 100 * fraction, text());
  std::fflush(out_);
  shown_ = true;
}

}  // namespace duets::cli
