#include "duets/numeric/tree_sum.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "duets/base/bytes.h"
#include "duets/base/error.h"

namespace duets::numeric {
namespace {

constexpr std::size_t kWaveBytes = std::size_t{128} << 20;
constexpr std::size_t kLeastWave = 8;
constexpr std::size_t kLargestWave = 64;

// The sum of units begin .. begin + 2^level - 1, begin a multiple of 2^level: a node of the tree.
struct Node {
  std::uint64_t begin = 0;
  std::uint32_t level = 0;
  Vector sum;
};

// Consecutive nodes. Two siblings become their parent as soon as both are known.
class Nodes {
 public:
  void push(Node node) {
    nodes_.push_back(std::move(node));
    while (nodes_.size() >= 2) {
      Node& left = nodes_[nodes_.size() - 2];
      const Node& right = nodes_.back();
      const std::uint64_t parent = std::uint64_t{2} << left.level;
      if (left.level != right.level || left.begin % parent != 0) break;
      left.sum += right.sum;
      ++left.level;
      nodes_.pop_back();
    }
  }

  // Adds the remaining nodes from the right, the smallest first, and keeps the sum. There must be
  // one.
  const Vector& fold() {
    for (; nodes_.size() >= 2; nodes_.pop_back()) {
      nodes_[nodes_.size() - 2].sum += nodes_.back().sum;
    }
    return nodes_.front().sum;
  }

  std::span<const Node> all() const { return nodes_; }

 private:
  std::vector<Node> nodes_;
};

Nodes own_nodes(base::UnitRange mine, std::size_t size,
                const std::function<Vector(std::size_t)>& leaf, const base::Executor& executor) {
  const std::size_t affordable = kWaveBytes / (sizeof(double) * std::max<std::size_t>(size, 1));
  const std::size_t wave = std::clamp(affordable, kLeastWave, kLargestWave);
  Nodes nodes;
  for (std::size_t begin = mine.begin; begin < mine.end; begin += wave) {
    std::vector<Vector> leaves(std::min(wave, mine.end - begin));
    executor.parallel_for(leaves.size(), [&](std::size_t i) { leaves[i] = leaf(begin + i); });
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      const auto entries = static_cast<std::size_t>(leaves[i].size());
      if (entries != size) {
        base::refuse("leaf", std::to_string(entries) + " entries",
                     "must have " + std::to_string(size));
      }
      nodes.push({begin + i, 0, std::move(leaves[i])});
    }
  }
  return nodes;
}

base::Bytes encoded(const Nodes& nodes) {
  base::ByteWriter out;
  out.u32(static_cast<std::uint32_t>(nodes.all().size()));
  for (const Node& node : nodes.all()) {
    out.u64(node.begin);
    out.u32(node.level);
    out.f64s({node.sum.data(), static_cast<std::size_t>(node.sum.size())});
  }
  return out.take();
}

void push_encoded(const base::Bytes& bytes, Nodes& nodes) {
  if (bytes.empty()) return;
  base::ByteReader in(bytes);
  for (std::uint32_t left = in.u32(); left > 0; --left) {
    Node node;
    node.begin = in.u64();
    node.level = in.u32();
    const std::vector<double> sum = in.f64s();
    node.sum = Eigen::Map<const Vector>(sum.data(), static_cast<Eigen::Index>(sum.size()));
    nodes.push(std::move(node));
  }
  in.expect_end();
}

}  // namespace

Vector tree_sum(std::size_t num_units, std::size_t size,
                const std::function<Vector(std::size_t)>& leaf, const base::Executor& executor) {
  if (num_units == 0) return Vector::Zero(static_cast<Eigen::Index>(size));
  const base::UnitRange mine = executor.share(num_units);
  Nodes nodes = own_nodes(mine, size, leaf, executor);
  // A process that has all units need not know whether there are others: they have none.
  if (mine.size() == num_units) nodes.fold();
  // The share of a process is a few nodes of the tree; they are sent with its first unit.
  std::vector<base::Bytes> parts(mine.size());
  if (!parts.empty()) parts.front() = encoded(nodes);
  nodes = {};
  for (const base::Bytes& part : executor.gather(num_units, std::move(parts))) {
    push_encoded(part, nodes);
  }
  return nodes.fold();
}

}  // namespace duets::numeric
