// Finds suprema over the active region: over all survivors of a finite set, with a public pool and
// local ascent on a continuous one. Only the coordinator needs them.
#pragma once

#include <functional>

#include "duets/numeric/matrix.h"
#include "duets/region/region.h"

namespace duets::protocol {

/// Values of a function at feature points.
using PointFunction = std::function<numeric::Vector(const numeric::Points& features)>;

struct Supremum {
  double value = 0;
  numeric::Vector latent;  ///< a point of the region where the value is attained
};

/// The largest value of `f` on the region. `pool` holds latent points of the region: all of them
/// for a finite set, a uniform sample otherwise; the sample's best few are then improved by compass
/// search, which never leaves the region. Ties go to the lowest index. `pool` must not be empty.
/// O((|pool| + 3000 d) cost of f) on a continuous domain.
Supremum maximise(const region::Region& region, const numeric::Points& pool,
                  const PointFunction& f);
/// The same where the values of `f` at the pool are known already.
Supremum maximise(const region::Region& region, const numeric::Points& pool,
                  const numeric::Vector& values, const PointFunction& f);

}  // namespace duets::protocol
