#include "duets/problems/held_out.h"

#include <array>
#include <cmath>
#include <numbers>

#include "duets/numeric/strict.h"
#include "duets/problems/functions.h"

namespace duets::problems {
namespace {

using numeric::strict_log;
using numeric::strict_sincospi;

/// prod sqrt(z) sin(z) on [0, 10]^d. The formula must be defined outside the cube too, so sqrt |z|.
double alpine(std::span<const double> x) {
  double product = 1;
  for (const double u : x) {
    const double z = 10 * u;
    product *= std::sqrt(std::abs(z)) * strict_sin(z);
  }
  return product;
}

/// Water through a borehole: 2 pi Tu (Hu - Hl) / (log(r / rw) (1 + Tu / Tl) + 2 L Tu / (rw^2 Kw)).
/// It falls in r, Hl and L and grows in the five others, so the maximum is a corner.
double borehole(std::span<const double> x) {
  const double rw = stretched(x[0], 0.05, 0.15);
  const double r = stretched(x[1], 100, 50000);
  const double tu = stretched(x[2], 63070, 115600);
  const double hu = stretched(x[3], 990, 1110);
  const double tl = stretched(x[4], 63.1, 116);
  const double hl = stretched(x[5], 700, 820);
  const double l = stretched(x[6], 1120, 1680);
  const double kw = stretched(x[7], 9855, 12045);
  const double resistance = strict_log(r / rw) * (1 + tu / tl) + 2 * l * tu / (rw * rw * kw);
  return 2 * std::numbers::pi * tu * (hu - hl) / resistance;
}

/// (1 + cos(12 r)) / (r^2 / 2 + 2), r the distance to 0 in [-1, 3]^2.
double drop_wave(std::span<const double> x) {
  const double a = stretched(x[0], -1, 3);
  const double b = stretched(x[1], -1, 3);
  const double squares = a * a + b * b;
  return (1 + strict_cos(12 * std::sqrt(squares))) / (squares / 2 + 2);
}

/// 10 sin(pi x1 x2) + 20 (x3 - 1/2)^2 + 10 x4 + 5 x5. At most 10 + 5 + 10 + 5, where x1 x2 = 1/2.
double friedman(std::span<const double> x) {
  const double third = x[2] - 0.5;
  return 10 * strict_sincospi(x[0] * x[1]).sin + 20 * (third * third) + 10 * x[3] + 5 * x[4];
}

/// -sin(a + b) - (a - b)^2 + 1.5 a - 2.5 b - 1 on [-1.5, 4] x [-3, 4].
double mccormick(std::span<const double> x) {
  const double a = stretched(x[0], -1.5, 4);
  const double b = stretched(x[1], -3, 4);
  return -(strict_sin(a + b) + (a - b) * (a - b) - 1.5 * a + 2.5 * b + 1);
}

/// -sum z^2 - 10 cos(2 pi z) + 10 on [-1, 3]^d.
double rastrigin(std::span<const double> x) {
  double sum = 0;
  for (const double u : x) {
    const double z = stretched(u, -1, 3);
    sum += z * z - 10 * strict_sincospi(2 * z).cos + 10;
  }
  return -sum;
}

/// sum z sin(sqrt |z|) on [-500, 500]^d.
double schwefel(std::span<const double> x) {
  double sum = 0;
  for (const double u : x) {
    const double z = stretched(u, -500, 500);
    sum += z * strict_sin(std::sqrt(std::abs(z)));
  }
  return sum;
}

/// log sum_i 1 / (|z - C_i|^2 + b_i), Shekel's ten foxholes in [0, 10]^4. The logarithm, because
/// the sum itself is flat except for a needle.
double shekel(std::span<const double> x) {
  // Coordinates 3 and 4 of every hole repeat 1 and 2.
  constexpr double kHoles[10][2] = {{4, 4}, {1, 1}, {8, 8}, {6, 6}, {3, 7},
                                    {2, 9}, {5, 3}, {8, 1}, {6, 2}, {7, 3.6}};
  constexpr std::array<double, 10> kWidths{0.1, 0.2, 0.2, 0.4, 0.4, 0.6, 0.3, 0.7, 0.5, 0.5};
  double sum = 0;
  for (std::size_t i = 0; i < kWidths.size(); ++i) {
    double squares = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      const double difference = 10 * x[k] - kHoles[i][k % 2];
      squares += difference * difference;
    }
    sum += 1 / (squares + kWidths[i]);
  }
  return strict_log(sum);
}

}  // namespace

std::span<const Formula> held_out_functions() {
  static const std::vector<Formula> functions{
      {.name = "alpine3",
       .description = "Alpine's product of waves on [0,10]^3, standardised; maximum 6.4257",
       .dimension = 3,
       .formula = alpine,
       .mean = 0.0328,
       .deviation = 3.441,
       .maximum = 6.425748697038171,
       .maximisers = {{0.7917052684666207, 0.7917052684666207, 0.7917052684666207}}},
      {.name = "borehole",
       .description = "flow through a borehole, 8 inputs, standardised: best at a corner, 5.0861",
       .dimension = 8,
       .formula = borehole,
       .mean = 77.65,
       .deviation = 45.6,
       .maximum = 5.086087448693157,
       .maximisers = {{1, 0, 1, 1, 1, 0, 0, 1}}},
      {.name = "drop-wave",
       .description = "the drop wave on [-1,3]^2, standardised: rings; maximum 3.0704",
       .dimension = 2,
       .formula = drop_wave,
       .mean = 0.272,
       .deviation = 0.2371,
       .maximum = 3.0704344158582875,
       .maximisers = {{0.25, 0.25}}},
      {.name = "friedman",
       .description = "Friedman's function on [0,1]^5, standardised; maximum 3.1940 along a curve",
       .dimension = 5,
       .formula = friedman,
       .mean = 14.41,
       .deviation = 4.881,
       .maximum = 3.194017619340299},
      {.name = "mccormick",
       .description = "McCormick on [-1.5,4]x[-3,4], standardised: a smooth valley; maximum 1.1514",
       .dimension = 2,
       .formula = mccormick,
       .mean = -7.528,
       .deviation = 8.2,
       .maximum = 1.151368653046468,
       .maximisers = {{0.17323680887334586, 0.2075432069719146}}},
      {.name = "rastrigin3",
       .description = "Rastrigin on [-1,3]^3, standardised: strong ripples; maximum 2.8616",
       .dimension = 3,
       .formula = rastrigin,
       .mean = -37,
       .deviation = 12.93,
       .maximum = 2.8615622583139984,
       .maximisers = {{0.25, 0.25, 0.25}}},
      {.name = "schwefel2",
       .description = "Schwefel on [-500,500]^2, standardised: best near a corner; maximum 3.0605",
       .dimension = 2,
       .formula = schwefel,
       .mean = 0,
       .deviation = 273.8,
       .maximum = 3.0605031941010497,
       .maximisers = {{0.920968746359982, 0.920968746359982}}},
      {.name = "shekel",
       .description = "log of Shekel's ten foxholes on [0,10]^4, standardised; maximum 7.9408",
       .dimension = 4,
       .formula = shekel,
       .mean = -1.313,
       .deviation = 0.4619,
       .maximum = 7.940766452568449,
       .maximisers = {{0.40007468682706343, 0.39995094800857733, 0.40007468682706343,
                       0.39995094800857733}}},
  };
  return functions;
}

}  // namespace duets::problems
