// Random points of a domain and neighbourhoods of points, for policies that leave the arms.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "duets/baselines/setting.h"
#include "duets/numeric/matrix.h"

namespace duets::baselines {

/// Latent points of a domain. On a finite set all of them are candidates.
class SearchSpace {
 public:
  /// Copies what it needs of the setting.
  explicit SearchSpace(const Setting& setting);

  const domain::Domain& domain() const { return *domain_; }
  bool is_finite() const { return domain_->is_finite(); }
  const numeric::Points& candidates() const { return candidates_; }  ///< of a finite set

  /// Uniform. `stream` and `slot` are the coin's epoch and slot (kPolicy): each pair once.
  numeric::Points uniform(std::size_t count, std::uint32_t stream, std::uint32_t slot) const;
  /// A Latin hypercube of a box; uniform on a ball; candidates on a finite set, none twice while
  /// there are others.
  numeric::Points spread(std::size_t count, std::uint32_t stream, std::uint32_t slot) const;
  /// `count` random changes of each centre (rows), by 0.2, 0.05 and 0.01 of the width in turn;
  /// categories change too. Not on a finite set.
  numeric::Points around(const numeric::Points& centres, std::size_t count, std::uint32_t stream,
                         std::uint32_t slot) const;
  /// A step in either direction of every coordinate, at least to the next value of an int; every
  /// other choice of a categorical. Not on a finite set.
  numeric::Points neighbours(const numeric::Vector& latent, double step) const;

  /// Climbs by neighbours from `start`, whose value is given: to the best of them if it is better,
  /// else with half the step; starts with `step` and halves it `halvings` times, in at most 30
  /// steps. Not on a finite set.
  numeric::Vector climb(numeric::Vector start, double value,
                        const std::function<numeric::Vector(const numeric::Points&)>& values,
                        double step, int halvings) const;

 private:
  void move_inside(Eigen::Ref<numeric::Vector> latent) const;

  std::shared_ptr<const domain::Domain> domain_;
  numeric::Points candidates_;
  random::Coin coin_;
};

}  // namespace duets::baselines
