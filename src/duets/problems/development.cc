#include "duets/problems/development.h"

#include <array>
#include <cmath>
#include <numbers>

#include "duets/numeric/strict.h"
#include "duets/problems/functions.h"

namespace duets::problems {
namespace {

using numeric::strict_exp;
using numeric::strict_log;
using numeric::strict_sincospi;

double square(double a) { return a * a; }

/// 20 exp(-r / 5) + exp(mean cos(2 pi z)) - 20 - e, r the root mean square of z in [-1, 3]^d.
double ackley(std::span<const double> x) {
  double squares = 0;
  double cosines = 0;
  for (const double u : x) {
    const double z = stretched(u, -1, 3);
    squares += z * z;
    cosines += strict_sincospi(2 * z).cos;
  }
  const auto d = static_cast<double>(x.size());
  return 20 * strict_exp(-std::sqrt(squares / d) / 5) + strict_exp(cosines / d) - 20 -
         std::numbers::e;
}

/// The six-hump camel: -(4 - 2.1 a^2 + a^4 / 3) a^2 - a b - (4 b^2 - 4) b^2 on [-2, 2] x [-1, 1].
double camel_at(double u, double v) {
  const double a = stretched(u, -2, 2);
  const double b = stretched(v, -1, 1);
  const double a2 = a * a;
  const double b2 = b * b;
  return -((4 - 2.1 * a2 + a2 * a2 / 3) * a2 + a * b + (4 * b2 - 4) * b2);
}

double camel(std::span<const double> x) { return camel_at(x[0], x[1]); }

double camel6(std::span<const double> x) { return camel_at(x[1], x[4]); }

/// Minus the logarithm of Goldstein and Price's product, on [-2, 2]^2.
double goldstein_price(std::span<const double> x) {
  const double a = stretched(x[0], -2, 2);
  const double b = stretched(x[1], -2, 2);
  const double first = 19 - 14 * a + 3 * (a * a) - 14 * b + 6 * (a * b) + 3 * (b * b);
  const double second = 18 - 32 * a + 12 * (a * a) + 48 * b - 36 * (a * b) + 27 * (b * b);
  return -strict_log((1 + square(a + b + 1) * first) * (30 + square(2 * a - 3 * b) * second));
}

/// prod cos(z_k / sqrt(k)) - sum z_k^2 / 4000 - 1 on [-4, 12]^d, k from 1.
double griewank(std::span<const double> x) {
  double squares = 0;
  double product = 1;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double z = stretched(x[k], -4, 12);
    squares += z * z;
    product *= strict_cos(z / std::sqrt(static_cast<double>(k + 1)));
  }
  return product - squares / 4000 - 1;
}

/// sum_i w_i exp(-sum_k A_ik (x_k - P_ik)^2), Hartmann's tables for three dimensions.
double hartmann3(std::span<const double> x) {
  constexpr std::array<double, 4> kWeights{1, 1.2, 3, 3.2};
  constexpr double kScales[4][3] = {{3, 10, 30}, {0.1, 10, 35}, {3, 10, 30}, {0.1, 10, 35}};
  constexpr double kCenters[4][3] = {{0.3689, 0.1170, 0.2673},
                                     {0.4699, 0.4387, 0.7470},
                                     {0.1091, 0.8732, 0.5547},
                                     {0.0381, 0.5743, 0.8828}};
  double sum = 0;
  for (std::size_t i = 0; i < kWeights.size(); ++i) {
    double exponent = 0;
    for (std::size_t k = 0; k < x.size(); ++k) {
      exponent += kScales[i][k] * square(x[k] - kCenters[i][k]);
    }
    sum += kWeights[i] * strict_exp(-exponent);
  }
  return sum;
}

/// -sin^2(pi w_1) - sum_{k < d} (w_k - 1)^2 (1 + 10 sin^2(pi w_k + 1))
///  - (w_d - 1)^2 (1 + sin^2(2 pi w_d)), w = 1 + (z - 1) / 4, z in [-10, 10]^d.
double levy(std::span<const double> x) {
  const auto w = [&x](std::size_t k) { return 1 + (stretched(x[k], -10, 10) - 1) / 4; };
  const std::size_t last = x.size() - 1;
  double sum = square(strict_sincospi(w(0)).sin);
  for (std::size_t k = 0; k < last; ++k) {
    const double wave = strict_sincospi(w(k) + std::numbers::inv_pi).sin;
    sum += square(w(k) - 1) * (1 + 10 * square(wave));
  }
  return -(sum + square(w(last) - 1) * (1 + square(strict_sincospi(2 * w(last)).sin)));
}

/// sum_k sin(z_k) sin^20(k z_k^2 / pi) on [0, pi]^d, k from 1.
double michalewicz(std::span<const double> x) {
  double sum = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double wave = strict_sincospi(static_cast<double>(k + 1) * (x[k] * x[k])).sin;
    const double fourth = square(square(wave));
    sum += strict_sincospi(x[k]).sin * (square(square(fourth)) * fourth);
  }
  return sum;
}

