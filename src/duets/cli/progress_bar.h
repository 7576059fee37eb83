// A progress bar with the estimated time, on a terminal only.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>

namespace duets::cli {

/// Not thread-safe.
class ProgressBar {
 public:
  /// `total` items of the kind `noun` ("queries"). `out` is usually stderr.
  ProgressBar(std::FILE* out, std::uint64_t total, std::string noun);
  /// Clears the bar.
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  bool terminal() const { return terminal_; }
  /// There are so many items in all.
  void expect(std::uint64_t total) { total_ = total; }
  /// One more is done. `free` ones cost no time (they were stored) and do not count in the
  /// estimate.
  void advance(bool free = false);
  /// This many more are done.
  void advance_by(std::uint64_t count) { done_ += count; }
  /// This many in total are prepared, which is half of their work; for the estimate. By default
  /// only those that are done.
  void prepared(std::uint64_t count) { prepared_ = count; }
  /// The current activity, before the numbers: "epoch 3".
  void set_label(std::string label) { label_ = std::move(label); }
  /// Redraws the bar, at most ten times per second; nothing without a terminal.
  void draw();
  /// Redraws it even if it was just drawn: there will be no call for a while.
  void draw_now();
  /// Removes the bar so that other text can be printed.
  void clear();

  std::uint64_t done() const { return done_; }
  /// "12 of 40 queries, about 3 s left". No estimate from less than a hundredth of the work.
  std::string text() const;

 private:
  std::FILE* out_;
  std::uint64_t total_;
  std::string noun_;
  bool terminal_;
  bool shown_ = false;
  std::uint64_t done_ = 0;
  std::uint64_t free_ = 0;
  std::uint64_t prepared_ = 0;
  std::string label_;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point last_drawn_;
};

/// "12 s", "3 min 05 s", "2 h 10 min".
std::string duration_text(double seconds);

}  // namespace duets::cli
