// Draws uniform points of whole domains with a coin.
#pragma once

#include <span>

#include "duets/base/enum_table.h"
#include "duets/domain/domain.h"
#include "duets/random/coin.h"

namespace duets::region {

/// Where the candidates of a random finite set lie.
enum class CandidateShape : std::uint8_t { kCube = 0, kBall = 1, kSphere = 2 };

constexpr auto enum_entries(CandidateShape /*tag*/) {
  return base::entries<CandidateShape>({{CandidateShape::kCube, "cube"},
                                        {CandidateShape::kBall, "ball"},
                                        {CandidateShape::kSphere, "sphere"}});
}

/// Fills `out` with a uniform point of the unit cube: one word a coordinate. Strict.
void draw_cube(const random::Coin& coin, const random::Address& address, std::span<double> out);

/// Uniform on the sphere of the given radius: d normals, normalised. Strict.
void draw_sphere(const random::Coin& coin, const random::Address& address, double radius,
                 std::span<double> out);

/// Uniform in the ball: the first d coordinates of a point on the unit sphere of R^(d+2), times the
/// radius. No rejection, so it works in any dimension. Strict.
void draw_ball(const random::Coin& coin, const random::Address& address, double radius,
               std::span<double> out);

/// A uniform point of a box or ball.
void draw_point(const random::Coin& coin, const random::Address& address,
                const domain::Domain& domain, std::span<double> out);

/// `count` independent uniform points, number i from slot i of Purpose::kCandidate of the public
/// coin: the candidates of a random finite set, the same for every party.
numeric::Points random_candidates(const random::Coin& public_coin, CandidateShape shape,
                                  std::size_t count, std::size_t dimension, double radius);

}  // namespace duets::region
