// Ctrl-C, and its polite sibling SIGTERM.
#pragma once

#include <atomic>

#include "duets/cli/exit_code.h"

namespace duets::cli {

/// While it lives, the first SIGINT or SIGTERM asks the work to stop. One at a time.
class InterruptGuard {
 public:
  /// What a second signal does.
  enum class Second {
    kEnds,     ///< ends the process at once, as if nobody had listened
    kAbandons  ///< asks to give up what is under way; a third one ends the process
  };

  /// `text` is written to standard error with the first signal; it must outlive the guard.
  /// Empty: nothing is written.
  explicit InterruptGuard(
      const char* text = "stopping after the current runs; press Ctrl-C again to force",
      Second second = Second::kEnds);
  /// Puts the default actions back.
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  /// True from the first signal on.
  const std::atomic<bool>& stop() const;
  /// What the process returns when it stopped for a signal: kInterrupted, or kTerminated for
  /// SIGTERM. kInterrupted before any signal, too: another process may have had it.
  ExitCode code() const;
  /// True from the second signal on, with kAbandons.
  const std::atomic<bool>& abandon() const;
};

}  // namespace duets::cli
