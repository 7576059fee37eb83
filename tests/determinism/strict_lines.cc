#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "duets/base/bytes.h"
#include "duets/base/executor.h"
#include "duets/domain/domain.h"
#include "duets/kernel/kernel.h"
#include "duets/numeric/strict.h"
#include "duets/random/coin.h"
#include "duets/region/draw.h"
#include "duets/region/fingerprint.h"
#include "duets/region/sampler.h"
#include "lines.h"

namespace duets::determinism {
namespace {

using base::ByteWriter;
using base::EpochId;
using numeric::Points;
using numeric::Vector;

constexpr std::uint64_t kSeed = 7;
const kernel::Family kFamilies[] = {kernel::Family::kSquaredExponential, kernel::Family::kMatern12,
                                    kernel::Family::kMatern32, kernel::Family::kMatern52};

Line line(std::string name, const ByteWriter& bytes) {
  return {std::move(name), base::to_hex(base::digest_of(bytes.bytes()))};
}

void add(ByteWriter& out, const Points& points) {
  out.f64s({points.data(), static_cast<std::size_t>(points.size())});
}

random::Coin public_coin() { return random::StudySecret::from_seed(kSeed).public_coin(); }

// Uniforms of the public coin's candidate lane, one address a row.
Points cube_points(std::uint32_t first, std::uint32_t count, std::size_t dimension) {
  Points points(count, static_cast<Eigen::Index>(dimension));
  for (std::uint32_t i = 0; i < count; ++i) {
    region::draw_cube(public_coin(), {.purpose = random::Purpose::kCandidate, .slot = first + i},
                      {points.row(i).data(), dimension});
  }
  return points;
}

Vector alternating_weights(Eigen::Index n) {
  Vector weights(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    weights[i] = (i % 2 == 0 ? 1.0 : -0.75) / (1.0 + 0.125 * static_cast<double>(i));
  }
  return weights;
}

kernel::Kernel graded_kernel(kernel::Family family, std::size_t dimension) {
  std::vector<double> scales(dimension);
  for (std::size_t i = 0; i < dimension; ++i) scales[i] = 0.3 + 0.0625 * static_cast<double>(i);
  return {family, scales, 1.25};
}

std::vector<double> wide_arguments() {
  std::vector<double> x;
  for (int i = -3000; i <= 3000; ++i) x.push_back(0.23671875 * i);  // -710 .. 710
  for (const double special : {0.0, -0.0, -600.0, -600.0000001, 709.782712893384, 1e-320}) {
    x.push_back(special);
  }
  return x;
}

void add_functions(std::vector<Line>& lines) {
  const std::vector<double> x = wide_arguments();
  ByteWriter exp, exp_many, log, sincospi, dot;
  for (const double v : x) {
    exp.f64(numeric::strict_exp(v));
    log.f64(numeric::strict_log(std::ldexp(1.0 + std::abs(v), static_cast<int>(v))));
    const numeric::SinCos sc = numeric::strict_sincospi(v);
    sincospi.f64(sc.sin);
    sincospi.f64(sc.cos);
  }
  for (const std::size_t size : {1, 7, 31, 64, 6007}) {
    const std::size_t n = std::min<std::size_t>(size, x.size());
    std::vector<double> out(n);
    numeric::strict_exp(std::span(x).first(n), out);
    exp_many.f64s(out);
  }
  const Points a = cube_points(0, 1, 999);
  for (const std::size_t n : {1, 2, 10, 999}) {
    dot.f64(numeric::strict_dot({a.data(), n}, {a.data() + (999 - n), n}));
  }
  lines.push_back(line("strict/exp", exp));
  lines.push_back(line("strict/exp-many", exp_many));
  lines.push_back(line("strict/log", log));
  lines.push_back(line("strict/sincospi", sincospi));
  lines.push_back(line("strict/dot", dot));
}

void add_coins(std::vector<Line>& lines) {
  const auto secret = random::StudySecret::from_seed(kSeed);
  ByteWriter words, uniforms, normals;
  for (const std::uint32_t agent : {0U, 1U, 1000000U}) {
    const random::Coin coin = secret.agent_coin(base::AgentId{agent});
    std::vector<std::uint64_t> w(2048);
    coin.words({.purpose = random::Purpose::kPoint, .epoch = 3, .slot = 77, .attempt = 5}, w);
    for (const std::uint64_t word : w) words.u64(word);
    std::vector<double> numbers(1001);
    coin.uniforms({.purpose = random::Purpose::kWalk, .epoch = 2, .slot = 9, .attempt = 1},
                  numbers);
    uniforms.f64s(numbers);
    coin.normals({.purpose = random::Purpose::kNoise, .agent = agent, .slot = 11}, numbers);
    normals.f64s(numbers);
  }
  lines.push_back(line("coin/words", words));
  lines.push_back(line("coin/uniforms", uniforms));
  lines.push_back(line("coin/normals", normals));
}

void add_kernels(std::vector<Line>& lines) {
  for (const kernel::Family family : kFamilies) {
    for (const std::size_t d : {1, 2, 10}) {
      const kernel::Kernel kernel = graded_kernel(family, d);
      const Points x = cube_points(0, 101, d);
      const Points centers = cube_points(1000, 37, d);
      const Vector sums = kernel::weighted_sum(kernel, x, centers, alternating_weights(37));
      const numeric::Matrix cross = kernel::cross(kernel, x, centers);
      ByteWriter out;
      out.f64s({sums.data(), static_cast<std::size_t>(sums.size())});
      out.f64s({cross.data(), static_cast<std::size_t>(cross.size())});
      lines.push_back(line(fmt::format("kernel/{}/d{}", base::name_of(family), d), out));
    }
  }
}

domain::Domain mixed_box() {
  using domain::ParameterType;
  return domain::Domain::box(
      {{.name = "a", .type = ParameterType::kFloat, .low = -3, .high = 5},
       {.name = "b", .type = ParameterType::kFloat, .low = 1e-5, .high = 0.1, .log = true},
       {.name = "c", .type = ParameterType::kInt, .low = 16, .high = 256, .step = 16},
       {.name = "d", .type = ParameterType::kInt, .low = 1, .high = 1000, .log = true},
       {.name = "e", .type = ParameterType::kCategorical, .choices = {"x", "y", "z"}}});
}

void add_domains(std::vector<Line>& lines) {
  const domain::Domain mixed = mixed_box();
  const Points latents = cube_points(0, 200, mixed.dimension());
  ByteWriter parameters, chords;
  add(parameters, mixed.features(latents));
  const domain::Domain ball = domain::Domain::ball(4, 1.5);
  for (Eigen::Index row = 0; row < latents.rows(); ++row) {
    parameters.f64s(mixed.values({latents.row(row).data(), mixed.dimension()}));
    for (std::size_t axis = 0; axis < 4; ++axis) {
      const domain::Chord chord = ball.chord({latents.row(row).data(), 4}, axis);
      chords.f64(chord.low);
      chords.f64(chord.high);
    }
    chords.u8(ball.contains({latents.row(row).data(), 4}) ? 1 : 0);
  }
  lines.push_back(line("domain/parameters", parameters));
  lines.push_back(line("domain/ball", chords));

  using region::CandidateShape;
  const std::pair<CandidateShape, const char*> shapes[] = {{CandidateShape::kCube, "cube"},
                                                           {CandidateShape::kBall, "ball"},
                                                           {CandidateShape::kSphere, "sphere"}};
  for (const auto& [shape, name] : shapes) {
    ByteWriter candidates;
    add(candidates, region::random_candidates(public_coin(), shape, 300, 5, 1.25));
    lines.push_back(line(fmt::format("draw/candidates/{}", name), candidates));
  }
}

// Two cuts, the second at the median of what the first leaves: both decide.
region::Region twice_trimmed(std::shared_ptr<const domain::Domain> domain, const Points& probes) {
  region::Region region(domain);
  const Points features = domain->features(probes);
  for (const Eigen::Index first : {0, 20}) {
    const kernel::Kernel kernel =
        graded_kernel(first == 0 ? kernel::Family::kSquaredExponential : kernel::Family::kMatern52,
                      domain->num_features());
    const Points inducing = features.middleRows(first, 20);
    const Vector weights = alternating_weights(20);
    const Vector sums = kernel::weighted_sum(kernel, features, inducing, weights);
    std::vector<double> inside;
    const auto membership = region.contains(probes);
    for (Eigen::Index i = 0; i < sums.size(); ++i) {
      if (membership.inside[static_cast<std::size_t>(i)] != 0) inside.push_back(sums[i]);
    }
    std::sort(inside.begin(), inside.end());
    region = region.trimmed(std::make_shared<const region::Cut>(kernel, 0.0, inducing, weights,
                                                                inside[inside.size() / 2]));
  }
  return region;
}

void add_continuous(std::vector<Line>& lines, const std::string& name, domain::Domain whole) {
  const auto domain = std::make_shared<const domain::Domain>(std::move(whole));
  const base::SerialExecutor executor;
  const region::Sampler all(region::Region{domain},
                            {.method = region::Method::kRejection, .max_attempts = 1});
  const Points probes =
      all.draw(public_coin(), region::Lane::kPublic, {EpochId{1}, 0, 400}, executor).latents;
  const region::Region region = twice_trimmed(domain, probes);
  ByteWriter membership, rejection, walk;
  for (const std::uint8_t inside : region.contains(probes).inside) membership.u8(inside);
  lines.push_back(line("membership/" + name, membership));

  const region::Sampler rejecting(region,
                                  {.method = region::Method::kRejection, .max_attempts = 100000});
  const Points starts =
      rejecting.draw(public_coin(), region::Lane::kPublic, {EpochId{3}, 0, 64}, executor).latents;
  add(rejection, starts);
  lines.push_back(line("draw/rejection/" + name, rejection));

  const region::Sampler walking(
      region, {.method = region::Method::kWalk, .walk_steps = 30, .max_shrinks = 100}, starts);
  const random::Coin coin = random::StudySecret::from_seed(kSeed).agent_coin(base::AgentId{2});
  add(walk, walking.draw(coin, region::Lane::kPrivate, {EpochId{3}, 0, 50}, executor).latents);
  lines.push_back(line("draw/walk/" + name, walk));

  if (!region::Cover::is_possible(*domain)) return;
  const region::Sampler covering(
      region, {.method = region::Method::kCover, .max_attempts = 1000000, .cover_depth = 10});
  ByteWriter cover;
  add(cover, covering.draw(coin, region::Lane::kPrivate, {EpochId{3}, 0, 50}, executor).latents);
  lines.push_back(line("draw/cover/" + name, cover));
}

void add_finite(std::vector<Line>& lines) {
  const auto domain = std::make_shared<const domain::Domain>(domain::Domain::finite(
      region::random_candidates(public_coin(), region::CandidateShape::kBall, 500, 3, 1.0)));
  const region::Region region = twice_trimmed(domain, domain->candidates());
  ByteWriter membership, draws;
  membership.u32s(region.survivors());
  lines.push_back(line("membership/finite", membership));
  const region::Sampler sampler(region, {.method = region::Method::kIndex});
  draws.u32s(
      sampler
          .draw(public_coin(), region::Lane::kPublic, {EpochId{3}, 5, 300}, base::SerialExecutor())
          .indices);
  lines.push_back(line("draw/index", draws));
}

}  // namespace

std::vector<Line> strict_lines() {
  std::vector<Line> lines;
  add_functions(lines);
  add_coins(lines);
  add_kernels(lines);
  add_domains(lines);
  add_finite(lines);
  add_continuous(lines, "box-d2", domain::Domain::box(2));
  add_continuous(lines, "box-d10", domain::Domain::box(10));
  add_continuous(lines, "ball-d3", domain::Domain::ball(3, 1.0));
  add_continuous(lines, "ball-d10", domain::Domain::ball(10, 2.0));
  add_continuous(lines, "parameters", mixed_box());
  lines.push_back({"platform", base::to_hex(region::numeric_fingerprint())});
  return lines;
}

}  // namespace duets::determinism
