// The model that all agents of ApproxDisKernelUCB share after a synchronisation, and the model of
// one agent on top of it.
//
//   mu(x) = z^T (A + lambda I)^-1 b,   s2_R(x) = (k(x,x) - z^T z) / lambda + z^T (A + lambda I)^-1
//   z
//
// s2_R is the variance divided by lambda (ridge leverage), here called leverage. With
// A + lambda I = R R^T and w(x) = R^-1 z(x) they are w^T R^-1 b and (k - |z|^2) / lambda + |w|^2.
#pragma once

#include <cstddef>
#include <memory>

#include "duets/baselines/approx_dis_kernel_ucb/dictionary.h"
#include "duets/gp/arms.h"
#include "duets/gp/whitened_rows.h"
#include "duets/numeric/matrix.h"

namespace duets::baselines {

/// Mean and leverage (in [0, k/lambda]) at some points, one entry for each.
struct Moments {
  numeric::Vector mean;
  numeric::Vector leverage;
};

/// Points as the model sees them.
struct Whitened {
  numeric::Matrix rows;      ///< n x m: w(x_i)^T
  numeric::Vector residual;  ///< n: (k(x,x) - |z|^2) / lambda
};

/// The state after a synchronisation. Immutable.
class PooledModel {
 public:
  /// Without data: mean 0, leverage k / lambda everywhere.
  PooledModel(const gp::Arms& arms, double lambda);

  /// `gram` is A (m x m, lower triangle read), `moment` is b. kInvalid when sizes do not fit,
  /// kNumeric when A + lambda I cannot be factored. O(M m (m + d)).
  PooledModel(const gp::Arms& arms, double lambda, std::shared_ptr<const Dictionary> dictionary,
              numeric::Matrix gram, const numeric::Vector& moment);

  const Dictionary& dictionary() const { return *dictionary_; }
  double largest_leverage() const { return dictionary_->prior_variance() / lambda_; }

  const Whitened& arms() const { return arms_; }
  const Moments& at_arms() const { return at_arms_; }

  /// Features z (n x m rows) to what the model sees. O(n m^2).
  Whitened whiten(numeric::Matrix features) const;
  Moments moments(const Whitened& points) const;

  /// R^-1 b.
  const numeric::Vector& weights() const { return weights_; }

 private:
  double lambda_;
  std::shared_ptr<const Dictionary> dictionary_;
  numeric::Matrix root_;  // R
  numeric::Vector weights_;
  Whitened arms_;
  Moments at_arms_;
};

/// One agent's model: the pooled one with A + sum z z^T and b + sum z y over its own queries since.
/// Each query is a rank-one change of (A + lambda I)^-1; over u of them
/// w^T w' - v^T v' takes the place of w^T w', with v(x) = P^-1 W_own w(x) and
/// P P^T = I + W_own W_own^T.
class LocalModel {
 public:
  /// Starts with the pooled model, which it keeps.
  explicit LocalModel(std::shared_ptr<const PooledModel> pooled);

  /// Adds z z^T and z y of one query. `white` is w of the query, `covariance` w(arm_i)^T w for all
  /// arms. Equal `point`s have equal w: a point queried again in succession costs O(M) and no
  /// memory, anything else O((M + m) u).
  void add(std::size_t point, const numeric::Vector& white, const numeric::Vector& covariance,
           double reward);

  /// Queries added so far.
  std::size_t num_own() const { return num_own_; }
  const Moments& at_arms() const { return at_arms_; }

  /// At any points (n x d features). O(n m (m + d + u)).
  Moments at(const numeric::Points& x) const;

 private:
  void append(const numeric::Vector& white, const numeric::Vector& covariance, double reward);

  // The query of the last row, which may represent several in succession.
  struct Last {
    std::size_t point = 0;
    double count = 0;
    double mean_before = 0;  // of the model without the row
  };

  std::shared_ptr<const PooledModel> pooled_;
  Moments at_arms_;
  gp::WhitenedRows rows_;  // P, v(arm_i) for all arms, P^-1 (y_own - pooled mean)
  numeric::Matrix own_;    // W_own^T: m x (room for more columns than there are rows)
  Last last_;
  std::size_t num_own_ = 0;
};

}  // namespace duets::baselines
