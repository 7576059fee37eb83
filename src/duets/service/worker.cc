#include "duets/service/worker.h"

#include <utility>

namespace duets::service {

void Worker::post(std::function<void()> job) {
  {
    const std::lock_guard lock(mutex_);
    if (finishing_) return;
    jobs_.push_back(std::move(job));
  }
  changed_.notify_one();
}

void Worker::finish() {
  std::deque<std::function<void()>> dropped;
  {
    const std::lock_guard lock(mutex_);
    finishing_ = true;
    dropped.swap(jobs_);  // what a job holds is let go outside the lock
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Worker::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return finishing_ || !jobs_.empty(); });
    if (finishing_) return;
    const std::function<void()> job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job();
    lock.lock();
  }
}

}  // namespace duets::service
