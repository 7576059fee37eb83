#include "duets/region/draw.h"

#include <cmath>
#include <vector>

#include "duets/base/error.h"
#include "duets/numeric/strict.h"

namespace duets::region {
namespace {

// Writes the first out.size() coordinates of a point on the sphere of R^n, n = normals.size().
void normalise(std::span<const double> normals, double radius, std::span<double> out) {
  const double norm = std::sqrt(numeric::strict_dot(normals, normals));
  for (std::size_t i = 0; i < out.size(); ++i) {
    // All normals zero has probability 0, but a coin must answer every address.
    out[i] = norm > 0 ? radius * (normals[i] / norm) : 0.0;
  }
}

}  // namespace

void draw_cube(const random::Coin& coin, const random::Address& address, std::span<double> out) {
  coin.uniforms(address, out);
}

void draw_sphere(const random::Coin& coin, const random::Address& address, double radius,
                 std::span<double> out) {
  std::vector<double> normals(out.size());
  coin.normals(address, normals);
  normalise(normals, radius, out);
}

void draw_ball(const random::Coin& coin, const random::Address& address, double radius,
               std::span<double> out) {
  std::vector<double> normals(out.size() + 2);
  coin.normals(address, normals);
  normalise(normals, radius, out);
}

void draw_point(const random::Coin& coin, const random::Address& address,
                const domain::Domain& domain, std::span<double> out) {
  if (domain.shape() == domain::Shape::kBox) {
    draw_cube(coin, address, out);
  } else {
    draw_ball(coin, address, domain.radius(), out);
  }
}

numeric::Points random_candidates(const random::Coin& public_coin, CandidateShape shape,
                                  std::size_t count, std::size_t dimension, double radius) {
  numeric::Points points(static_cast<Eigen::Index>(count), static_cast<Eigen::Index>(dimension));
  for (std::size_t i = 0; i < count; ++i) {
    const random::Address address{.purpose = random::Purpose::kCandidate,
                                  .slot = static_cast<std::uint32_t>(i)};
    const std::span<double> out(points.row(static_cast<Eigen::Index>(i)).data(), dimension);
    switch (shape) {
      case CandidateShape::kCube:
        draw_cube(public_coin, address, out);
        break;
      case CandidateShape::kBall:
        draw_ball(public_coin, address, radius, out);
        break;
      case CandidateShape::kSphere:
        draw_sphere(public_coin, address, radius, out);
        break;
    }
  }
  return points;
}

}  // namespace duets::region
