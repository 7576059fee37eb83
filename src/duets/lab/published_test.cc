#include "duets/lab/published.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace duets::lab {
namespace {

// The table in the program is the golden file, number by number.
TEST(Published, CurvesEqualTheGoldenFile) {
  std::ifstream file(std::string(DUETS_SOURCE_DIR) + "/tests/golden/published_curves.json");
  const auto golden = nlohmann::json::parse(file);
  const auto curves = published_curves();
  ASSERT_EQ(curves.size(), 28u);
  ASSERT_EQ(curves.size(), golden["curves"].size());
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const auto& expected = golden["curves"][i];
    EXPECT_EQ(curves[i].function, expected["function"].get<std::string>());
    EXPECT_EQ(curves[i].measure, expected["measure"].get<std::string>());
    EXPECT_EQ(curves[i].algorithm, expected["algorithm"].get<std::string>());
    ASSERT_EQ(curves[i].points.size(), expected["points"].size());
    for (std::size_t k = 0; k < curves[i].points.size(); ++k) {
      EXPECT_EQ(curves[i].points[k][0], expected["points"][k][0].get<double>());
      EXPECT_EQ(curves[i].points[k][1], expected["points"][k][1].get<double>());
    }
  }
}

double final_value(const PublishedFinal& f, std::string_view measure) {
  return measure == "regret" ? f.regret : f.scalars;
}

// The largest value in a panel of the figure: about the length of its axis.
double panel_top(const PublishedCurve& curve) {
  double top = 0;
  for (const PublishedFinal& f : published_finals()) {
    if (f.function == curve.function) top = std::max(top, final_value(f, curve.measure));
  }
  return top;
}

// Cumulative curves end at their final value. Points and final values are each good to 2 % of the
// axis, so they agree to 4 %.
TEST(Published, FinalValuesEndTheCurves) {
  for (const PublishedCurve& curve : published_curves()) {
    const PublishedFinal* last = published_final(curve.function, curve.algorithm);
    ASSERT_NE(last, nullptr);
    ASSERT_GE(curve.points.size(), 1u);
    const double value = final_value(*last, curve.measure);
    const double slack = 0.04 * panel_top(curve);
    for (const PublishedPoint& p : curve.points) {
      EXPECT_LE(p[1], value + slack) << curve.function << curve.measure << curve.algorithm;
      if (p[0] == 49) {
        EXPECT_GE(p[1], value - slack) << curve.function << curve.measure << curve.algorithm;
      }
    }
  }
}

TEST(Published, EveryFunctionAndAlgorithmHasAFinalValue) {
  EXPECT_EQ(published_finals().size(), 16u);
  EXPECT_EQ(published_final("h3", "DUETS"), nullptr);
  EXPECT_EQ(published_final("branin", "N-KernelUCB")->scalars, 0);
}

}  // namespace
}  // namespace duets::lab
