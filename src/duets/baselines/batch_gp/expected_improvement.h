// Expected improvement in logarithms, and a batch of points that believes its own predictions.
#pragma once

#include <vector>

#include "duets/baselines/batch_gp/ard_model.h"

namespace duets::baselines {

/// ln E[max(0, mean + deviation Z - incumbent)], Z standard normal. The logarithm, because far from
/// the incumbent the value itself is 0 in binary64. -infinity when the deviation is 0 and the mean
/// is not above the incumbent.
double log_expected_improvement(double mean, double deviation, double incumbent);

/// A model to which points were added whose rewards are believed to be what it predicts (kriging
/// believer): the mean stays as it is, variances shrink.
class Believer {
 public:
  /// The model must outlive it.
  explicit Believer(const ArdModel& model) : model_(model) {}

  /// Adds one point (1 x d features). O(n^2).
  void add(const numeric::Points& features);

  /// (n + points added) x m, as ArdModel::whiten. O(m n^2).
  numeric::Matrix whiten(const numeric::Points& x) const;
  /// The row of the point that was added last, 1 x m; the rows of `white` before it are those of
  /// whiten(x) without it, and any may follow. O(m n).
  numeric::Matrix next_row(const numeric::Points& x, const numeric::Matrix& white) const;
  /// Posterior deviations from the squared norms of whitened columns.
  numeric::Vector deviation(const numeric::Vector& squares) const;

 private:
  struct Added {
    numeric::Points features;
    numeric::Vector white;  // of the point, by everything before it
    double root = 1;
  };
  numeric::Matrix row_of(const Added& added, const numeric::Points& x,
                         const numeric::Matrix& white) const;

  const ArdModel& model_;
  std::vector<Added> added_;
};

}  // namespace duets::baselines
