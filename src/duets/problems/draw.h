// Draws random parameters of test functions.
#pragma once

#include <span>

#include "duets/random/coin.h"

namespace duets::problems {

/// Uniform in [0, 1)^d. Strict; d words at `address`.
void draw_in_cube(const random::Coin& coin, const random::Address& address, std::span<double> x);

/// Uniform on the unit sphere of R^d: d normals, normalised. Strict; d <= kWordsPerAddress.
void draw_on_sphere(const random::Coin& coin, const random::Address& address, std::span<double> x);

/// Uniform in the unit ball of R^d: the first d coordinates of a point on the sphere of R^(d+2).
/// Strict; d + 2 <= kWordsPerAddress.
void draw_in_ball(const random::Coin& coin, const random::Address& address, std::span<double> x);

}  // namespace duets::problems
