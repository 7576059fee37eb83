// The growing half of an exact posterior on a fixed set of arms: rows V = L^-1 K_{U,arms}.
#pragma once

#include <cstddef>

#include "duets/numeric/matrix.h"

namespace duets::gp {

/// One observation for each row: u sites (repeats allowed), each with a noise variance, a Cholesky
/// factor L of (prior covariance of the sites + noise), the whitened covariances V with M arms and
/// the whitened rewards a. What the prior is, is the caller's business: the kernel for a posterior,
/// a posterior for what is laid over it.
class WhitenedRows {
 public:
  WhitenedRows() = default;
  explicit WhitenedRows(std::size_t num_arms);

  std::size_t size() const { return static_cast<std::size_t>(num_rows_); }
  void clear() { num_rows_ = 0; }

  /// M x u: row k of V is column k here, so that it lies side by side in memory.
  auto whitened_arms() const { return arms_.leftCols(num_rows_); }
  /// u x u, lower triangular.
  auto lower() const { return lower_.topLeftCorner(num_rows_, num_rows_); }
  /// u.
  auto rewards() const { return rewards_.head(num_rows_); }

  /// What one block of p new rows is made from; covariances are posterior to the rows before.
  struct Block {
    numeric::Matrix arms;        ///< M x p: covariance of the sites with the arms
    numeric::Matrix white;       ///< u x p: whitened by the rows before
    numeric::Matrix covariance;  ///< p x p: of the sites
    numeric::Vector noise;       ///< p, > 0
    numeric::Vector surprise;    ///< p: (mean) reward minus its mean
  };

  /// Appends p rows and updates `mean` and `variance` of the arms, the latter clamped below at 0.
  /// kNumeric when covariance + noise cannot be factored. Uses `block` up. O(p^2 M).
  void append(Block& block, numeric::Vector& mean, numeric::Vector& variance);

  /// The last row as if its site had been observed with another noise and mean reward: exact,
  /// without a new row. `surprise` is relative to what was known before that row. O(M).
  /// Returns by which factor the row's outer product grew, minus 1.
  double revise_last(double noise, double surprise, numeric::Vector& mean,
                     numeric::Vector& variance);

  /// Variance of the last row's site before that row.
  double last_variance() const { return last_variance_; }

 private:
  void reserve(Eigen::Index rows);

  Eigen::Index num_rows_ = 0;
  numeric::Matrix arms_;   // capacity >= num_rows_ columns
  numeric::Points lower_;  // rows are appended, so rows lie side by side
  numeric::Vector rewards_;
  double last_variance_ = 0;
};

}  // namespace duets::gp
