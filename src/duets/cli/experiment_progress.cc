#include "duets/cli/experiment_progress.h"

#include <fmt/format.h>

#include <algorithm>

#include "duets/cli/print_to.h"

namespace duets::cli {
namespace {

constexpr auto kBetweenLines = std::chrono::seconds(2);

}  // namespace

ExperimentProgress::ExperimentProgress(std::FILE* out, Verbosity verbosity, std::uint64_t total,
                                       std::chrono::milliseconds longest)
    : out_(out),
      verbosity_(verbosity),
      total_(std::max<std::uint64_t>(total, 1)),
      longest_(longest),
      last_line_(std::chrono::steady_clock::now()),
      bar_(std::make_unique<ProgressBar>(out, total, "runs")) {
  if (verbosity_ == Verbosity::kQuiet || bar_->terminal()) return;
  ticker_ = std::thread([this] { print_regularly(); });
}

ExperimentProgress::~ExperimentProgress() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  ending_.notify_all();
  if (ticker_.joinable()) ticker_.join();
}

void ExperimentProgress::print_regularly() {
  std::unique_lock lock(mutex_);
  while (!ending_.wait_until(lock, last_line_ + longest_, [this] { return ended_; })) {
    if (std::chrono::steady_clock::now() - last_line_ >= longest_) print_line();
  }
}

void ExperimentProgress::begins(std::size_t num_runs) {
  const std::lock_guard lock(mutex_);
  total_ = std::max<std::uint64_t>(num_runs, 1);
  bar_ = std::make_unique<ProgressBar>(out_, total_, "runs");
}

void ExperimentProgress::run_done(bool loaded) {
  const std::lock_guard lock(mutex_);
  bar_->advance(loaded);
  if (loaded) ++loaded_;
  if (verbosity_ == Verbosity::kQuiet) return;
  if (bar_->terminal()) {
    bar_->draw();
  } else {
    maybe_print_line();
  }
}

void ExperimentProgress::maybe_print_line() {
  const std::uint64_t tenth = bar_->done() * 10 / total_;
  const auto now = std::chrono::steady_clock::now();
  if (tenth == tenth_ || now - last_line_ < kBetweenLines) return;
  tenth_ = tenth;
  print_line();
}

void ExperimentProgress::print_line() {
  last_line_ = std::chrono::steady_clock::now();
  print_to(out_, "{:3} %  {}\n", bar_->done() * 100 / total_, bar_->text());
  std::fflush(out_);
}

std::uint64_t ExperimentProgress::done() const {
  const std::lock_guard lock(mutex_);
  return bar_->done();
}

std::uint64_t ExperimentProgress::loaded() const {
  const std::lock_guard lock(mutex_);
  return loaded_;
}

void ExperimentProgress::clear() {
  const std::lock_guard lock(mutex_);
  bar_->clear();
}

}  // namespace duets::cli
