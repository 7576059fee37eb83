// Decides how much of a region to keep by joint samples of the posterior: what keeping costs
// against what losing costs.
#pragma once

#include <cstdint>
#include <vector>

#include "duets/base/ids.h"
#include "duets/domain/parts.h"
#include "duets/gp/sparse.h"
#include "duets/random/coin.h"

namespace duets::protocol {

/// The points of a region at which the posterior is sampled, all or an even part of the rows given:
/// time grows with the cube.
inline constexpr Eigen::Index kDecisionPoints = 512;
inline constexpr std::uint32_t kDecisionSamples = 128;
/// More combinations of choices than this are not told apart, nor more values of an int.
inline constexpr std::uint32_t kMostParts = 32;
inline constexpr std::uint32_t kFewValues = 8;

struct DecisionInput {
  numeric::Points features;  ///< uniform points of the region, at least one
  numeric::Vector means;     ///< posterior means there
  /// How the points fall into parts (domain/parts.h). In each partition a part other than that of
  /// the largest mean keeps a quarter of its points, above the cap if need be, until samples of
  /// twice their deviation say that the rest is as good.
  std::vector<domain::Partition> partitions;
  double floor = 0;      ///< keep at least this share
  double cap = 1;        ///< and at most this one; the floor where it is larger
  double next = 0;       ///< queries of an agent in the next epoch
  double rest = 0;       ///< queries of an agent after that
  double better_by = 0;  ///< for Decision::missed
  /// The row whose value the shortfall is counted from; -1: that of the largest mean. Row 0 is
  /// always among those that are sampled.
  Eigen::Index answer = -1;
};

struct Decision {
  double share = 1;        ///< of the region, with the largest means
  double shortfall = 0;    ///< expected: the best value in the region less that at the answer
  double lost = 0;         ///< expected: the best value in the region less the best that is kept
  double missed = 0;       ///< chance that the shortfall is more than `better_by`
  double lost_chance = 0;  ///< chance that the loss is more than `better_by`
};

/// With f a sample of the posterior over the points in order of their means, keeps the k points of
/// least cost
///   next E[max f - mean of f over the first k] + rest E[max f - max of f over the first k].
/// Not strict: the share is recorded, and the threshold follows from it. The samples are normals of
/// `coin`, Purpose::kSample. kNumeric when the covariance cannot be factored. With n points
/// O(n^3/3 + samples n^2).
Decision decide(const gp::SparsePosterior& posterior, const DecisionInput& input,
                const random::Coin& coin, base::EpochId epoch);

}  // namespace duets::protocol
