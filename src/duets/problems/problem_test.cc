#include "duets/problems/problem.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "duets/base/error.h"
#include "duets/numeric/strict.h"
#include "duets/problems/rkhs.h"

namespace duets::problems {
namespace {

using ::testing::HasSubstr;

random::Coin coin(std::uint64_t seed) {
  return random::StudySecret::from_seed(seed).problem_coin();
}

std::string error_of(std::string_view name, const ProblemOptions& options) {
  try {
    make_problem(name, options, coin(1));
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::kInvalid);
    return error.what();
  }
  return "no error";
}

TEST(MakeProblem, MakesEveryNameOfTheListAndOnlyThose) {
  std::set<std::string_view> names;
  for (const ProblemInfo& info : problem_list()) {
    const auto problem = make_problem(info.name, {}, coin(1));
    EXPECT_EQ(problem->name(), info.name);
    EXPECT_FALSE(info.description.empty());
    EXPECT_TRUE(std::isfinite(problem->maximum()));
    EXPECT_TRUE(names.insert(info.name).second) << info.name << " is listed twice";
  }
  EXPECT_TRUE(names.contains("branin"));
  EXPECT_TRUE(names.contains("rkhs"));
  const std::string message = error_of("ackley3", {});
  for (const std::string_view name : names) EXPECT_THAT(message, HasSubstr(std::string(name)));
}

TEST(MakeProblem, NamesTheOptionThatIsWrong) {
  EXPECT_THAT(error_of("branin", {.dimension = 3}), HasSubstr("dimension = 3: must be 2"));
  EXPECT_THAT(error_of("hartmann6", {.dimension = 4}), HasSubstr("dimension = 4"));
  EXPECT_THAT(error_of("ackley5", {.dimension = 2}), HasSubstr("dimension = 2: must be 5"));
  EXPECT_THAT(error_of("borehole", {.norm = 1.0}), HasSubstr("norm"));
  EXPECT_THAT(error_of("h1", {.dimension = 1}), HasSubstr("dimension = 1"));
  EXPECT_THAT(error_of("h2", {.dimension = 1025}), HasSubstr("dimension = 1025"));
  EXPECT_THAT(error_of("h1", {.norm = 1.0}), HasSubstr("norm"));
  EXPECT_THAT(error_of("h2", {.shape = Shape::kCube}), HasSubstr("shape"));
  EXPECT_THAT(error_of("branin", {.kernel = kernel::Kernel{}}), HasSubstr("kernel"));
  EXPECT_THAT(error_of("branin", {.num_centers = 3}), HasSubstr("num_centers"));
  EXPECT_THAT(error_of("rkhs", {.dimension = 0}), HasSubstr("dimension = 0"));
  EXPECT_THAT(error_of("rkhs", {.dimension = 1025}), HasSubstr("dimension = 1025"));
  EXPECT_THAT(error_of("rkhs", {.num_centers = 0}), HasSubstr("num_centers = 0"));
  EXPECT_THAT(error_of("rkhs", {.num_centers = 1001}), HasSubstr("num_centers = 1001"));
  for (const double norm : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
    EXPECT_THAT(error_of("rkhs", {.norm = norm}), HasSubstr("norm = "));
  }
  kernel::Kernel three_scales;
  three_scales.lengthscales = {1, 1, 1};
  EXPECT_NE(error_of("rkhs", {.dimension = 2, .kernel = three_scales}), "no error");
}

TEST(MakeProblem, AcceptsTheDimensionThatTheFunctionHas) {
  EXPECT_EQ(make_problem("branin", {.dimension = 2}, coin(1))->dimension(), 2u);
  EXPECT_EQ(make_problem("h1", {}, coin(1))->dimension(), 10u);
  EXPECT_EQ(make_problem("h2", {.dimension = 2}, coin(1))->dimension(), 2u);
  EXPECT_EQ(make_problem("h2", {.dimension = 1024}, coin(1))->dimension(), 1024u);
}

TEST(MakeProblem, ThetaHasLengthOneAndDependsOnTheCoin) {
  const auto theta = make_problem("h2", {}, coin(1))->maximisers().at(0);
  EXPECT_NEAR(numeric::strict_dot(theta, theta), 1, 1e-14);
  EXPECT_EQ(make_problem("h2", {}, coin(1))->maximisers().at(0), theta);
  EXPECT_NE(make_problem("h2", {}, coin(2))->maximisers().at(0), theta);
}

// On the sphere of R^3 every coordinate is uniform on [-1, 1] (Archimedes). Kolmogorov-Smirnov on
// 2000 seeds: the distance exceeds 0.0602 with probability below 1e-6 per coordinate.
TEST(MakeProblem, ThetaIsUniformOnTheSphere) {
  constexpr std::size_t kSeeds = 2000;
  std::array<std::vector<double>, 3> coordinates;
  for (std::size_t seed = 0; seed < kSeeds; ++seed) {
    const auto theta = make_problem("h2", {.dimension = 3}, coin(seed))->maximisers().at(0);
    for (std::size_t k = 0; k < 3; ++k) coordinates[k].push_back(theta[k]);
  }
  for (auto& sample : coordinates) {
    std::sort(sample.begin(), sample.end());
    double distance = 0;
    for (std::size_t i = 0; i < kSeeds; ++i) {
      const double truth = (sample[i] + 1) / 2;
      distance = std::max({distance, truth - static_cast<double>(i) / kSeeds,
                           static_cast<double>(i + 1) / kSeeds - truth});
    }
    EXPECT_LT(distance, 0.0602);
  }
}

TEST(MakeProblem, PassesItsOptionsToRkhs) {
  kernel::Kernel kernel{.family = kernel::Family::kMatern52, .lengthscales = {0.3}};
  const auto problem = make_problem(
      "rkhs",
      {.dimension = 3, .shape = Shape::kBall, .kernel = kernel, .num_centers = 5, .norm = 7.0},
      coin(1));
  const auto& rkhs = dynamic_cast<const RkhsFunction&>(*problem);
  EXPECT_EQ(rkhs.expansion().kernel(), kernel);
  EXPECT_EQ(rkhs.expansion().centers().rows(), 5);
  EXPECT_EQ(rkhs.expansion().centers().cols(), 3);
  EXPECT_EQ(rkhs.natural_shape(), Shape::kBall);
  EXPECT_EQ(rkhs.facts().norm, 7.0);
}

}  // namespace
}  // namespace duets::problems
