// Draws from a trimmed region, beside the membership tests they need: what sampling costs on top.
#include "duets/region/sampler.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <memory>
#include <string>

namespace duets::bench {
namespace {

using base::EpochId;
using numeric::Points;
using region::Method;

constexpr std::uint32_t kNumSlots = 512;

const random::Coin& coin() {
  static const random::Coin made = random::StudySecret::from_seed(3).public_coin();
  return made;
}

// A box of the given dimension with one cut through 100 centers that keeps about the fraction.
region::Region make_region(std::size_t dimension, double fraction) {
  const auto box = std::make_shared<const domain::Domain>(domain::Domain::box(dimension));
  const region::SamplerSettings whole{.method = Method::kRejection, .max_attempts = 1};
  const Points drawn =
      region::Sampler(region::Region(box), whole)
          .draw(coin(), region::Lane::kPublic, {EpochId{1}, 0, 4196}, base::SerialExecutor())
          .latents;
  const Points inducing = drawn.topRows(100);
  const Points sample = drawn.bottomRows(4096);
  numeric::Vector weights(100);
  coin().normals({.purpose = random::Purpose::kProblem}, {weights.data(), 100});
  const kernel::Kernel kernel{.lengthscales = {dimension == 2 ? 0.2 : 1.0}};
  numeric::Vector sums = kernel::weighted_sum(kernel, sample, inducing, weights);
  std::sort(sums.begin(), sums.end());
  const double tau = sums[static_cast<Eigen::Index>(4096 * (1 - fraction))];
  return region::Region(box).trimmed(
      std::make_shared<const region::Cut>(kernel, 0.0, inducing, weights, tau));
}

region::Sampler make_sampler(Method method, std::size_t dimension, double fraction) {
  const region::Region region = make_region(dimension, fraction);
  if (method != Method::kWalk) {
    // 14 halvings of the square: cells of 1/128, a small part of the length scale.
    const std::uint32_t depth = method == Method::kCover ? 14 : 0;
    return {region, {.method = method, .max_attempts = 100000, .cover_depth = depth}};
  }
  region::SamplerSettings settings{.method = method,
                                   .walk_steps = 20 + 4 * static_cast<std::uint32_t>(dimension),
                                   .max_shrinks = 100,
                                   .num_starts = 64,
                                   .stream_cap = 1 << 16};
  const region::Sampler whole(region::Region(region.shared_domain()),
                              {.method = Method::kRejection, .max_attempts = 1});
  const Points starts =
      region::find_starts(whole, region, settings, coin(), EpochId{1}, base::SerialExecutor());
  return {region, settings, starts};
}

region::Draw draw(const region::Sampler& sampler, std::uint32_t first, std::uint32_t count) {
  return sampler.draw(coin(), region::Lane::kPublic, {EpochId{2}, first, count},
                      base::SerialExecutor());
}

// Empty when every point is inside and a slot drawn alone is the same point.
std::string disagreement(const region::Sampler& sampler, const region::Draw& all) {
  const region::Membership membership = sampler.region().contains(all.latents);
  if (std::count(membership.inside.begin(), membership.inside.end(), 1) != all.latents.rows()) {
    return "a point lies outside";
  }
  for (std::uint32_t slot = 0; slot < kNumSlots; slot += 100) {
    if (draw(sampler, slot, 1).latents.row(0) != all.latents.row(slot)) {
      return "a slot drawn alone is another point";
    }
  }
  return "";
}

void sampler_ours(benchmark::State& state, Method method, double fraction) {
  const region::Sampler sampler =
      make_sampler(method, static_cast<std::size_t>(state.range(0)), fraction);
  const region::Draw all = draw(sampler, 0, kNumSlots);
  const std::string wrong = disagreement(sampler, all);
  if (!wrong.empty()) state.SkipWithError(wrong.c_str());
  state.counters["tests_per_draw"] = static_cast<double>(all.tests) / kNumSlots;
  for (auto _ : state) benchmark::DoNotOptimize(draw(sampler, 0, kNumSlots));
  state.SetItemsProcessed(state.iterations() * kNumSlots);
}

// As many membership tests as the draws need, in one go.
void sampler_tests_only(benchmark::State& state, Method method, double fraction) {
  const region::Sampler sampler =
      make_sampler(method, static_cast<std::size_t>(state.range(0)), fraction);
  const auto num_tests = static_cast<std::uint32_t>(draw(sampler, 0, kNumSlots).tests);
  const region::Sampler whole(region::Region(sampler.region().shared_domain()),
                              {.method = Method::kRejection, .max_attempts = 1});
  const Points points = draw(whole, 0, num_tests).latents;
  for (auto _ : state) benchmark::DoNotOptimize(sampler.region().contains(points));
  state.SetItemsProcessed(state.iterations() * kNumSlots);
}

#define DUETS_SAMPLER(NAME, METHOD, DIMENSION, FRACTION)        \
  BENCHMARK_CAPTURE(sampler_ours, NAME, METHOD, FRACTION)       \
      ->Name("sampler/" #NAME "/ours")                          \
      ->Arg(DIMENSION)                                          \
      ->Unit(benchmark::kMillisecond);                          \
  BENCHMARK_CAPTURE(sampler_tests_only, NAME, METHOD, FRACTION) \
      ->Name("sampler/" #NAME "/tests")                         \
      ->Arg(DIMENSION)                                          \
      ->Unit(benchmark::kMillisecond)

DUETS_SAMPLER(rejection, Method::kRejection, 2, 0.1);
DUETS_SAMPLER(rejection, Method::kRejection, 10, 0.1);
DUETS_SAMPLER(walk, Method::kWalk, 2, 0.01);
DUETS_SAMPLER(walk, Method::kWalk, 10, 0.01);
DUETS_SAMPLER(cover, Method::kCover, 2, 0.01);

}  // namespace
}  // namespace duets::bench
