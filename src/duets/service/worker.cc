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

bool Worker::busy() const {
  const std::lock_guard lock(mutex_);
  return working_ || !jobs_.empty();
}

void Worker::finish() {
  std::deque<std::function<void()>> dropped;
  {
    const std::lock_guard lock(mutex_);
    finishing_ = true;
    dropped.swap(jobs_);  // destroyed outside the lock
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Worker::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return finishing_ || !jobs_.empty(); });
    if (finishing_) return;
    std::function<void()> job = std::move(jobs_.front());
    jobs_.pop_front();
    working_ = true;
    lock.unlock();
    job();
    job = nullptr;  // destroyed outside the lock
    lock.lock();
    working_ = false;
  }
}

}  // namespace duets::service
