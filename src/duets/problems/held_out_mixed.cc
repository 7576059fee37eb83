#include "duets/problems/held_out_mixed.h"

#include <array>

#include "duets/numeric/strict.h"

namespace duets::problems {
namespace {

using domain::ParameterType;
using numeric::strict_exp;
using numeric::strict_log;
using numeric::strict_sincospi;

double power2(double a) { return a * a; }

/// height cos^2(pi waves z) exp(-(z / width)^2), z the angle's distance from the lobe, in half
/// turns. x: angle, pattern.
double antenna(std::span<const double> x) {
  struct Pattern {
    double lobe, waves, width, height;
  };
  constexpr std::array<Pattern, 3> kPatterns{
      {{0.23, 4, 0.25, 0.96}, {0.61, 3, 0.4, 0.92}, {0.84, 5, 0.3, 1}}};
  const Pattern& p = kPatterns[static_cast<std::size_t>(x[1])];
  const double z = x[0] / 180 - p.lobe;
  const double wave = strict_sincospi(p.waves * z).cos;
  const double part = z / p.width;
  return p.height * (wave * wave) * strict_exp(-(part * part));
}

/// Minus the logarithm of a run time: loop body with register pressure, cache, calls, and the
/// schedule's balance and overhead. x: unroll, tile, prefetch, inline_limit, schedule, vectorize.
double compiler(std::span<const double> x) {
  const double unroll = strict_log(x[0]);
  const double tile = strict_log(x[1]);
  const bool vector = x[5] == 1;
  const double pressure = 3 * (unroll + (vector ? 1.4 : 0) - 2.4);
  const double body = (vector ? 0.7 : 1) * (1 + 0.6 * strict_exp(-unroll)) +
                      0.12 * strict_log(1 + strict_exp(pressure));
  const double cache =
      0.12 * power2(tile - (vector ? 3.7 : 4.4)) + 0.02 * power2(x[2] - 1 - (tile - 2));
  const double calls = 0.04 * power2(strict_log(x[3]) - 4 - unroll / 2);
  const double imbalance = strict_exp((tile - 5) / 2);
  double schedule = 0.25 * imbalance;
  if (x[4] == 1) schedule = 0.05 + 6 * strict_exp(-tile);
  if (x[4] == 2) schedule = 0.12 + 2 * strict_exp(-tile) + 0.05 * imbalance;
  return -strict_log(body + cache + calls + schedule);
}

/// Minus the logarithm of the scrap of an extruder: a valley of speed and pressure that bends by
/// material and moves with the number of heated zones. x: speed, pressure, zones, material.
double extruder(std::span<const double> x) {
  struct Material {
    double bend, shift, middle, zones, base;
  };
  constexpr std::array<Material, 4> kMaterials{{{0.6, -0.5, 0.8, 2, 0.1},
                                                {-0.8, 0.9, -0.6, 3.4, 0.11},
                                                {0.3, 0.2, -1, 4.3, 0.13},
                                                {-0.4, 0.4, 0.3, 1.4, 0.16}}};
  const Material& m = kMaterials[static_cast<std::size_t>(x[3])];
  const double speed = (x[0] - 110) / 60;
  const double pressure = (x[1] - 30) / 15;
  const double zones = x[2] - m.zones;
  return -strict_log(m.base + 4 * power2(pressure - m.bend * (speed * speed) - m.shift) +
                     0.5 * power2(speed - m.middle - 0.2 * zones) + 0.06 * power2(zones));
}

/// Yield: what reacts in time and does not decay meanwhile, both faster when hot.
/// x: temperature, hours, solvent, catalyst.
double reaction(std::span<const double> x) {
  constexpr double kYields[4][3] = {
      {0.35, 0.8, 0.55}, {0.5, 0.7, 0.86}, {0.3, 0.9, 0.45}, {0.6, 0.75, 0.65}};
  constexpr std::array<double, 4> kSolventSpeed{-1.6, -1.2, -1.9, -0.7};
  constexpr std::array<double, 4> kSolventDecay{-4.2, -3.6, -4.6, -3.1};
  constexpr std::array<double, 3> kCatalystSpeed{-0.8, 0.3, 0};
  constexpr std::array<double, 3> kCatalystDecay{0, 0.1, -0.3};
  const auto solvent = static_cast<std::size_t>(x[2]);
  const auto catalyst = static_cast<std::size_t>(x[3]);
  const double heat = (x[0] - 70) / 50;
  const double speed = strict_exp(kSolventSpeed[solvent] + kCatalystSpeed[catalyst] + 2.5 * heat);
  const double decay = strict_exp(kSolventDecay[solvent] + kCatalystDecay[catalyst] + 3.5 * heat);
  return kYields[solvent][catalyst] * (1 - strict_exp(-speed * x[1])) *
         strict_exp(-(decay + 0.01) * x[1]);
}

}  // namespace

std::span<const Formula> held_out_mixed_functions() {
  static const std::vector<Formula> functions{
      {.name = "antenna",
       .description = "an antenna: side lobes in three patterns, standardised; maximum 2.8759",
       .dimension = 4,
       .formula = antenna,
       .mean = 0.2261,
       .deviation = 0.2691,
       .maximum = 2.8758825715347456,
       .maximisers = {{0.84, 0, 0, 1}},
       .parameters = {{.name = "angle", .low = 0, .high = 180},
                      {.name = "pattern",
                       .type = ParameterType::kCategorical,
                       .choices = {"sum", "difference", "shaped"}}}},
      {.name = "compiler",
       .description =
           "compiler flags: three ints, one float, two categories, standardised; maximum 2.6551",
       .dimension = 9,
       .formula = compiler,
       .mean = -0.6231,
       .deviation = 0.2097,
       .maximum = 2.6551265395097787,
       .maximisers = {{0.4292269388012125, 0.328163791076582, 0.2777777777777778,
                       0.4878692774864193, 1, 0, 0, 0, 1}},
       .parameters =
           {{.name = "unroll", .type = ParameterType::kInt, .low = 1, .high = 32, .log = true},
            {.name = "tile", .type = ParameterType::kInt, .low = 8, .high = 512, .log = true},
            {.name = "prefetch", .type = ParameterType::kInt, .low = 0, .high = 8},
            {.name = "inline_limit", .low = 10, .high = 1000, .log = true},
            {.name = "schedule",
             .type = ParameterType::kCategorical,
             .choices = {"static", "dynamic", "guided"}},
            {.name = "vectorize", .type = ParameterType::kCategorical, .choices = {"off", "on"}}}},
      {.name = "extruder",
       .description = "an extruder: a valley that bends by material, standardised; maximum 3.5200",
       .dimension = 7,
       .formula = extruder,
       .mean = -1.404,
       .deviation = 1.053,
       .maximum = 3.5200238300038422,
       .maximisers = {{0.7666666666666667, 0.4229090909090909, 0.3, 1, 0, 0, 0}},
       .parameters = {{.name = "speed", .low = 20, .high = 200},
                      {.name = "pressure", .low = 5, .high = 60},
                      {.name = "zones", .type = ParameterType::kInt, .low = 1, .high = 5},
                      {.name = "material",
                       .type = ParameterType::kCategorical,
                       .choices = {"pe", "pp", "abs", "pla"}}}},
      {.name = "reaction",
       .description =
           "a reaction: twelve pairs of solvent and catalyst, standardised; maximum 2.6516",
       .dimension = 9,
       .formula = reaction,
       .mean = 0.1998,
       .deviation = 0.1691,
       .maximum = 2.6515623153097856,
       .maximisers = {{0.608975904047629, 0.5768795760029908, 0, 0, 1, 0, 0, 1, 0}},
       .parameters =
           {{.name = "temperature", .low = 20, .high = 120},
            {.name = "hours", .type = ParameterType::kInt, .low = 1, .high = 48, .log = true},
            {.name = "solvent",
             .type = ParameterType::kCategorical,
             .choices = {"water", "ethanol", "toluene", "dmf"}},
            {.name = "catalyst",
             .type = ParameterType::kCategorical,
             .choices = {"none", "palladium", "copper"}}}},
  };
  return functions;
}

}  // namespace duets::problems
