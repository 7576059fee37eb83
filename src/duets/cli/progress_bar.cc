#include "duets/cli/progress_bar.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

namespace duets::cli {
namespace {

constexpr auto kRedraw = std::chrono::milliseconds(100);
constexpr int kBarWidth = 30;

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
  if (shown_) fmt::print(out_, "\r\033[K");
  shown_ = false;
}

void ProgressBar::advance(bool free) {
  ++done_;
  if (free) ++free_;
}

std::string ProgressBar::text() const {
  std::string text = fmt::format("{} of {} {}", done_, total_, noun_);
  const std::uint64_t worked = done_ - free_;
  if (worked == 0 || done_ >= total_) return text;
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
  const double left =
      elapsed.count() * static_cast<double>(total_ - done_) / static_cast<double>(worked);
  return text + fmt::format(", about {} left", duration_text(left));
}

void ProgressBar::draw() {
  if (!terminal_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_drawn_ < kRedraw) return;
  last_drawn_ = now;
  const double fraction = static_cast<double>(done_) / static_cast<double>(total_);
  const int filled = static_cast<int>(fraction * kBarWidth);
  fmt::print(
      out_, "\r[{}{}] {:3.0f} %  {}\033[K", std::string(static_cast<std::size_t>(filled), '#'),
      std::string(static_cast<std::size_t>(kBarWidth - filled), '.'), 100 * fraction, text());
  std::fflush(out_);
  shown_ = true;
}

}  // namespace duets::cli
