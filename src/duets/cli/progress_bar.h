// A bar with the estimated time, on a terminal; nothing elsewhere.
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
  /// `total` things of the kind `noun` ("queries"). `out` is usually stderr.
  ProgressBar(std::FILE* out, std::uint64_t total, std::string noun);
  /// Clears a bar that is still there.
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  bool terminal() const { return terminal_; }
  /// One more is done. `free` ones cost no time (they were stored) and do not count for the
  /// estimate.
  void advance(bool free = false);
  /// So many more are done.
  void advance_by(std::uint64_t count) { done_ += count; }
  /// So many in all are prepared, which is half of their work; for the estimate. At first none
  /// beside those that are done.
  void prepared(std::uint64_t count) { prepared_ = count; }
  /// What goes on, before the numbers: "epoch 3".
  void set_label(std::string label) { label_ = std::move(label); }
  /// Draws the bar anew, at most ten times a second; nothing without a terminal.
  void draw();
  /// Draws it even if it was drawn just now: nothing will be for a while.
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
