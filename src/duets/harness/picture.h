// Collects the data for a picture of a two-dimensional study.
#pragma once

#include <optional>

#include "duets/domain/domain.h"
#include "duets/harness/run_result.h"
#include "duets/harness/thinning.h"
#include "duets/problems/problem.h"
#include "duets/protocol/run_summary.h"
#include "duets/region/region.h"

namespace duets::harness {

/// More queried points than this are thinned.
inline constexpr std::uint64_t kMaxPicturePoints = 20'000;

/// Records points while a study runs; does not draw. For studies that are not two-dimensional (or
/// whose coordinates are not plain numbers) it records nothing.
class PictureRecorder {
 public:
  PictureRecorder() = default;
  /// For a study with `num_queries` queries in total.
  PictureRecorder(const domain::Domain& domain, std::uint64_t num_queries);

  /// The queries whose points are in the picture: at most about kMaxPicturePoints, none when
  /// nothing is recorded.
  const QueryThinning& thinning() const { return thinning_; }

  /// Row `row` of `latents` was queried.
  void point(const numeric::Points& latents, Eigen::Index row, std::uint32_t epoch);

  /// Evaluates mean, cuts and, if it is known, the truth on a grid. `region` is the last of the
  /// run. Empty for studies that are not recorded. Call once.
  std::optional<Picture> finish(const region::Region& region,
                                const std::optional<protocol::Recommendation>& recommendation,
                                const problems::Problem* problem);

 private:
  bool active_ = false;
  QueryThinning thinning_{0};
  Picture picture_;
};

}  // namespace duets::harness
