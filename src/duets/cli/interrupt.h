// Ctrl-C, and its polite sibling SIGTERM.
#pragma once

#include <atomic>

namespace duets::cli {

/// While it lives, the first SIGINT or SIGTERM asks the work to stop. One at a time.
class InterruptGuard {
 public:
  /// What a second signal does.
  enum class Second {
    kEnds,     ///< ends the process at once, as if nobody had listened
    kAbandons  ///< asks to give up what is under way; a third one ends the process
  };

  /// `text` is written to standard error with the first signal; it must live for ever.
  /// Empty: nothing is written.
  explicit InterruptGuard(
      const char* text = "stopping after the runs under way; once more: at once",
      Second second = Second::kEnds);
  /// Puts the default actions back.
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  /// True from the first signal on.
  const std::atomic<bool>& stop() const;
  /// True from the second signal on, with kAbandons.
  const std::atomic<bool>& abandon() const;
};

}  // namespace duets::cli
