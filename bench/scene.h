// Input for the posteriors of the coordinator's benchmarks: a kernel, a region, and any number of
// points of it, made in blocks when they are asked for.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "duets/gp/data_blocks.h"
#include "duets/kernel/kernel.h"
#include "duets/numeric/matrix.h"
#include "duets/region/sampler.h"

namespace duets::bench {

struct Scene {
  kernel::Kernel kernel;
  double lambda = 0.2;
  std::shared_ptr<const region::Sampler> sampler;  ///< uniform points of the region
};

/// "branin" is the unit square with length scale 0.2, "hartmann4" the unit cube of four dimensions
/// with length scale 1: the studies of these names. Trimmed: one cut leaves about a fifth of it.
/// std::invalid_argument for other names.
Scene make_scene(std::string_view name, kernel::Family family, bool trimmed);

/// The first m uniform points of the region, as an epoch has them. Replayed from a coin whenever
/// they are asked for; nothing is held.
gp::DataBlocks data_of(const Scene& scene, std::uint64_t m);

/// 2000 other points of the region: where posteriors are compared.
numeric::Points queries_of(const Scene& scene);

/// A smooth function at the points, with Gaussian noise of variance lambda; the noise belongs to
/// block `block` of the data.
numeric::Vector rewards_of(const Scene& scene, const numeric::Points& points, std::size_t block);

}  // namespace duets::bench
