// A thread with a queue: runs jobs one after the other, in the order in which they were posted.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace duets::service {

class Worker {
 public:
  Worker() : thread_([this] { run(); }) {}
  ~Worker() { finish(); }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Jobs must not throw. After finish() they are dropped.
  void post(std::function<void()> job);

  /// True while a job is running or waiting.
  bool busy() const;

  /// Lets the current job finish, drops the others, and returns when the thread has ended. Must not
  /// be called from a job.
  void finish();

 private:
  void run();

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_;
  bool working_ = false;
  bool finishing_ = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace duets::service
