#include "duets/region/fingerprint.h"

#include <fmt/format.h>

#include <cfenv>
#include <memory>
#include <vector>

#include "duets/base/bytes.h"
#include "duets/base/error.h"
#include "duets/kernel/kernel.h"
#include "duets/numeric/strict.h"
#include "duets/region/draw.h"
#include "duets/region/sampler.h"

namespace duets::region {
namespace {

using numeric::Points;
using numeric::Vector;

void add_functions(base::ByteWriter& out) {
  for (int i = 0; i <= 400; ++i) {
    const double x = -8 + i * 0.04;
    out.f64(numeric::strict_exp(x));
    out.f64(numeric::strict_log(numeric::strict_exp(x) + i));
    const numeric::SinCos sc = numeric::strict_sincospi(x);
    out.f64(sc.sin);
    out.f64(sc.cos);
  }
}

void add_coins(base::ByteWriter& out, const random::StudySecret& secret) {
  const random::Coin coin = secret.agent_coin(base::AgentId{3});
  std::vector<double> numbers(33);
  coin.uniforms({.purpose = random::Purpose::kPoint, .epoch = 2, .slot = 5, .attempt = 7}, numbers);
  out.f64s(numbers);
  coin.normals({.purpose = random::Purpose::kNoise, .agent = 1, .slot = 9}, numbers);
  out.f64s(numbers);
}

void add_points(base::ByteWriter& out, const Points& points) {
  out.f64s({points.data(), static_cast<std::size_t>(points.size())});
}

// Kernel sums, a cut, and all methods of sampling what it leaves.
void add_region(base::ByteWriter& out, const random::StudySecret& secret, kernel::Family family,
                const domain::Domain& whole) {
  const auto domain = std::make_shared<const domain::Domain>(whole);
  const auto d = static_cast<Eigen::Index>(domain->dimension());
  const random::Coin coin = secret.public_coin();
  const base::SerialExecutor executor;
  const Sampler all(Region{domain}, {.method = Method::kRejection, .max_attempts = 1});
  const Points centers = all.draw(coin, Lane::kPublic, {base::EpochId{1}, 0, 9}, executor).latents;
  Vector weights(9);
  for (int i = 0; i < 9; ++i) weights[i] = (i % 2 == 0 ? 1.0 : -0.75) / (1.0 + 0.125 * i);
  std::vector<double> scales(static_cast<std::size_t>(d));
  for (int i = 0; i < d; ++i) scales[static_cast<std::size_t>(i)] = 0.3 + 0.1 * i;
  const kernel::Kernel kernel{family, scales, 1.25};

  const Points probes = all.draw(coin, Lane::kPublic, {base::EpochId{2}, 0, 100}, executor).latents;
  const Vector sums = kernel::weighted_sum(kernel, probes, centers, weights);
  out.f64s({sums.data(), static_cast<std::size_t>(sums.size())});
  const double tau = 0.25 * sums.maxCoeff();
  const Region cut =
      Region{domain}.trimmed(std::make_shared<const Cut>(kernel, 0.0, centers, weights, tau));
  for (const std::uint8_t inside : cut.contains(probes).inside) out.u8(inside);

  const Sampler rejection(cut, {.method = Method::kRejection, .max_attempts = 100000});
  const Draw rejected = rejection.draw(coin, Lane::kPrivate, {base::EpochId{3}, 0, 20}, executor);
  add_points(out, rejected.latents);
  const Sampler walk(cut, {.method = Method::kWalk, .walk_steps = 12, .max_shrinks = 50},
                     rejected.latents);
  add_points(out, walk.draw(coin, Lane::kPrivate, {base::EpochId{3}, 0, 40}, executor).latents);
  const Sampler cover(cut, {.method = Method::kCover, .max_attempts = 100000, .cover_depth = 8});
  add_points(out, cover.draw(coin, Lane::kPrivate, {base::EpochId{3}, 0, 20}, executor).latents);
}

}  // namespace

base::Digest numeric_fingerprint(std::uint64_t seed) {
  base::ByteWriter out;
  const auto secret = random::StudySecret::from_seed(seed);
  add_functions(out);
  add_coins(out, secret);
  using kernel::Family;
  add_region(out, secret, Family::kSquaredExponential, domain::Domain::box(2));
  add_region(out, secret, Family::kMatern12, domain::Domain::ball(3, 1.0));
  add_region(out, secret, Family::kMatern32, domain::Domain::box(1));
  add_region(out, secret, Family::kMatern52, domain::Domain::ball(2, 2.0));
  return base::digest_of(out.bytes());
}

base::Digest expected_fingerprint() { return {0x034919ebbd5db182ULL, 0x10ed0f32a811857bULL}; }

void require_platform() {
  if (std::fegetround() != FE_TONEAREST) {
    throw base::Error(base::ErrorKind::kPlatform,
                      "this process does not round to nearest, which shared randomness needs");
  }
  const base::Digest here = numeric_fingerprint();
  if (here != expected_fingerprint()) {
    throw base::Error(
        base::ErrorKind::kPlatform,
        fmt::format(
            "numeric self-test failed: fingerprint {} instead of {}. This build does not "
            "compute the bits that other machines compute; was it compiled with -ffast-math, "
            "or for a processor with extended precision?",
            base::to_hex(here), base::to_hex(expected_fingerprint())));
  }
}

}  // namespace duets::region
