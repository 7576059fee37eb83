// The interface to a message passing library: one collective operation.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "duets/base/bytes.h"

namespace duets::cluster {

/// One process among those of a job. All of them make the same calls in the same order.
class Transport {
 public:
  virtual ~Transport() = default;
  /// 0 .. size() - 1. Rank 0 is called the first.
  virtual std::size_t rank() const = 0;
  virtual std::size_t size() const = 0;
  /// Waits for all processes; returns the bytes of each, by rank, in every process. Any sizes. Call
  /// it only from the thread that made the transport.
  virtual std::vector<base::Bytes> exchange(base::Bytes mine) = 0;
};

/// The network name of this machine.
std::string host_name();

}  // namespace duets::cluster
