#include "duets/harness/memory_estimate.h"

#include <fmt/format.h>

#include <algorithm>

namespace duets::harness {
namespace {

constexpr std::uint64_t kProgram = 40'000'000;
constexpr std::uint64_t kAgent = 2'000;
constexpr std::uint64_t kReal = 8;

// Points in memory at the worst time, of an agent.
std::uint64_t most_points(const protocol::Study& study, const std::vector<std::uint32_t>& lengths,
                          AgentPoints points) {
  std::uint64_t before = 0;
  std::uint64_t most = 0;
  for (const std::uint32_t length : lengths) {
    const std::uint64_t now = points == AgentPoints::kSeparate ? 2 * std::uint64_t{length} : length;
    most = std::max(most, before + now);
    before = study.data == protocol::DataPolicy::kSurviving ? before + length : length;
  }
  return most;
}

}  // namespace

MemoryEstimate estimate_memory(const protocol::Study& study, const ModelSize& size,
                               AgentPoints points, unsigned threads) {
  const std::vector<std::uint32_t> lengths = protocol::lengths(study);
  const std::uint64_t longest = *std::max_element(lengths.begin(), lengths.end());
  const std::uint64_t point_bytes =
      kReal * study.domain->dimension() + (study.domain->is_finite() ? 4 : 0);
  const std::uint64_t agents = study.agents;
  MemoryEstimate memory;
  memory.program = kProgram;
  memory.points = agents * point_bytes * most_points(study, lengths, points);
  memory.rewards = agents * (9 * std::uint64_t{study.horizon} + 16 * longest);
  memory.agents = agents * (kAgent + 3 * kReal * std::min(longest, size.inducing));
  memory.model = kReal * size.rank * (8192 + 2 * 2048 + 1024 * std::uint64_t{threads}) +
                 kReal * size.rank * size.rank * (std::uint64_t{threads} + 4);
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
