#include "duets/gp/data_blocks.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "duets/gp/checks.h"

namespace duets::gp {
namespace {

using numeric::Points;
using numeric::Vector;

constexpr std::uint64_t kRowsPerBlock = 16384;

base::Bytes encoded(const DataBlock& block) {
  base::ByteWriter out;
  out.f64s({block.points.data(), static_cast<std::size_t>(block.points.size())});
  out.f64s({block.counts.data(), static_cast<std::size_t>(block.counts.size())});
  out.u32(static_cast<std::uint32_t>(block.points.cols()));
  return out.take();
}

// Parts in order; what the executor gathered from all processes.
DataBlock joined_blocks(const std::vector<base::Bytes>& parts) {
  std::vector<double> points;
  std::vector<double> counts;
  std::uint32_t columns = 0;
  for (const base::Bytes& part : parts) {
    base::ByteReader in(part);
    const std::vector<double> more = in.f64s();
    points.insert(points.end(), more.begin(), more.end());
    const std::vector<double> weights = in.f64s();
    counts.insert(counts.end(), weights.begin(), weights.end());
    columns = std::max(columns, in.u32());
  }
  DataBlock all;
  const Eigen::Index rows = columns == 0 ? 0 : static_cast<Eigen::Index>(points.size() / columns);
  all.points = Eigen::Map<const Points>(points.data(), rows, columns);
  all.counts = Eigen::Map<const Vector>(counts.data(), static_cast<Eigen::Index>(counts.size()));
  return all;
}

// The results of `part` for the blocks of all processes; each process computes its own.
DataBlock collect(const DataBlocks& data, const base::Executor& executor,
                  const std::function<DataBlock(std::size_t)>& part) {
  const base::UnitRange mine = executor.share(data.num_blocks());
  std::vector<base::Bytes> parts(mine.size());
  executor.parallel_for(parts.size(),
                        [&](std::size_t i) { parts[i] = encoded(part(mine.begin + i)); });
  return joined_blocks(executor.gather(data.num_blocks(), std::move(parts)));
}

}  // namespace

std::uint64_t DataBlocks::num_rows() const {
  return std::accumulate(rows.begin(), rows.end(), std::uint64_t{0});
}

DataBlocks blocks_of(const Points& points, const Vector& counts) {
  if (counts.size() > 0) {
    require_values(counts, static_cast<std::size_t>(points.rows()), "counts");
  }
  DataBlocks data;
  const auto num_rows = static_cast<std::uint64_t>(points.rows());
  for (std::uint64_t first = 0; first < num_rows; first += kRowsPerBlock) {
    data.rows.push_back(std::min(kRowsPerBlock, num_rows - first));
  }
  if (num_rows == 0) data.rows.push_back(0);  // no rows still have a number of columns
  // Empty counts may be a default argument, which no longer exists when a block is made.
  const Vector* weights = counts.size() > 0 ? &counts : nullptr;
  data.block = [&points, weights, rows = data.rows](std::size_t i) {
    const auto first = static_cast<Eigen::Index>(i * kRowsPerBlock);
    const auto count = static_cast<Eigen::Index>(rows[i]);
    DataBlock block{points.middleRows(first, count), {}};
    if (weights != nullptr) block.counts = weights->segment(first, count);
    return block;
  };
  return data;
}

DataBlock whole(const DataBlocks& data, const base::Executor& executor) {
  return collect(data, executor, data.block);
}

DataBlock spread_block(const DataBlocks& data, std::size_t most, const base::Executor& executor) {
  const std::uint64_t total = data.num_rows();
  if (total <= most) return whole(data, executor);
  std::vector<std::uint64_t> first(data.num_blocks());
  std::exclusive_scan(data.rows.begin(), data.rows.end(), first.begin(), std::uint64_t{0});
  return collect(data, executor, [&](std::size_t b) {
    const std::uint64_t end = first[b] + data.rows[b];
    // The first i with i * total / most >= first[b].
    std::uint64_t i = (first[b] * most + total - 1) / total;
    std::vector<Eigen::Index> wanted;
    for (; i < most && i * total / most < end; ++i) {
      wanted.push_back(static_cast<Eigen::Index>(i * total / most - first[b]));
    }
    if (wanted.empty()) return DataBlock{};
    const DataBlock block = data.block(b);
    DataBlock some{block.points(wanted, Eigen::all), {}};
    if (block.counts.size() > 0) some.counts = block.counts(wanted);
    return some;
  });
}

Points spread_rows(const DataBlocks& data, std::size_t most, const base::Executor& executor) {
  return spread_block(data, most, executor).points;
}

}  // namespace duets::gp
