#include "duets/gp/whitened_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "duets/base/error.h"
#include "duets/gp/checks.h"
#include "duets/numeric/cholesky.h"

namespace duets::gp {

using numeric::Matrix;
using numeric::Vector;

namespace {

// Reserved memory that is not touched costs nothing; growing costs a copy.
constexpr Eigen::Index kFirstCapacity = 64;

void subtract_squares(const Eigen::Ref<const Matrix>& columns, Vector& variance) {
  for (Eigen::Index k = 0; k < columns.cols(); ++k) {
    variance.array() -= columns.col(k).array().square();
  }
  variance = variance.cwiseMax(0.0);
}

}  // namespace

WhitenedRows::WhitenedRows(std::size_t num_arms) : arms_(static_cast<Eigen::Index>(num_arms), 0) {}

void WhitenedRows::reserve(Eigen::Index rows) {
  if (rows <= arms_.cols()) return;
  const Eigen::Index capacity = std::max({kFirstCapacity, rows, 2 * arms_.cols()});
  // Copies only what is in use; conservativeResize would copy everything.
  Matrix arms(arms_.rows(), capacity);
  arms.leftCols(num_rows_) = arms_.leftCols(num_rows_);
  arms_ = std::move(arms);
  lower_.conservativeResize(capacity, capacity);
  rewards_.conservativeResize(capacity);
}

double WhitenedRows::append(Block& block, Vector& mean, Vector& variance) {
  const Eigen::Index p = block.arms.cols();
  block.covariance.diagonal() += block.noise;
  const numeric::CholeskyResult factor = numeric::cholesky(block.covariance);
  if (!factor.ok) {
    throw base::Error(base::ErrorKind::kNumeric,
                      fmt::format("the covariance of {} new observations cannot be factored", p));
  }
  reserve(num_rows_ + p);
  whiten_rows(factor.lower, block.arms);
  factor.lower.triangularView<Eigen::Lower>().solveInPlace(block.surprise);
  mean.noalias() += block.arms * block.surprise;
  subtract_squares(block.arms, variance);

  arms_.middleCols(num_rows_, p) = block.arms;
  lower_.block(num_rows_, 0, p, num_rows_) = block.white.transpose();
  lower_.block(num_rows_, num_rows_, p, p) = factor.lower;
  rewards_.segment(num_rows_, p) = block.surprise;
  num_rows_ += p;

  const Vector pivots = factor.lower.diagonal().array().square();
  last_variance_ = std::max(0.0, pivots[p - 1] - block.noise[p - 1]);
  return (pivots.array() / block.noise.array()).log().sum();
}

// The row is c / r with c the covariances before it and r^2 = last_variance_ + noise: another noise
// changes only r, and c follows from the row.
double WhitenedRows::revise_last(double noise, double surprise, Vector& mean, Vector& variance) {
  const Eigen::Index last = num_rows_ - 1;
  const double before = lower_(last, last);
  const double after = std::sqrt(last_variance_ + noise);
  const double reward = surprise / after;
  const double scale = before / after;
  const double growth = scale * scale - 1.0;
  auto row = arms_.col(last);
  mean += (scale * reward - rewards_[last]) * row;
  variance.array() = (variance.array() - growth * row.array().square()).max(0.0);
  row *= scale;
  lower_(last, last) = after;
  rewards_[last] = reward;
  return growth;
}

double WhitenedRows::last_surprise() const {
  return rewards_[num_rows_ - 1] * lower_(num_rows_ - 1, num_rows_ - 1);
}

}  // namespace duets::gp