/// -sum_{k < d} 100 (z_{k+1} - z_k^2)^2 + (1 - z_k)^2 on [-5, 10]^d.
double rosenbrock(std::span<const double> x) {
  double sum = 0;
  for (std::size_t k = 0; k + 1 < x.size(); ++k) {
    const double z = stretched(x[k], -5, 10);
    sum += 100 * square(stretched(x[k + 1], -5, 10) - z * z) + square(1 - z);
  }
  return -sum;
}

/// -sum (z^4 - 16 z^2 + 5 z) / 2 on [-5, 5]^d.
double styblinski_tang(std::span<const double> x) {
  double sum = 0;
  for (const double u : x) {
    const double z = stretched(u, -5, 5);
    sum += square(z * z) - 16 * (z * z) + 5 * z;
  }
  return -sum / 2;
}

}  // namespace

std::span<const Formula> development_functions() {
  static const std::vector<Formula> functions{
      {.name = "ackley2",
       .description = "Ackley on [-1,3]^2, standardised: a peak among ripples; maximum 3.0658",
       .dimension = 2,
       .formula = ackley,
       .mean = -6.294,
       .deviation = 2.053,
       .maximum = 3.065757428153921,
       .maximisers = {{0.25, 0.25}}},
      {.name = "ackley5",
       .description = "Ackley on [-1,3]^5, standardised: a peak among ripples; maximum 5.3843",
       .dimension = 5,
       .formula = ackley,
       .mean = -6.725,
       .deviation = 1.249,
       .maximum = 5.384307445956765,
       .maximisers = {{0.25, 0.25, 0.25, 0.25, 0.25}}},
      {.name = "camel",
       .description = "the six-hump camel on [-2,2]x[-1,1], standardised; two maxima of 1.8380",
       .dimension = 2,
       .formula = camel,
       .mean = -1.128,
       .deviation = 1.175,
       .maximum = 1.8379816625445764,
       .maximisers = {{0.47753949672492046, 0.8563282015103698},
                      {0.5224605032750795, 0.1436717984896302}}},
      {.name = "camel6",
       .description =
           "camel in coordinates 2 and 5 of [0,1]^6, the others do not matter; maximum 1.8380",
       .dimension = 6,
       .formula = camel6,
       .mean = -1.128,
       .deviation = 1.175,
       .maximum = 1.8379816625445764},
      {.name = "goldstein-price",
       .description = "minus log of Goldstein-Price on [-2,2]^2, standardised; maximum 3.1178",
       .dimension = 2,
       .formula = goldstein_price,
       .mean = -8.703,
       .deviation = 2.439,
       .maximum = 3.117830139947474,
       .maximisers = {{0.5, 0.25}}},
      {.name = "griewank3",
       .description = "Griewank on [-4,12]^3, standardised: smooth waves; maximum 3.0088",
       .dimension = 3,
       .formula = griewank,
       .mean = -1.029,
       .deviation = 0.342,
       .maximum = 3.0087719298245608,
       .maximisers = {{0.25, 0.25, 0.25}}},
      {.name = "hartmann3",
       .description = "Hartmann in 3 dimensions on [0,1]^3, standardised; maximum 3.0549",
       .dimension = 3,
       .formula = hartmann3,
       .mean = 0.9435,
       .deviation = 0.9556,
       .maximum = 3.0549181533410033,
       .maximisers = {{0.11458887665506896, 0.55564889461693, 0.8525469846866774}}},
      {.name = "levy4",
       .description = "Levy on [-10,10]^4, standardised: waves on a bowl; maximum 1.5253",
       .dimension = 4,
       .formula = levy,
       .mean = -42.54,
       .deviation = 27.89,
       .maximum = 1.5252778773754032,
       .maximisers = {{0.55, 0.55, 0.55, 0.55}}},
      {.name = "michalewicz3",
       .description = "Michalewicz (m = 10) on [0,pi]^3, standardised: thin ridges; maximum 6.1293",
       .dimension = 3,
       .formula = michalewicz,
       .mean = 0.3197,
       .deviation = 0.3982,
       .maximum = 6.12931863383867,
       .maximisers = {{0.7012066053997875, 0.5, 0.40902552056983177}}},
      {.name = "rosenbrock4",
       .description = "Rosenbrock on [-5,10]^4, standardised: a flat bent valley; maximum 1.0257",
       .dimension = 4,
       .formula = rosenbrock,
       .mean = -382600,
       .deviation = 373000,
       .maximum = 1.0257372654155497,
       .maximisers = {{0.4, 0.4, 0.4, 0.4}}},
      {.name = "styblinski-tang5",
       .description = "Styblinski-Tang on [-5,5]^5, standardised: 32 summits; maximum 2.4407",
       .dimension = 5,
       .formula = styblinski_tang,
       .mean = 20.83,
       .deviation = 71.7,
       .maximum = 2.4407367994261797,
       .maximisers = {{0.20964659722288229, 0.20964659722288229, 0.20964659722288229,
                       0.20964659722288229, 0.20964659722288229}}},
  };
  return functions;
}

}  // namespace duets::problems
