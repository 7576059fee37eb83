#include "duets/protocol/upload_grid.h"

#include <algorithm>
#include <cmath>

#include "duets/gp/low_rank.h"
#include "duets/gp/sparse.h"
#include "duets/numeric/rows.h"
#include "duets/protocol/epoch_model.h"

namespace duets::protocol {
namespace {

using numeric::Matrix;
using numeric::Points;
using numeric::Vector;

/// Of the mean's deviation.
constexpr double kShareOfDeviation = 0.1;
constexpr std::size_t kPointsAsked = 256;
/// Of more data a sample counts, each of its points several times.
constexpr std::size_t kDataAsked = 4096;

// The weights that a change of each number of the projection adds.
Matrix weights_of_units(const gp::SparsePosterior& posterior, Eigen::Index count) {
  Matrix weights(count, count);
  for (Eigen::Index i = 0; i < count; ++i) {
    weights.col(i) = posterior.weights(Vector::Unit(count, i));
  }
  return weights;
}

}  // namespace

std::int32_t reward_exponent(double lambda) {
  return std::clamp(std::ilogb(std::sqrt(lambda)), -Grid::kMostExponent, Grid::kMostExponent);
}

std::int32_t projection_exponent(const PublicView& view, const InducingSet& message,
                                 const Replay& replay, const Points& pool, double lambda) {
  const Study& study = view.study();
  const base::Executor& executor = view.executor();
  const auto features = [&](const Points& latents) { return study.domain->features(latents); };
  const kernel::Kernel& kernel = view.model(message.epoch).kernel;
  const Points inducing = features(message.points.rows() > 0
                                       ? message.points
                                       : view.public_latents(message.epoch, message.public_slots));
  const gp::DataBlocks latents = replay.latents();
  const Points data = gp::spread_rows(latents, kDataAsked, executor);
  const double each = static_cast<double>(latents.num_rows()) / static_cast<double>(data.rows());
  const gp::SparsePosterior posterior(kernel, inducing, features(data),
                                      Vector::Constant(data.rows(), each), lambda, executor);
  Points asked = gp::spread_rows(gp::blocks_of(pool), kPointsAsked, executor);
  if (recalls_all(study, message.epoch)) {
    const Points everywhere = supremum_pool(view, EpochId{1});
    asked =
        numeric::stacked(asked, gp::spread_rows(gp::blocks_of(everywhere), kPointsAsked, executor));
  }
  const Points at = features(asked);
  const Matrix moved =
      kernel::cross(kernel, at, inducing) * weights_of_units(posterior, inducing.rows());
  const Vector deviation = posterior.variance(at).variance.cwiseMax(0).cwiseSqrt();
  // Each number is off by at most half a step on average, of every agent.
  const Vector steps = 2 * kShareOfDeviation / std::sqrt(static_cast<double>(study.agents)) *
                       deviation.cwiseQuotient(moved.rowwise().norm());
  const double step = steps.minCoeff();
  const int exponent = step > 0 && std::isfinite(step) ? std::ilogb(step) : -Grid::kMostExponent;
  base::ByteWriter out;
  out.u32(
      static_cast<std::uint32_t>(std::clamp(exponent, -Grid::kMostExponent, Grid::kMostExponent)));
  const base::Bytes agreed = executor.agree(out.take());
  return static_cast<std::int32_t>(base::ByteReader(agreed).u32());
}

}  // namespace duets::protocol
