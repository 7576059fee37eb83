// An executor that can be stopped.
#pragma once

#include <atomic>
#include <exception>

#include "duets/base/executor.h"

namespace duets::cli {

/// Ends work because of a signal. Not a base::Error, so that it is not taken for a failure.
class Interrupted : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted"; }
};

/// Wraps another executor until `stop` is true: then parallel_for throws Interrupted before the
/// next chunk. Both must outlive it. With several processes the others see it like any failure.
class StoppableExecutor final : public base::Executor {
 public:
  StoppableExecutor(const base::Executor& inner, const std::atomic<bool>& stop)
      : inner_(inner), stop_(stop) {}

  void parallel_for(std::size_t num_chunks,
                    const std::function<void(std::size_t)>& body) const override {
    inner_.parallel_for(num_chunks, [&](std::size_t chunk) {
      if (stop_) throw Interrupted();
      body(chunk);
    });
  }
  std::size_t num_processes() const override { return inner_.num_processes(); }
  base::UnitRange share(std::size_t num_units) const override { return inner_.share(num_units); }
  std::vector<base::Bytes> gather(std::size_t num_units,
                                  std::vector<base::Bytes> mine) const override {
    return inner_.gather(num_units, std::move(mine));
  }
  base::Bytes agree(base::Bytes bytes) const override { return inner_.agree(std::move(bytes)); }

 private:
  const base::Executor& inner_;
  const std::atomic<bool>& stop_;
};

}  // namespace duets::cli
