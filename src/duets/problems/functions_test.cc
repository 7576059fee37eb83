#include "duets/problems/functions.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "duets/base/error.h"
#include "duets/problems/ascent.h"

namespace duets::problems {
namespace {

using Vectors = std::vector<std::vector<double>>;

nlohmann::json golden() {
  std::ifstream file(DUETS_SOURCE_DIR "/tests/golden/problems.json");
  return nlohmann::json::parse(file);
}

// Values are of order 1 and take a few tens of roundings: 1e-12 is far above those and far below
// any slip in a constant.
void expect_golden(const Problem& problem, const nlohmann::json& reference) {
  const auto points = reference.at("X").get<Vectors>();
  const auto values = reference.at("f").get<std::vector<double>>();
  ASSERT_FALSE(points.empty());
  for (std::size_t i = 0; i < points.size(); ++i) {
    EXPECT_NEAR(problem.value(points[i]), values.at(i), 1e-12) << problem.name() << " point " << i;
  }
  EXPECT_NEAR(problem.maximum(), reference.at("max").get<double>(), 1e-9);
}

TEST(Golden, RidgeFunctions) {
  const auto reference = golden();
  expect_golden(*make_h1(reference.at("h1").at("theta").get<std::vector<double>>()),
                reference.at("h1"));
  expect_golden(*make_h2(reference.at("h2").at("theta").get<std::vector<double>>()),
                reference.at("h2"));
}

TEST(Golden, Branin) {
  const auto reference = golden().at("branin_negated_rescaled");
  const auto branin = make_branin();
  expect_golden(*branin, reference);
  EXPECT_EQ(branin->maximisers(), reference.at("argmax").get<Vectors>());
}

TEST(Golden, HartmannInFourDimensions) {
  const auto reference = golden().at("hartmann4_negated_rescaled");
  const auto rescaled = make_hartmann4_rescaled();
  expect_golden(*rescaled, reference);
  EXPECT_EQ(rescaled->maximisers().at(0), reference.at("argmax").get<std::vector<double>>());

  const auto plain = make_hartmann4();
  for (const auto& x : reference.at("X").get<Vectors>()) {
    EXPECT_EQ(rescaled->value(x), (plain->value(x) - 1.1) / 0.839);
  }
}

// In h1, h2 the published maxima are exact; the others were computed with 40 digits. At a maximiser
// rounded to binary64 the value is off by rounding only (the slope is 0): 1e-14 relative.
TEST(Maxima, AreTheValuesAtTheMaximisers) {
  const std::vector<std::unique_ptr<Problem>> problems = [] {
    std::vector<std::unique_ptr<Problem>> all;
    all.push_back(make_branin());
    all.push_back(make_hartmann4());
    all.push_back(make_hartmann4_rescaled());
    all.push_back(make_hartmann6());
    all.push_back(make_h2({0.6, 0.8}));
    return all;
  }();
  for (const auto& problem : problems) {
    ASSERT_FALSE(problem->maximisers().empty());
    EXPECT_FALSE(problem->maximum_is_numeric());
    for (const auto& x : problem->maximisers()) {
      EXPECT_NEAR(problem->value(x), problem->maximum(), 1e-14 * problem->maximum())
          << problem->name();
    }
  }
}

TEST(Maxima, AsPrinted) {
  EXPECT_NEAR(make_branin()->maximum(), 1.047393891092787, 1e-15);
  EXPECT_NEAR(make_hartmann4()->maximum(), 3.729840584485594, 2e-15);
  EXPECT_NEAR(make_hartmann4_rescaled()->maximum(), 3.1344941412224, 1e-13);
  EXPECT_NEAR(make_hartmann6()->maximum(), 3.322368011415515, 1e-15);
}

RC_GTEST_PROP(Maxima, AreNotExceededAnywhere, (std::uint64_t bits)) {
  // Any point of the cube, from a fixed scrambling of the drawn bits.
  const auto unit = [&bits] {
    bits = bits * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<double>(bits >> 11) * 0x1p-53;
  };
  for (const auto make : {&make_branin, &make_hartmann4, &make_hartmann6}) {
    const auto problem = make();
    std::vector<double> x(problem->dimension());
    for (double& coordinate : x) coordinate = unit();
    RC_ASSERT(problem->value(x) <= problem->maximum() * (1 + 1e-14));
  }
}

// The stated bound, against long double (64-bit mantissa: its own error is below 1e-18), over more
// than the range that the functions use.
TEST(StrictCosAndSin, KeepTheirBound) {
  for (int i = -40000; i <= 40000; ++i) {
    const double a = i * 0.00123;
    const long double bound = 2.3e-16L * std::abs(a) + 3.4e-16L;
    ASSERT_LE(std::abs(strict_cos(a) - std::cos(static_cast<long double>(a))), bound) << a;
    ASSERT_LE(std::abs(strict_sin(a) - std::sin(static_cast<long double>(a))), bound) << a;
  }
}

// Inputs for which the arithmetic is exact.
TEST(Exact, RidgeFunctionsAlongAnAxis) {
  const auto h1 = make_h1({1, 0, 0});
  const auto h2 = make_h2({1, 0, 0});
  EXPECT_EQ(h1->value(std::vector<double>{0, 0.5, -0.5}), 1);
  EXPECT_EQ(h2->value(std::vector<double>{0.5, 0, 0}), 3.875);
  EXPECT_EQ(h2->value(std::vector<double>{-1, 0, 0}), -4);
  EXPECT_EQ(h2->value(std::vector<double>{1, 0, 0}), h2->maximum());
  EXPECT_EQ(h1->natural_shape(), Shape::kBall);
  EXPECT_TRUE(h1->maximisers().empty());
}

// z^3 - 3 z^2 + 3 z + 3 in its printed form, to a few roundings of numbers below 10.
TEST(RidgeFunctions, H2IsThePrintedPolynomial) {
  const auto h2 = make_h2({0, 1});
  for (int i = -10; i <= 10; ++i) {
    const double z = i / 10.0;
    EXPECT_NEAR(h2->value(std::vector<double>{0.3, z}), z * z * z - 3 * z * z + 3 * z + 3, 1e-14);
  }
}

TEST(RidgeFunctions, RefuseThetaThatIsNotADirection) {
  EXPECT_THROW(make_h1({1}), base::Error);
  EXPECT_THROW(make_h1({}), base::Error);
  EXPECT_THROW(make_h2({1, 1e-3}), base::Error);
  EXPECT_THROW(make_h2({0, std::nan("")}), base::Error);
}

TEST(Values, RefuseTheWrongNumberOfCoordinates) {
  const auto branin = make_branin();
  EXPECT_THROW(branin->value(std::vector<double>{0.5}), base::Error);
  EXPECT_THROW(branin->value(std::vector<double>{0.5, 0.5, 0.5}), base::Error);
  std::vector<double> out(2);
  EXPECT_THROW(branin->values(numeric::Points::Zero(2, 3), out), base::Error);
  EXPECT_THROW(branin->values(numeric::Points::Zero(3, 2), out), base::Error);
}

TEST(Values, OfManyPointsAreTheValuesOfEach) {
  const auto hartmann = make_hartmann6();
  const numeric::Points x = (numeric::Points::Random(7, 6).array() + 1) / 2;
  std::vector<double> out(7);
  hartmann->values(x, out);
  for (Eigen::Index i = 0; i < 7; ++i) {
    EXPECT_EQ(out[static_cast<std::size_t>(i)], hartmann->value({x.row(i).data(), 6}));
  }
}

// max of -(x - 1)^2 - 100 (y - 3)^2 over the unit cube is at (1, 1), a corner where the slope is
// not zero; over a wide box it is the summit. Projected steps on a quadratic converge linearly.
TEST(Climb, FindsTheSummitInsideAndOnTheBoundary) {
  AscentProblem problem{.value =
                            [](std::span<const double> x) {
                              return -(x[0] - 1) * (x[0] - 1) - 100 * (x[1] - 3) * (x[1] - 3);
                            },
                        .gradient =
                            [](std::span<const double> x, std::span<double> g) {
                              g[0] = -2 * (x[0] - 1);
                              g[1] = -200 * (x[1] - 3);
                            },
                        .project =
                            [](std::span<double> x) {
                              for (double& c : x) c = std::min(std::max(c, 0.0), 1.0);
                            }};
  const Summit corner = climb(problem, {0.2, 0.1});
  EXPECT_NEAR(corner.x[0], 1, 1e-9);
  EXPECT_EQ(corner.x[1], 1);
  EXPECT_NEAR(corner.value, -400, 1e-12);

  problem.project = [](std::span<double>) {};
  const Summit summit = climb(problem, {0.2, 0.1});
  EXPECT_NEAR(summit.x[0], 1, 1e-7);
  EXPECT_NEAR(summit.x[1], 3, 1e-8);
}

}  // namespace
}  // namespace duets::problems
