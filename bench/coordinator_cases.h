// The cases of coordinator.cc: what is computed, how long it takes, and how right it is.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "duets/base/executor.h"
#include "duets/numeric/matrix.h"
#include "duets/protocol/report.h"
#include "scene.h"

namespace duets::bench {

inline const base::SerialExecutor kSerial;

/// m points of a scene.
struct Case {
  Scene scene;
  std::uint64_t m = 0;
};

/// A posterior at queries_of(scene).
struct Answer {
  numeric::Vector mean;
  numeric::Vector variance;
  std::uint64_t rank = 0;  ///< of what was factored
  double residual = 0;     ///< variance that the pivots leave; 0: exact
};

/// Up to `most` rows of the data that leave at most the residual on a spread sample of them.
numeric::Points pivots_of(const Scene& scene, const gp::DataBlocks& data, double residual,
                          std::size_t most);

/// As little-endian binary64: m, number of queries, dimension, length scale, lambda, data, rewards,
/// queries. Throws std::runtime_error when the file cannot be written; so does write_answer.
void export_case(const Case& made, const std::string& path);

/// Means, then variances.
void write_answer(const Answer& answer, const std::string& path);

struct Timed {
  Answer answer;
  double seconds = 0;  ///< of processor time, the shortest of some calls; the data are given
};

/// As the coordinator does it: variances by whatever path it takes at a tolerance of a hundredth of
/// the largest, the mean through pivots of the same tolerance.
Timed time_ours(const Case& made);

/// K + lambda I, its Cholesky factor, and two solves. m below some ten thousands.
Timed time_dense(const Case& made);

/// One pass over the data, which are replayed from coins meanwhile.
struct Sweep {
  double seconds = 0;
  std::uint64_t rank = 0;
  double error = 0;    ///< of M w = u, M made anew by another route, relative to |u|
  double largest = 0;  ///< variance at the queries
};
Sweep time_sweep(const Case& made, std::uint64_t rank);

/// protocol::variance_supremum, the data replayed from coins.
struct Largest {
  double seconds = 0;
  std::uint64_t rank = 0;
  double residual = 0;
  double value = 0;
};
Largest time_supremum(const Case& made);

/// The first epoch of a study of the scene's name with a thousand agents, m queries in all, from
/// its first draw to the cut: coordinator, agents and objective.
Largest time_epoch(std::string_view name, std::uint64_t m);

/// The variances of the path that the coordinator takes, beside dense ones.
struct Agreement {
  std::uint64_t rank = 0;
  double residual = 0;
  protocol::VariancePath path{};
  double largest = 0;           ///< variance at the queries
  double error_of_largest = 0;  ///< relative
  double error = 0;             ///< the largest relative difference at any of the queries
};
Agreement compare_with_dense(const Case& made);

}  // namespace duets::bench
