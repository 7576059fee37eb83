// The progress of an experiment for people: a bar on a terminal, occasional lines elsewhere.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <mutex>
#include <thread>

#include "duets/cli/progress.h"
#include "duets/lab/experiment.h"

namespace duets::cli {

/// Without a terminal it prints a line after each further tenth (at most every two seconds), and
/// one whenever `longest` has passed without any, however long a single run takes; nothing when
/// quiet. Thread-safe.
class ExperimentProgress final : public lab::ExperimentObserver {
 public:
  /// `total` runs. `out` is usually stderr.
  ExperimentProgress(std::FILE* out, Verbosity verbosity, std::uint64_t total,
                     std::chrono::milliseconds longest = std::chrono::seconds(10));
  ~ExperimentProgress() override;
  ExperimentProgress(const ExperimentProgress&) = delete;
  ExperimentProgress& operator=(const ExperimentProgress&) = delete;

  /// From here on this many in total.
  void begins(std::size_t num_runs) override;
  void run_done(bool loaded) override;

  std::uint64_t done() const;
  std::uint64_t loaded() const;
  /// Removes the bar so that other text can be printed.
  void clear();

 private:
  void maybe_print_line();
  void print_line();
  void print_regularly();

  mutable std::mutex mutex_;
  std::FILE* out_;
  Verbosity verbosity_;
  std::uint64_t total_;
  std::uint64_t loaded_ = 0;
  std::uint64_t tenth_ = 0;
  std::chrono::milliseconds longest_;
  std::chrono::steady_clock::time_point last_line_;
  std::unique_ptr<ProgressBar> bar_;
  bool ended_ = false;
  std::condition_variable ending_;
  std::thread ticker_;  // last: it uses the others
};

}  // namespace duets::cli
