// Handles Ctrl-C and SIGTERM.
#pragma once

#include <atomic>

#include "duets/cli/exit_code.h"

namespace duets::cli {

/// While it lives, the first SIGINT or SIGTERM requests a stop. One at a time.
class InterruptGuard {
 public:
  /// The effect of a second signal.
  enum class Second {
    kEnds,     ///< ends the process at once, by the default action
    kAbandons  ///< requests to abandon the current work; a third one ends the process
  };

  /// `text` is written to standard error with the first signal; it must outlive the guard.
  /// Empty: nothing is written.
  explicit InterruptGuard(
      const char* text = "stopping after the current runs; press Ctrl-C again to force",
      Second second = Second::kEnds);
  /// Restores the default actions.
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  /// True from the first signal on.
  const std::atomic<bool>& stop() const;
  /// The exit code after a stop by a signal: kInterrupted, or kTerminated for SIGTERM. kInterrupted
  /// also before any signal: another process may have received it.
  ExitCode code() const;
  /// "SIGINT" or "SIGTERM", likewise.
  const char* name() const;
  /// True from the second signal on, with kAbandons.
  const std::atomic<bool>& abandon() const;
};

}  // namespace duets::cli
