#include "duets/harness/threads.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "duets/base/error.h"

namespace duets::harness {
namespace {

thread_local bool inside_chunk = false;

}  // namespace

class ThreadExecutor::Pool {
 public:
  explicit Pool(unsigned num_helpers) {
    for (unsigned i = 0; i < num_helpers; ++i) helpers_.emplace_back([this] { help(); });
  }

  ~Pool() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_all();
    for (std::thread& helper : helpers_) helper.join();
  }

  void run(std::size_t num_chunks, const std::function<void(std::size_t)>& body) {
    // One job at a time; a second caller waits.
    const std::lock_guard turn(turn_);
    std::unique_lock lock(mutex_);
    body_ = &body;
    num_chunks_ = num_chunks;
    next_ = 0;
    pending_ = num_chunks;
    errors_.assign(num_chunks, nullptr);
    wake_.notify_all();
    work(lock);
    done_.wait(lock, [this] { return pending_ == 0; });
    body_ = nullptr;
    const auto error = std::find_if(errors_.begin(), errors_.end(),
                                    [](const std::exception_ptr& e) { return e != nullptr; });
    if (error != errors_.end()) std::rethrow_exception(*error);
  }

 private:
  // Runs chunks until none is left; the lock is held on entry and on return.
  void work(std::unique_lock<std::mutex>& lock) {
    while (body_ != nullptr && next_ < num_chunks_) {
      const std::size_t chunk = next_++;
      const auto* body = body_;
      lock.unlock();
      std::exception_ptr error;
      inside_chunk = true;
      try {
        (*body)(chunk);
      } catch (...) {
        error = std::current_exception();
      }
      inside_chunk = false;
      lock.lock();
      errors_[chunk] = error;
      if (--pending_ == 0) done_.notify_all();
    }
  }

  void help() {
    std::unique_lock lock(mutex_);
    while (true) {
      wake_.wait(lock, [this] { return stopping_ || (body_ != nullptr && next_ < num_chunks_); });
      if (stopping_) return;
      work(lock);
    }
  }

  std::mutex turn_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  const std::function<void(std::size_t)>* body_ = nullptr;
  std::size_t num_chunks_ = 0;
  std::size_t next_ = 0;
  std::size_t pending_ = 0;
  std::vector<std::exception_ptr> errors_;
  bool stopping_ = false;
  std::vector<std::thread> helpers_;
};

ThreadExecutor::ThreadExecutor(unsigned num_threads) {
  base::require(num_threads >= 1, "threads", fmt::format("{}", num_threads), "must be at least 1");
  pool_ = std::make_unique<Pool>(num_threads - 1);
}

ThreadExecutor::~ThreadExecutor() = default;

void ThreadExecutor::parallel_for(std::size_t num_chunks,
                                  const std::function<void(std::size_t)>& body) const {
  if (inside_chunk || num_chunks <= 1) {
    base::SerialExecutor().parallel_for(num_chunks, body);
  } else {
    pool_->run(num_chunks, body);
  }
}

unsigned default_threads() { return std::max(1U, std::thread::hardware_concurrency()); }

}  // namespace duets::harness
