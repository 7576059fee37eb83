#include "duets/cli/local_progress.h"

#include <fmt/format.h>

#include "duets/cli/print_to.h"

namespace duets::cli {

LocalProgress::LocalProgress(std::FILE* out, Verbosity verbosity, std::uint64_t total,
                             const protocol::RewardScale& scale)
    : out_(out), verbosity_(verbosity), scale_(scale), bar_(out, total, "queries") {}

std::string LocalProgress::best_text() const {
  return best_ ? fmt::format("best value so far {:.6g}", *best_) : "no value yet";
}

void LocalProgress::expect(std::uint64_t total) {
  const std::lock_guard lock(mutex_);
  bar_.expect(total);
}

void LocalProgress::answered(const service::JournalTrial& trial, bool stored) {
  const std::lock_guard lock(mutex_);
  bar_.advance(stored);
  if (trial.kind != service::JournalTrial::Kind::kValue) return;
  if (!best_ || scale_.upward(trial.value) > scale_.upward(*best_)) best_ = trial.value;
}

void LocalProgress::epoch_began(std::uint32_t epoch) {
  const std::lock_guard lock(mutex_);
  epoch_ = epoch;
}

void LocalProgress::epoch_ended(const protocol::EpochEnded& ended) {
  const std::lock_guard lock(mutex_);
  std::string text = epoch_line(ended, verbosity_ == Verbosity::kVerbose);
  bar_.set_label("");
  print(fmt::format("{}\n         {}{}", text, best_text(),
                    ended.report.length == 0 ? "" : "; " + bar_.text()));
}

void LocalProgress::look() {
  const std::lock_guard lock(mutex_);
  if (verbosity_ == Verbosity::kQuiet) return;
  bar_.set_label(fmt::format("epoch {}, {}", epoch_, best_text()));
  bar_.draw();
}

void LocalProgress::line(const std::string& text) {
  const std::lock_guard lock(mutex_);
  print(text);
}

void LocalProgress::clear() {
  const std::lock_guard lock(mutex_);
  bar_.clear();
}

void LocalProgress::print(const std::string& text) {
  if (verbosity_ == Verbosity::kQuiet) return;
  bar_.clear();
  print_to(out_, "{}\n", text);
}

}  // namespace duets::cli
