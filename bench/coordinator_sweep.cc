// The cases with more points than memory should hold.
#include "coordinator_cases.h"
#include "duets/gp/sparse.h"
#include "duets/protocol/variance.h"
#include "process.h"

namespace duets::bench {
namespace {

using numeric::Points;
using numeric::Vector;

// Sum over blocks of K_SD y(D).
template <typename Rewards>
Vector projection(const Scene& scene, const gp::DataBlocks& data, const Points& inducing,
                  const Rewards& rewards) {
  Vector sum = Vector::Zero(inducing.rows());
  for (std::size_t b = 0; b < data.num_blocks(); ++b) {
    const Points points = data.block(b).points;
    sum += gp::project(scene.kernel, inducing, points, rewards(points, b));
  }
  return sum;
}

// How well w = M^-1 u solves (lambda K_SS + K_SD K_DS) w = u, with every product taken through the
// strict evaluator: no whitening, no Gram matrix. O(m r).
double error_of(const Scene& scene, const gp::DataBlocks& data, const Points& inducing,
                const gp::SparsePosterior& posterior) {
  const Vector u = projection(
      scene, data, inducing,
      [&](const Points& points, std::size_t b) -> Vector { return rewards_of(scene, points, b); });
  const Vector w = posterior.weights(u);
  const Vector again =
      projection(scene, data, inducing, [&](const Points& points, std::size_t) -> Vector {
        return kernel::weighted_sum(scene.kernel, points, inducing, w);
      });
  const Vector ridge = scene.lambda * kernel::weighted_sum(scene.kernel, inducing, inducing, w);
  return (again + ridge - u).cwiseAbs().maxCoeff() / u.cwiseAbs().maxCoeff();
}

}  // namespace

Sweep time_sweep(const Case& made, std::uint64_t rank) {
  const Scene& scene = made.scene;
  const gp::DataBlocks data = data_of(scene, made.m);
  const Points inducing = pivots_of(scene, data, gp::kPruneTolerance, rank);
  const double begun = processor_seconds();
  const gp::SparsePosterior posterior(scene.kernel, inducing, data, scene.lambda, kSerial);
  const double seconds = processor_seconds() - begun;
  return {seconds, posterior.num_inducing(), error_of(scene, data, inducing, posterior),
          posterior.variance(queries_of(scene)).variance.maxCoeff()};
}

Largest time_supremum(const Case& made) {
  const Scene& scene = made.scene;
  protocol::Study study;
  study.domain = scene.sampler->region().shared_domain();
  study.kernel = scene.kernel;
  study.lambda = scene.lambda;
  const Points pool = queries_of(scene);
  const protocol::Dataset data{data_of(scene, made.m), made.m};
  protocol::EpochReport report;
  const double begun = processor_seconds();
  const double value = protocol::variance_supremum(study, scene.kernel, scene.lambda, data,
                                                   scene.sampler->region(), pool, kSerial, report);
  return {processor_seconds() - begun, report.variance_rank, report.variance_tolerance, value};
}

}  // namespace duets::bench
