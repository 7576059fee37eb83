// A thread with a queue: jobs are done one after the other, in the order in which they came.
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

  /// True while a job is under way or waits.
  bool busy() const;

  /// Lets the job under way end, drops the others, and returns when the thread is gone. Not from a
  /// job.
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
