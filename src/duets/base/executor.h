// Work over fixed chunks, on as many threads as the host wants.
#pragma once

#include <cstddef>
#include <functional>

namespace duets::base {

/// Runs a body once for every chunk. The chunks are fixed by the caller, never by the number of
/// threads, and results are combined by the caller in chunk order: so a result cannot depend on how
/// many threads there are. Hosts supply a threaded one; the library starts no thread of its own.
class Executor {
 public:
  virtual ~Executor() = default;
  /// Calls body(0) .. body(num_chunks - 1), each exactly once, in any order, perhaps at the same
  /// time; returns when all are done. Rethrows the exception of the lowest chunk that threw.
  virtual void parallel_for(std::size_t num_chunks,
                            const std::function<void(std::size_t)>& body) const = 0;
};

/// One after the other, on the calling thread.
class SerialExecutor final : public Executor {
 public:
  void parallel_for(std::size_t num_chunks,
                    const std::function<void(std::size_t)>& body) const override {
    for (std::size_t chunk = 0; chunk < num_chunks; ++chunk) body(chunk);
  }
};

}  // namespace duets::base
