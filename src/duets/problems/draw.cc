#include "duets/problems/draw.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "duets/numeric/strict.h"

namespace duets::problems {

void draw_in_cube(const random::Coin& coin, const random::Address& address, std::span<double> x) {
  coin.uniforms(address, x);
}

void draw_on_sphere(const random::Coin& coin, const random::Address& address, std::span<double> x) {
  coin.normals(address, x);
  const double length = std::sqrt(numeric::strict_dot(x, x));
  for (double& coordinate : x) coordinate /= length;
}

void draw_in_ball(const random::Coin& coin, const random::Address& address, std::span<double> x) {
  std::vector<double> longer(x.size() + 2);
  draw_on_sphere(coin, address, longer);
  std::copy_n(longer.begin(), x.size(), x.begin());
}

}  // namespace duets::problems
