#include "duets/problems/mixed.h"

#include <array>
#include <numbers>

#include "duets/numeric/strict.h"

namespace duets::problems {
namespace {

using domain::ParameterType;
using numeric::strict_exp;
using numeric::strict_log;

double squared(double a) { return a * a; }
double log10_of(double a) { return strict_log(a) / std::numbers::ln10; }

/// Accuracy of a network: height exp(-a^2 - b^2) around a learning rate and a number of layers, all
/// of them the optimizer's. x: learning_rate, layers, optimizer.
double trainer(std::span<const double> x) {
  struct Optimizer {
    double height, rate, rate_width, layers, layers_width;
  };
  constexpr std::array<Optimizer, 3> kOptimizers{
      {{0.9, -0.9, 1.2, 2.6, 4}, {0.75, -1.8, 1, 6.2, 3}, {1, -3.1, 0.8, 5.3, 2.5}}};
  const Optimizer& o = kOptimizers[static_cast<std::size_t>(x[2])];
  const double rate = (log10_of(x[0]) - o.rate) / o.rate_width;
  const double layers = (x[1] - o.layers) / o.layers_width;
  return o.height * strict_exp(-(rate * rate + layers * layers));
}

/// Minus the logarithm of a loop's cost: rise time, damping that does not fit the gain, noise that
/// a longer window averages, delay that it adds. x: gain, damping, window, structure.
double controller(std::span<const double> x) {
  struct Structure {
    double rise, slope, shift, noise, delay;
  };
  constexpr std::array<Structure, 3> kStructures{
      {{1, 0.5, 1.2, 0.1, 0.01}, {0.8, 0.8, 2.1, 0.08, 0.02}, {1.3, 0.35, 0.6, 0.05, 0.006}}};
  const Structure& s = kStructures[static_cast<std::size_t>(x[3])];
  const double gain = strict_log(x[0]);
  const double damping = strict_log(x[1]);
  const double misfit = damping - s.slope * gain + s.shift;
  return -strict_log(s.rise * strict_exp(-gain / 2) + 0.3 * (misfit * misfit) +
                     s.noise * strict_exp((gain + damping) / 2) / x[2] +
                     s.delay * x[2] * strict_exp(gain / 2));
}

/// Accuracy above chance. Linear: cost alone matters; polynomial: cost, gamma and degree; radial
/// (rbf): cost and gamma. x: cost, gamma, degree, kernel.
double classifier(std::span<const double> x) {
  const double cost = log10_of(x[0]);
  const double gamma = log10_of(x[1]);
  if (x[3] == 0) return 0.42 * strict_exp(-squared((cost + 1) / 2.5));
  if (x[3] == 1) {
    return 0.455 * strict_exp(-(squared((cost + gamma + 1.5) / 1.5) + squared((gamma + 1.2) / 2) +
                                squared((x[2] - 3.3) / 1.5)));
  }
  return 0.47 *
         strict_exp(-(squared((cost + 0.6 * gamma - 0.2) / 1.1) + squared((gamma + 1.4) / 0.9)));
}

/// Taste of bread: a long rest helps, a hotter oven wants fewer minutes, a longer rest less yeast.
/// x: flour, temperature, minutes, water, yeast, rest.
double recipe(std::span<const double> x) {
  struct Flour {
    double base, aroma, even, crust, wet, proof;
  };
  constexpr std::array<Flour, 3> kFlours{{{0, 0.1, 225, 235, 0.64, 1.2},
                                          {0.1, 0.35, 205, 210, 0.8, 1.6},
                                          {0.05, 0.25, 215, 220, 0.7, 0.9}}};
  const Flour& f = kFlours[static_cast<std::size_t>(x[0])];
  const double misfit = squared((strict_log(x[2] / 30) + (x[1] - f.even) / 60) / 0.35) +
                        squared((x[1] - f.crust) / 50) + squared((x[3] - f.wet) / 0.12) +
                        squared((strict_log(x[4]) + 0.7 * strict_log(x[5] + 1) - f.proof) / 0.8);
  return f.base + f.aroma * x[5] / 24 - strict_log(1 + misfit);
}

}  // namespace

std::span<const Formula> mixed_functions() {
  static const std::vector<Formula> functions{
      {.name = "classifier",
       .description =
           "a classifier: what matters depends on its kernel, standardised; six maxima of 2.3957",
       .dimension = 6,
       .formula = classifier,
       .mean = 0.1231,
       .deviation = 0.1448,
       .maximum = 2.395718232044199,
       .maximisers = {{0.6733333333333333, 0.52, 0.08333333333333333, 0, 0, 1},
                      {0.6733333333333333, 0.52, 0.25, 0, 0, 1},
                      {0.6733333333333333, 0.52, 0.4166666666666667, 0, 0, 1},
                      {0.6733333333333333, 0.52, 0.5833333333333334, 0, 0, 1},
                      {0.6733333333333333, 0.52, 0.75, 0, 0, 1},
                      {0.6733333333333333, 0.52, 0.9166666666666666, 0, 0, 1}},
       .parameters = {{.name = "cost", .low = 0.001, .high = 1000, .log = true},
                      {.name = "gamma", .low = 0.0001, .high = 10, .log = true},
                      {.name = "degree", .type = ParameterType::kInt, .low = 1, .high = 6},
                      {.name = "kernel",
                       .type = ParameterType::kCategorical,
                       .choices = {"linear", "polynomial", "rbf"}}}},
      {.name = "controller",
       .description = "a control loop: two gains on a ridge, filter window, structure, "
                      "standardised; maximum 2.1907",
       .dimension = 6,
       .formula = controller,
       .mean = -0.7983,
       .deviation = 0.7236,
       .maximum = 2.190707953275981,
       .maximisers = {{0.8154992816611033, 0.7351001292012965, 0.2777777777777778, 0, 0, 1}},
       .parameters = {{.name = "gain", .low = 0.1, .high = 100, .log = true},
                      {.name = "damping", .low = 0.01, .high = 10, .log = true},
                      {.name = "window", .type = ParameterType::kInt, .low = 1, .high = 9},
                      {.name = "structure",
                       .type = ParameterType::kCategorical,
                       .choices = {"pid", "lead", "cascade"}}}},
      {.name = "recipe",
       .description =
           "bread: six parameters bound to one another, three flours, standardised; maximum 3.4225",
       .dimension = 8,
       .formula = recipe,
       .mean = -1.805,
       .deviation = 0.6588,
       .maximum = 3.4225080485538557,
       .maximisers = {{0, 1, 0, 0.4926859256138821, 0.29347826086956524, 0.75, 0.4216161339791998,
                       0.9615384615384616}},
       .parameters =
           {{.name = "flour",
             .type = ParameterType::kCategorical,
             .choices = {"wheat", "rye", "spelt"}},
            {.name = "temperature", .low = 160, .high = 260},
            {.name = "minutes", .type = ParameterType::kInt, .low = 15, .high = 60},
            {.name = "water", .low = 0.5, .high = 0.9},
            {.name = "yeast", .low = 0.1, .high = 5, .log = true},
            {.name = "rest", .type = ParameterType::kInt, .low = 0, .high = 24, .step = 2}}},
      {.name = "trainer",
       .description = "a network: learning rate, layers and three close optimizers, standardised; "
                      "maximum 3.3942",
       .dimension = 5,
       .formula = trainer,
       .mean = 0.1738,
       .deviation = 0.2392,
       .maximum = 3.394244080779444,
       .maximisers = {{0.38, 0.5625, 0, 0, 1}},
       .parameters = {{.name = "learning_rate", .low = 1e-05, .high = 1, .log = true},
                      {.name = "layers", .type = ParameterType::kInt, .low = 1, .high = 8},
                      {.name = "optimizer",
                       .type = ParameterType::kCategorical,
                       .choices = {"sgd", "momentum", "adam"}}}},
  };
  return functions;
}

}  // namespace duets::problems
