// A thread that waits for something to do, and what it shares with its owner.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

namespace duets::service {

/// Told to end and joined when it is destroyed. Must be the last member of its owner: the thread
/// uses the others.
struct WaitingThread {
  /// `run` returns soon after `ending` is true.
  template <class Run>
  explicit WaitingThread(Run run) : thread(std::move(run)) {}
  ~WaitingThread() {
    {
      const std::lock_guard lock(mutex);
      ending = true;
    }
    changed.notify_all();
    thread.join();
  }
  WaitingThread(const WaitingThread&) = delete;
  WaitingThread& operator=(const WaitingThread&) = delete;

  std::mutex mutex;
  std::condition_variable changed;
  std::atomic<bool> ending = false;  ///< set under the mutex
  std::thread thread;                // last: it uses the others
};

}  // namespace duets::service
