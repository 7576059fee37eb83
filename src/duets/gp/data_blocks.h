// Data in blocks that are made on demand, so that it never has to be in memory, or in one process,
// as a whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "duets/base/executor.h"
#include "duets/numeric/matrix.h"

namespace duets::gp {

struct DataBlock {
  numeric::Points points;
  numeric::Vector counts;  ///< how often each was queried; empty: once
};

/// The data fix the blocks, never threads or processes; their order is the order of the rows. A
/// process has only the blocks of executor.share(num_blocks()).
struct DataBlocks {
  std::vector<std::uint64_t> rows;  ///< of each block, including those of other processes
  /// Block i: the same every time, from any thread. Only blocks of this process.
  std::function<DataBlock(std::size_t i)> block;

  std::size_t num_blocks() const { return rows.size(); }
  std::uint64_t num_rows() const;
};

/// Rows in memory as blocks of 16384. `points` (and `counts`, empty: all 1) must outlive the
/// result. kInvalid when the number of counts is neither 0 nor that of the rows.
DataBlocks blocks_of(const numeric::Points& points, const numeric::Vector& counts = {});

/// All rows in one block, in every process. O(rows); for few rows.
DataBlock whole(const DataBlocks& data, const base::Executor& executor);

/// At most `most` rows, evenly spread: row i * num_rows / most for i = 0, 1, ..; with their counts;
/// in every process.
DataBlock spread_block(const DataBlocks& data, std::size_t most, const base::Executor& executor);
/// The same without counts.
numeric::Points spread_rows(const DataBlocks& data, std::size_t most,
                            const base::Executor& executor);

}  // namespace duets::gp
