#include "duets/harness/memory_estimate.h"

#include <fmt/format.h>

#include <algorithm>

#include "duets/protocol/variance.h"

namespace duets::harness {
namespace {

constexpr std::uint64_t kProgram = 40'000'000;
constexpr std::uint64_t kAgent = 3'000;
constexpr std::uint64_t kReal = 8;

// The most points that an agent has in memory at one time.
std::uint64_t most_points(const protocol::Study& study, const std::vector<std::uint32_t>& lengths,
                          protocol::Sharing sharing) {
  std::uint64_t before = 0;
  std::uint64_t most = 0;
  for (const std::uint32_t length : lengths) {
    const bool twice = sharing != protocol::Sharing::kPoints;
    const std::uint64_t now = twice ? 2 * std::uint64_t{length} : length;
    most = std::max(most, before + now);
    before = study.data == protocol::DataPolicy::kSurviving ? before + length : length;
  }
  return most;
}

std::uint64_t dense_bytes(std::uint64_t num_points) { return kReal * num_points * num_points; }

std::uint64_t low_rank_bytes(std::uint64_t rank, std::uint64_t threads) {
  constexpr std::uint64_t kRows = 16384 + 2 * 2048;
  return kReal * rank * (kRows + 1024 * threads) + kReal * rank * rank * (threads + 4);
}

// For the worst epoch that is followed by an exchange.
std::uint64_t model_bytes(const protocol::Study& study, const std::vector<std::uint32_t>& lengths,
                          const ModelSize& size, unsigned threads) {
  std::uint64_t most = 0;
  const std::size_t silent = study.closing == protocol::ClosingRule::kBest ? 1 : 0;
  for (std::size_t j = 0; j + silent < lengths.size(); ++j) {
    std::uint64_t num_points = std::uint64_t{study.agents} * lengths[j];
    if (study.domain->is_finite()) {
      num_points =
          std::min(num_points, static_cast<std::uint64_t>(study.domain->candidates().rows()));
    }
    const bool dense = num_points <= static_cast<std::uint64_t>(protocol::kDenseLimit) ||
                       (num_points <= static_cast<std::uint64_t>(protocol::kDenseFallback) &&
                        size.rank >= protocol::most_pivots(num_points));
    const std::uint64_t rank =
        std::min<std::uint64_t>(size.rank, protocol::most_pivots(num_points));
    most = std::max(most, dense ? dense_bytes(num_points) : low_rank_bytes(rank, threads));
  }
  return most;
}

}  // namespace

MemoryEstimate estimate_memory(const protocol::Study& study, const ModelSize& size,
                               protocol::Sharing sharing, unsigned threads, unsigned processes) {
  const std::vector<std::uint32_t> lengths = protocol::lengths(study);
  const std::uint64_t longest = *std::max_element(lengths.begin(), lengths.end());
  const std::uint64_t dimension = study.domain->dimension();
  const std::uint64_t point_bytes = kReal * dimension + (study.domain->is_finite() ? 4 : 0);
  const std::uint64_t agents = study.agents;
  const std::uint64_t here = (agents + processes - 1) / processes;
  MemoryEstimate memory;
  memory.program = kProgram;
  memory.points = here * point_bytes * most_points(study, lengths, sharing);
  memory.rewards = here * 9 * (study.horizon + longest) + agents * kReal * longest +
                   (processes > 1 ? agents * 2 * kReal * longest : 0);
  memory.agents = here * kAgent + agents * 3 * kReal * std::min(longest, size.inducing);
  memory.model = model_bytes(study, lengths, size, threads);
  return memory;
}

std::string bytes_text(std::uint64_t bytes) {
  const double megabytes = static_cast<double>(bytes) / 1e6;
  return megabytes < 1000 ? fmt::format("{:.0f} MB", megabytes)
                          : fmt::format("{:.1f} GB", megabytes / 1000);
}

std::string memory_text(const MemoryEstimate& memory) {
  return fmt::format("about {} at most (points {}, rewards {}, agents {}, model {}, program {})",
                     bytes_text(memory.total()), bytes_text(memory.points),
                     bytes_text(memory.rewards), bytes_text(memory.agents),
                     bytes_text(memory.model), bytes_text(memory.program));
}

}  // namespace duets::harness
