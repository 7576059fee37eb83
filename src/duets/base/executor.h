// The interface through which the library uses threads and processes that its host provides.
#pragma once

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "duets/base/bytes.h"

namespace duets::base {

/// Consecutive units of work: begin .. end - 1.
struct UnitRange {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t size() const { return end - begin; }
  bool contains(std::size_t unit) const { return begin <= unit && unit < end; }

  friend bool operator==(const UnitRange&, const UnitRange&) = default;
};

/// Runs a body once for every chunk. The caller fixes the chunks, never the number of threads, and
/// combines results in chunk order, so a result cannot depend on how many threads there are. Hosts
/// supply a threaded executor; the library itself starts no thread.
///
/// A host may also spread a run over several processes. All of them run the same program on the
/// same input; each does its share() of the units, and gather() gives all of them all results.
/// The calls of share, gather and agree have the same order and the same number of units in every
/// process, and none is made inside a parallel_for. One process is the default.
class Executor {
 public:
  virtual ~Executor() = default;
  /// Calls body(0) .. body(num_chunks - 1), each exactly once, in any order, perhaps concurrently;
  /// returns when all are done. Rethrows the exception of the lowest chunk that threw.
  virtual void parallel_for(std::size_t num_chunks,
                            const std::function<void(std::size_t)>& body) const = 0;

  /// How many processes share the work.
  virtual std::size_t num_processes() const { return 1; }

  /// The units of `num_units` that this process does. The shares of all processes are consecutive
  /// and cover all units; the same number always gives the same share.
  virtual UnitRange share(std::size_t num_units) const { return {0, num_units}; }

  /// `mine` holds one result for each unit of share(num_units), in order. Returns the results of
  /// all units, in order, in every process. When one process fails, all do.
  virtual std::vector<Bytes> gather(std::size_t num_units, std::vector<Bytes> mine) const {
    static_cast<void>(num_units);
    return mine;
  }

  /// The bytes of the first process, in every process: for numbers that another processor would
  /// round differently.
  virtual Bytes agree(Bytes bytes) const { return bytes; }
};

/// Runs the chunks one after the other, on the calling thread.
class SerialExecutor final : public Executor {
 public:
  void parallel_for(std::size_t num_chunks,
                    const std::function<void(std::size_t)>& body) const override {
    for (std::size_t chunk = 0; chunk < num_chunks; ++chunk) body(chunk);
  }
};

/// share() of process `rank` of `num_processes`, as even as possible.
inline UnitRange even_share(std::size_t num_units, std::size_t rank, std::size_t num_processes) {
  return {num_units * rank / num_processes, num_units * (rank + 1) / num_processes};
}

}  // namespace duets::base
