#include "scene.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

namespace duets::bench {
namespace {

using base::EpochId;
using numeric::Points;
using numeric::Vector;
using region::Method;

constexpr std::uint64_t kBlockRows = 16384;
constexpr EpochId kDataEpoch{1};
constexpr EpochId kQueryEpoch{2};
constexpr EpochId kCutEpoch{3};

const random::Coin& coin() {
  static const random::Coin made = random::StudySecret::from_seed(5).public_coin();
  return made;
}

Points draw(const region::Sampler& sampler, EpochId epoch, std::uint64_t first,
            std::uint64_t count) {
  const region::SlotRange slots{epoch, static_cast<std::uint32_t>(first),
                                static_cast<std::uint32_t>(count)};
  return sampler.draw(coin(), region::Lane::kPublic, slots, base::SerialExecutor()).latents;
}

// A cut through 50 centers that keeps about a fifth.
std::shared_ptr<const region::Cut> make_cut(const kernel::Kernel& kernel,
                                            const region::Sampler& whole) {
  const Points drawn = draw(whole, kCutEpoch, 0, 4146);
  const Points centers = drawn.topRows(50);
  const Points sample = drawn.bottomRows(4096);
  Vector weights(50);
  coin().normals({.purpose = random::Purpose::kProblem}, {weights.data(), 50});
  Vector sums = kernel::weighted_sum(kernel, sample, centers, weights);
  std::sort(sums.begin(), sums.end());
  return std::make_shared<const region::Cut>(kernel, 0.0, centers, weights, sums[4096 * 4 / 5]);
}

}  // namespace

Scene make_scene(std::string_view name, kernel::Family family, bool trimmed) {
  if (name != "branin" && name != "hartmann4") {
    throw std::invalid_argument("no scene is called " + std::string(name));
  }
  const bool plane = name == "branin";
  Scene scene;
  scene.kernel = {.family = family, .lengthscales = {plane ? 0.2 : 1.0}};
  const region::Region whole(
      std::make_shared<const domain::Domain>(domain::Domain::box(plane ? 2 : 4)));
  scene.sampler = std::make_shared<const region::Sampler>(
      whole, region::SamplerSettings{.method = Method::kRejection, .max_attempts = 1});
  if (!trimmed) return scene;
  // The cut is a squared exponential's in any case, so that all kernels see the same region.
  const kernel::Kernel smooth{.lengthscales = scene.kernel.lengthscales};
  scene.sampler = std::make_shared<const region::Sampler>(
      whole.trimmed(make_cut(smooth, *scene.sampler)),
      region::SamplerSettings{.method = Method::kRejection, .max_attempts = 1000});
  return scene;
}

gp::DataBlocks data_of(const Scene& scene, std::uint64_t m) {
  gp::DataBlocks data;
  for (std::uint64_t first = 0; first < m; first += kBlockRows) {
    data.rows.push_back(std::min(kBlockRows, m - first));
  }
  data.block = [sampler = scene.sampler, rows = data.rows](std::size_t i) {
    return gp::DataBlock{draw(*sampler, kDataEpoch, i * kBlockRows, rows[i]), {}};
  };
  return data;
}

Points queries_of(const Scene& scene) { return draw(*scene.sampler, kQueryEpoch, 0, 2000); }

Vector rewards_of(const Scene& scene, const Points& points, std::size_t block) {
  constexpr Eigen::Index kAtOnce = random::kWordsPerAddress;
  Vector rewards(points.rows());
  for (Eigen::Index first = 0; first < points.rows(); first += kAtOnce) {
    const Eigen::Index count = std::min(kAtOnce, points.rows() - first);
    coin().normals({.purpose = random::Purpose::kNoise,
                    .epoch = static_cast<std::uint32_t>(block),
                    .slot = static_cast<std::uint32_t>(first)},
                   {rewards.data() + first, static_cast<std::size_t>(count)});
  }
  rewards *= std::sqrt(scene.lambda);
  for (Eigen::Index i = 0; i < points.rows(); ++i) {
    rewards[i] += std::sin(5 * points(i, 0)) * std::cos(4 * points(i, 1));
  }
  return rewards;
}

}  // namespace duets::bench
