// Estimates the memory of a simulation before it starts.
#pragma once

#include <cstdint>
#include <string>

#include "duets/harness/simulate.h"
#include "duets/protocol/study.h"

namespace duets::harness {

/// A run with at least this many queries is large: its memory and time are announced.
inline constexpr std::uint64_t kLargeRun = 1'000'000;

/// Sizes that do not follow from the study: how many points the posterior needs.
struct ModelSize {
  std::uint64_t rank = 0;      ///< pivots of the variance in any epoch, at most
  std::uint64_t inducing = 0;  ///< |S_j| of any epoch, at most
};

/// Bytes, the most at one time. N agents, d latent coordinates, c = d + 1/2 on a finite set (which
/// also stores indices) and c = d otherwise, n threads.
struct MemoryEstimate {
  std::uint64_t program = 0;  ///< code, libraries and small objects
  /// 8 N c max_j (T_{j-1} + T_j): an epoch is drawn while the previous one is still in memory. With
  /// separate points 8 N c max_j (T_{j-1} + 2 T_j). With data = "surviving" T_{j-1} is T_1 + .. +
  /// T_{j-1}.
  std::uint64_t points = 0;
  /// N (9 T + 17 max_j T_j): agents store all their rewards and project those of the epoch; the
  /// regret of the epoch waits until all agents have reached it.
  std::uint64_t rewards = 0;
  /// Other data of agents and coordinator: 3 kB per agent, and three copies of its upload of
  /// min(T_j, |S_j|) numbers.
  std::uint64_t agents = 0;
  /// For up to 2048 different points of an epoch a dense matrix, factored in place: 8 m^2. Above
  /// that, with r pivots, 8 r (16384 + 2 * 2048 + 1024 n) + 8 r^2 (n + 4): rows that represent all,
  /// a supremum, a sweep and a Gram matrix on each thread; or the dense matrix, for up to 8000
  /// points that a quarter of them do not represent.
  std::uint64_t model = 0;

  std::uint64_t total() const { return program + points + rewards + agents + model; }
};

/// O(number of epochs). For one process of `processes`: they share points, agents and rewards, and
/// each has the regret and the model, and for a while the answers of all (16 N max_j T_j).
/// tests/integration/cli_large_test.sh compares it with the memory of a run.
MemoryEstimate estimate_memory(const protocol::Study& study, const ModelSize& size,
                               protocol::Sharing sharing, unsigned threads, unsigned processes = 1);

/// "412 MB", "1.2 GB".
std::string bytes_text(std::uint64_t bytes);

/// "about 412 MB at most (points 200 MB, rewards 100 MB, ...)".
std::string memory_text(const MemoryEstimate& memory);

}  // namespace duets::harness
