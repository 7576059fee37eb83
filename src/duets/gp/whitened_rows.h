// The growing half of an exact posterior on a fixed set of arms: rows V = L^-1 K_{U,arms}.
#pragma once

#include <cstddef>

#include "duets/numeric/matrix.h"

namespace duets::gp {

/// One row for each of u sites (repeats allowed), every one with a noise variance: a Cholesky
/// factor L of (prior covariance of the sites + noise), the whitened covariances V with M arms and
/// the whitened rewards a = L^-1 y. The caller chooses the prior: the kernel for a posterior, or a
/// posterior for an overlay.
class WhitenedRows {
 public:
  explicit WhitenedRows(std::size_t num_arms);

  std::size_t size() const { return static_cast<std::size_t>(num_rows_); }
  void clear() { num_rows_ = 0; }

  /// M x u: row k of V is column k here, so that it is contiguous in memory.
  auto whitened_arms() const { return arms_.leftCols(num_rows_); }
  /// u x u, lower triangular; entries above the diagonal are meaningless.
  auto lower() const { return lower_.topLeftCorner(num_rows_, num_rows_); }
  /// u.
  auto rewards() const { return rewards_.head(num_rows_); }

  /// The input for p new rows. Covariances are conditioned on the earlier rows.
  struct Block {
    numeric::Matrix arms;        ///< M x p: of the sites with the arms
    numeric::Matrix white;       ///< u x p: the sites whitened by the earlier rows
    numeric::Matrix covariance;  ///< p x p: of the sites
    numeric::Vector noise;       ///< p, > 0
    numeric::Vector surprise;    ///< p: reward minus its mean
  };

  /// Appends p rows and updates `mean` and `variance` of the arms, the latter clamped below at 0.
  /// Returns the growth of ln det(I + K/noise). kNumeric when covariance + noise cannot be
  /// factored. Consumes `block`. O(p^2 M).
  double append(Block& block, numeric::Vector& mean, numeric::Vector& variance);

  /// Changes the last row as if its site had been observed with another noise and surprise: exact,
  /// without a new row. Returns the relative growth of the outer product of the row. O(M).
  double revise_last(double noise, double surprise, numeric::Vector& mean,
                     numeric::Vector& variance);

  /// Of the last row: its site's variance before it, and its reward minus the mean before it.
  double last_variance() const { return last_variance_; }
  double last_surprise() const;

 private:
  void reserve(Eigen::Index rows);

  Eigen::Index num_rows_ = 0;
  numeric::Matrix arms_;   // room for more columns than num_rows_
  numeric::Points lower_;  // row-major, because whole rows are appended
  numeric::Vector rewards_;
  double last_variance_ = 0;
};

}  // namespace duets::gp
