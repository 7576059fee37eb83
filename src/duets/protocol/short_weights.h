// The mean of a cut in few bits.
#pragma once

#include <cstdint>
#include <vector>

#include "duets/kernel/kernel.h"
#include "duets/numeric/matrix.h"
#include "duets/protocol/numbers.h"

namespace duets::protocol {

/// How far the mean that is sent may be from the one that was computed, in largest deviations of
/// the posterior, at points that are kept or nearly so.
inline constexpr double kWeightShare = 0.4;
/// Below the threshold also this part of the distance to it: nobody asks how far below a point is.
inline constexpr double kBelowShare = 0.7;

/// How far the mean may be off at points where it is this.
numeric::Vector near_enough(const numeric::Vector& means, double tau, double max_stddev);

struct ShortWeights {
  std::vector<std::uint32_t> chosen;  ///< rows of the centers, increasing
  numeric::Vector weights;            ///< theirs
  NumberFormat format;
  std::uint64_t size = 0;  ///< bits, about
};

/// The mean at some points and how far from it is near enough at each (positive).
struct MeanToSend {
  numeric::Points points;  ///< features
  numeric::Vector means;
  numeric::Vector most;
};

/// Weights of all centers (features) that are near enough to what `weights` give, on the coarsest
/// grid. They are rounded one after another, each making up for what the ones before it have
/// changed, so that a few bits suffice. The weights themselves, each alone, where no grid is fine
/// enough. What this gives is sent; it need not be the same on two machines.
ShortWeights shorten_weights(const kernel::Kernel& kernel, const MeanToSend& mean,
                             const numeric::Points& centers, const numeric::Vector& weights);

/// Weights of as few centers as are near enough; nothing chosen where all of them are not.
ShortWeights sparse_weights(const kernel::Kernel& kernel, const MeanToSend& mean,
                            const numeric::Points& centers);

}  // namespace duets::protocol
