// Checks that every executor must pass: the contract of base/executor.h for several processes.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "duets/base/executor.h"

namespace duets::cluster {

/// Bytes that name their unit, of a length that differs from unit to unit; unit 0 is empty.
inline base::Bytes unit_bytes(std::size_t unit, std::size_t scale) {
  return base::Bytes(unit * scale, static_cast<std::uint8_t>(unit * 37 + 11));
}

/// The parts of the contract that are broken; empty when none is. All processes call it with the
/// same `scale`: large units exercise more of the transport. `rank` is this process's of
/// `num_processes`.
inline std::vector<std::string> broken_promises(const base::Executor& executor, std::size_t rank,
                                                std::size_t num_processes, std::size_t scale) {
  std::vector<std::string> broken;
  const auto require = [&](bool ok, const std::string& what) {
    if (!ok) broken.push_back(what);
  };
  require(executor.num_processes() == num_processes, "another number of processes");
  // Fewer units than processes, as many, more, and none.
  for (const std::size_t num_units :
       {std::size_t{0}, std::size_t{1}, num_processes, std::size_t{7}, std::size_t{100}}) {
    const std::string units = std::to_string(num_units) + " units: ";
    const base::UnitRange share = executor.share(num_units);
    require(share == base::even_share(num_units, rank, num_processes), units + "another share");
    require(share == executor.share(num_units), units + "the share changes");
    std::vector<base::Bytes> mine;
    for (std::size_t unit = share.begin; unit < share.end; ++unit) {
      mine.push_back(unit_bytes(unit, scale));
    }
    const std::vector<base::Bytes> all = executor.gather(num_units, std::move(mine));
    require(all.size() == num_units, units + "gather gives another number of results");
    for (std::size_t unit = 0; unit < all.size(); ++unit) {
      require(all[unit] == unit_bytes(unit, scale),
              units + "gather gives other bytes for unit " + std::to_string(unit));
    }
    const base::Bytes own = unit_bytes(rank + num_units, scale);
    require(executor.agree(own) == unit_bytes(num_units, scale),
            units + "agree does not give the bytes of the first process");
  }
  std::vector<std::atomic<int>> calls(50);
  executor.parallel_for(calls.size(), [&](std::size_t chunk) { ++calls[chunk]; });
  for (const std::atomic<int>& count : calls) {
    require(count == 1, "parallel_for does not call each chunk once");
  }
  return broken;
}

}  // namespace duets::cluster
