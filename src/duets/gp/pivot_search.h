// Chooses pivots, a few rows that represent all others for a kernel, in blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "duets/kernel/kernel.h"
#include "duets/numeric/matrix.h"

namespace duets::gp {

/// Chooses pivots among fixed rows, step by step. Strict: the same rows and tolerances give the
/// same pivots on every machine, although their use is not strict. Otherwise two builds would
/// diverge wherever two rows have nearly equal residuals. Memory O(n r).
class PivotSearch {
 public:
  /// `rows` is n x d, n >= 1; `given` (r x d, perhaps empty) are pivots already. kNumeric when they
  /// are singular in binary64.
  PivotSearch(const kernel::Kernel& kernel, const numeric::Points& rows,
              const numeric::Points& given);

  /// Adds pivots until no row has a residual above `residual` (absolute; at least rounding), or
  /// there are `max_rank`. O(n r^2), in blocks: up to 64 pivots at once, chosen by pivoted Cholesky
  /// among 256 rows spread over those with at least half of the largest residual.
  void refine(double residual, std::size_t max_rank);

  /// In order of choice, the given ones first.
  const numeric::Points& pivots() const { return pivots_; }
  /// The rows among them, by index; without the given ones.
  const std::vector<std::uint32_t>& chosen() const { return chosen_; }
  std::size_t rank() const { return static_cast<std::size_t>(pivots_.rows()); }
  /// Largest residual on the rows.
  double largest_residual() const;

 private:
  std::vector<std::uint32_t> candidates(double floor) const;
  numeric::Matrix left_of(const std::vector<std::uint32_t>& rows) const;
  bool add_block(double residual, std::size_t max_rank);
  void append(const std::vector<std::uint32_t>& rows, const numeric::Matrix& lower);

  kernel::Kernel kernel_;
  Eigen::Index num_given_;
  numeric::Points rows_;  // the given pivots, then the rows
  kernel::ScaledPoints scaled_;
  numeric::Points pivots_;
  std::vector<std::uint32_t> chosen_;
  numeric::Matrix z_;  // as many as rows_ x (at least r): whitened rows
  numeric::Vector residual_;
};

}  // namespace duets::gp
