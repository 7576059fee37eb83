// The thread pool, the only code of the harness that starts threads.
#pragma once

#include <memory>

#include "duets/base/executor.h"

namespace duets::harness {

/// Runs chunks on a fixed set of threads, including the calling one. A parallel_for inside a chunk
/// runs serially on its thread, so threads are never oversubscribed.
class ThreadExecutor final : public base::Executor {
 public:
  /// `num_threads` >= 1; kInvalid otherwise.
  explicit ThreadExecutor(unsigned num_threads);
  ~ThreadExecutor() override;

  void parallel_for(std::size_t num_chunks,
                    const std::function<void(std::size_t)>& body) const override;

 private:
  class Pool;
  std::unique_ptr<Pool> pool_;
};

/// The number of threads that this machine runs at once, at least 1.
unsigned default_threads();

}  // namespace duets::harness
