// Ctrl-C, and its polite sibling SIGTERM.
#pragma once

#include <atomic>

namespace duets::cli {

/// While it lives, the first SIGINT or SIGTERM asks the work to stop; a second one ends the process
/// at once, as if nobody had listened. One at a time.
class InterruptGuard {
 public:
  InterruptGuard();
  /// Puts the default actions back.
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  /// True from the first signal on.
  const std::atomic<bool>& stop() const;
};

}  // namespace duets::cli
