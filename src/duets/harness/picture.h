// Collects what a picture of a two-dimensional study needs.
#pragma once

#include <optional>

#include "duets/domain/domain.h"
#include "duets/harness/run_result.h"
#include "duets/problems/problem.h"
#include "duets/protocol/coordinator.h"

namespace duets::harness {

/// Records points while a study runs and draws nothing itself. For studies that are not
/// two-dimensional (or whose coordinates are not plain numbers) it records nothing.
class PictureRecorder {
 public:
  PictureRecorder() = default;
  explicit PictureRecorder(const domain::Domain& domain);

  void point(const numeric::Points& latents, std::uint32_t row, std::uint32_t epoch);

  /// Evaluates mean, cuts and truth on a grid. Empty for studies that are not recorded. Once.
  std::optional<Picture> finish(const protocol::Coordinator& coordinator,
                                const protocol::Recommendation& recommendation,
                                const problems::Problem& problem);

 private:
  bool active_ = false;
  Picture picture_;
};

}  // namespace duets::harness
