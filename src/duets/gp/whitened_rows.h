// The growing half of an exact posterior on a fixed set of arms: rows V = L^-1 K_{U,arms}.
#pragma once

#include <cstddef>

#include "duets/numeric/matrix.h"

namespace duets::gp {

/// One row for each of u sites (repeats allowed), every one with a noise variance: a Cholesky
/// factor L of (prior covariance of the sites + noise), the whitened covariances V with M arms and
/// the whitened rewards a = L^-1 y. What the prior is, is the caller's business: the kernel for a
/// posterior, a posterior for what is laid over it.
class WhitenedRows {
 public:
  explicit WhitenedRows(std::size_t num_arms);

  std::size_t size() const { return static_cast<std::size_t>(num_rows_); }
  void clear() { num_rows_ = 0; }

  /// M x u: row k of V is column k here, so that it lies side by side in memory.
  auto whitened_arms() const { return arms_.leftCols(num_rows_); }
  /// u x u, lower triangular; what is above the diagonal has no meaning.
  auto lower() const { return lower_.topLeftCorner(num_rows_, num_rows_); }
  /// u.
  auto rewards() const { return rewards_.head(num_rows_); }

  /// What p new rows are made from. Covariances are given the rows before.
  struct Block {
    numeric::Matrix arms;        ///< M x p: of the sites with the arms
    numeric::Matrix white;       ///< u x p: the sites whitened by the rows before
    numeric::Matrix covariance;  ///< p x p: of the sites
    numeric::Vector noise;       ///< p, > 0
    numeric::Vector surprise;    ///< p: reward minus its mean
  };

  /// Appends p rows and updates `mean` and `variance` of the arms, the latter clamped below at 0.
  /// Returns the growth of ln det(I + K/noise). kNumeric when covariance + noise cannot be
  /// factored. Uses `block` up. O(p^2 M).
  double append(Block& block, numeric::Vector& mean, numeric::Vector& variance);

  /// The last row as if its site had been observed with another noise and surprise: exact, and no
  /// row more. Returns by how much the outer product of the row grew, relatively. O(M).
  double revise_last(double noise, double surprise, numeric::Vector& mean,
                     numeric::Vector& variance);

  /// Of the last row: its site's variance before it, and its reward minus the mean before it.
  double last_variance() const { return last_variance_; }
  double last_surprise() const;

 private:
  void reserve(Eigen::Index rows);

  Eigen::Index num_rows_ = 0;
  numeric::Matrix arms_;   // room for more columns than num_rows_
  numeric::Points lower_;  // whole rows are appended, so they lie side by side
  numeric::Vector rewards_;
  double last_variance_ = 0;
};

}  // namespace duets::gp
