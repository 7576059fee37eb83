#include "duets/gp/pivot_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "duets/base/error.h"
#include "duets/numeric/cholesky.h"
#include "duets/numeric/rows.h"

namespace duets::gp {
namespace {

using numeric::Matrix;
using numeric::Points;
using numeric::Vector;

// A block of pivots is chosen from this many rows whose residuals are at least this share of the
// largest. The rows with the largest residuals would be a bad choice: they are close to each other.
constexpr std::size_t kCandidates = 256;
constexpr double kFloorShare = 0.5;
constexpr std::size_t kBlock = 64;
// Rows at a time: their part of the factor stays in the cache.
constexpr Eigen::Index kSearchRows = 128;
// Below this part of the prior variance a residual is rounding.
constexpr double kRounding = 1e-13;

Matrix rows_at(const Eigen::Ref<const Matrix>& all, const std::vector<std::uint32_t>& rows) {
  return all(std::vector<Eigen::Index>(rows.begin(), rows.end()), Eigen::all);
}

// c -= a b^T, a term at a time in the order of columns: lanes run across rows, so every entry is
// the same sequence of roundings in every build. A matrix product would not be.
void subtract_product(const Eigen::Ref<const Matrix>& a, const Matrix& b, Eigen::Ref<Matrix> c) {
  for (Eigen::Index first = 0; first < c.rows(); first += kSearchRows) {
    const Eigen::Index count = std::min(kSearchRows, c.rows() - first);
    for (Eigen::Index j = 0; j < c.cols(); ++j) {
      auto out = c.col(j).segment(first, count).array();
      const auto term = [&](Eigen::Index k) {
        return a.col(k).segment(first, count).array() * b(j, k);
      };
      Eigen::Index k = 0;
      for (; k + 4 <= a.cols(); k += 4) {
        out = (((out - term(k)) - term(k + 1)) - term(k + 2)) - term(k + 3);
      }
      for (; k < a.cols(); ++k) out = out - term(k);
    }
  }
}

// Rows b_i^T become (L^-1 b_i)^T, in the order of columns.
void solve_in_order(const Matrix& lower, Matrix& rows) {
  for (Eigen::Index j = 0; j < rows.cols(); ++j) {
    for (Eigen::Index k = 0; k < j; ++k) {
      rows.col(j).array() = rows.col(j).array() - rows.col(k).array() * lower(j, k);
    }
    rows.col(j).array() = rows.col(j).array() / lower(j, j);
  }
}

// The factor of a small matrix, in the order of its rows; an empty one when it has none.
Matrix factor_in_order(const Matrix& a) {
  Matrix lower = Matrix::Zero(a.rows(), a.cols());
  for (Eigen::Index j = 0; j < a.cols(); ++j) {
    for (Eigen::Index i = j; i < a.rows(); ++i) {
      double left = a(i, j);
      for (Eigen::Index k = 0; k < j; ++k) left = left - lower(i, k) * lower(j, k);
      if (i == j && !(left > 0)) return {};
      lower(i, j) = i == j ? std::sqrt(left) : left / lower(j, j);
    }
  }
  return lower;
}

}  // namespace

PivotSearch::PivotSearch(const kernel::Kernel& kernel, const Points& rows, const Points& given)
    : kernel_(kernel),
      num_given_(given.rows()),
      rows_(numeric::stacked(given, rows)),
      scaled_(kernel, rows_),
      pivots_(0, rows.cols()),
      residual_(Vector::Constant(rows_.rows(), kernel.variance)) {
  base::require(rows.rows() >= 1, "rows", "0 points", "must have at least one");
  z_.resize(rows_.rows(), num_given_);
  for (Eigen::Index first = 0; first < num_given_; first += static_cast<Eigen::Index>(kBlock)) {
    std::vector<std::uint32_t> block(
        std::min(kBlock, static_cast<std::size_t>(num_given_ - first)));
    std::iota(block.begin(), block.end(), static_cast<std::uint32_t>(first));
    const Matrix lower = factor_in_order(left_of(block));
    if (lower.rows() == 0) {
      throw base::Error(base::ErrorKind::kNumeric,
                        fmt::format("{} given pivots are singular in binary64", num_given_));
    }
    append(block, lower);
  }
}

double PivotSearch::largest_residual() const {
  return std::max(0.0, residual_.tail(residual_.size() - num_given_).maxCoeff());
}

void PivotSearch::refine(double residual, std::size_t max_rank) {
  const double stop = std::max(residual, kRounding * kernel_.variance);
  while (rank() < max_rank && add_block(stop, max_rank)) {
  }
}

// The worst row, and others evenly spread over those above the floor.
std::vector<std::uint32_t> PivotSearch::candidates(double floor) const {
  std::vector<std::uint32_t> above;
  for (Eigen::Index i = num_given_; i < residual_.size(); ++i) {
    if (residual_[i] > floor) above.push_back(static_cast<std::uint32_t>(i));
  }
  if (above.size() <= kCandidates) return above;
  const auto worst = std::max_element(
      above.begin(), above.end(),
      [&](std::uint32_t a, std::uint32_t b) { return residual_[a] < residual_[b]; });
  std::vector<std::uint32_t> some{*worst};
  for (std::size_t i = 0; i + 1 < kCandidates; ++i) {
    const std::uint32_t row = above[i * above.size() / (kCandidates - 1)];
    if (row != some.front()) some.push_back(row);
  }
  return some;
}

// The residual of these rows' kernel matrix given the pivots.
Matrix PivotSearch::left_of(const std::vector<std::uint32_t>& rows) const {
  Matrix left = kernel::gram(kernel_, numeric::select_rows(rows_, rows));
  const Matrix z = rows_at(z_.leftCols(static_cast<Eigen::Index>(rank())), rows);
  subtract_product(z, z, left);
  return left;
}

bool PivotSearch::add_block(double residual, std::size_t max_rank) {
  const double largest = largest_residual();
  if (!(largest > residual)) return false;
  const double floor = std::max(residual, kFloorShare * largest);
  const std::vector<std::uint32_t> rows = candidates(floor);
  const Matrix left = left_of(rows);
  const numeric::PivotedCholesky local = numeric::pivoted_cholesky(
      left.diagonal(), [&](std::uint32_t i) -> Vector { return left.col(i); }, floor,
      std::min(kBlock, max_rank - rank()));
  if (local.pivots.empty()) return false;
  std::vector<std::uint32_t> chosen;
  for (const std::uint32_t i : local.pivots) chosen.push_back(rows[i]);
  append(chosen, rows_at(local.factor, local.pivots));
  for (const std::uint32_t row : chosen) {
    chosen_.push_back(row - static_cast<std::uint32_t>(num_given_));
  }
  return true;
}

// `lower`: the factor of the residual of these rows' kernel matrix given the earlier pivots.
void PivotSearch::append(const std::vector<std::uint32_t>& rows, const Matrix& lower) {
  const auto r = static_cast<Eigen::Index>(rank());
  const Points points = numeric::select_rows(rows_, rows);
  Matrix fresh = kernel::cross(kernel_, scaled_, kernel::ScaledPoints(kernel_, points));
  subtract_product(z_.leftCols(r), rows_at(z_.leftCols(r), rows), fresh);
  solve_in_order(lower, fresh);
  // It grows by doubling: the final width is not known.
  if (r + fresh.cols() > z_.cols()) {
    z_.conservativeResize(Eigen::NoChange, std::max(2 * z_.cols(), r + fresh.cols()));
  }
  z_.middleCols(r, fresh.cols()) = fresh;
  for (Eigen::Index k = 0; k < fresh.cols(); ++k) {
    residual_.array() = residual_.array() - fresh.col(k).array().square();
  }
  // A pivot has no residual, whatever rounding gives.
  for (const std::uint32_t row : rows) residual_[row] = 0;
  pivots_ = numeric::stacked(pivots_, points);
}

}  // namespace duets::gp
