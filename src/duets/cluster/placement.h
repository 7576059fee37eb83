// Finds where the processes of a job run, and how many threads each may use.
#pragma once

#include <cstddef>

#include "duets/cluster/transport.h"

namespace duets::cluster {

struct Placement {
  std::size_t num_hosts = 1;
  /// Processors that this process may use, shared evenly with the processes of the same machine
  /// that may use the same ones; at least 1.
  unsigned threads = 1;
};

/// One exchange.
Placement find_placement(Transport& transport);

}  // namespace duets::cluster
