#include "duets/domain/domain.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "duets/base/error.h"

namespace duets::domain {
namespace {

using numeric::Points;

Parameter int_parameter(double low, double high, double step = 1) {
  return {.name = "n", .type = ParameterType::kInt, .low = low, .high = high, .step = step};
}

Parameter choice_parameter(std::vector<std::string> choices) {
  return {.name = "c", .type = ParameterType::kCategorical, .choices = std::move(choices)};
}

double feature(const Parameter& p, double latent) {
  double out = 0;
  features_at(p, latent, std::span(&out, 1));
  return out;
}

TEST(Parameter, FloatIsAffineAndReachesBothBounds) {
  const Parameter p{.name = "x", .low = -5, .high = 10};
  EXPECT_EQ(value_at(p, 0), -5);
  EXPECT_EQ(value_at(p, 0.5), 2.5);
  EXPECT_EQ(value_at(p, 1), 10);
  EXPECT_EQ(feature(p, 0.3), 0.3);
}

TEST(Parameter, LogFloatIsUniformInTheExponent) {
  const Parameter p{.name = "rate", .low = 1e-4, .high = 1.0, .log = true};
  EXPECT_EQ(value_at(p, 0), 1e-4);
  // exp and log are each good to 1.5 ulp and the exponent is below 10: 1e-14 relative.
  EXPECT_NEAR(value_at(p, 0.5), 1e-2, 1e-16);
  EXPECT_EQ(value_at(p, 1), 1.0);
  EXPECT_EQ(feature(p, 0.25), 0.25) << "the kernel sees the latent";
}

TEST(Parameter, IntCellsAreEquallyWideAndSnapToTheirCentre) {
  const Parameter p = int_parameter(2, 9, 2);  // 2, 4, 6, 8
  EXPECT_EQ(value_at(p, 0), 2);
  EXPECT_EQ(value_at(p, 0.2499), 2);
  EXPECT_EQ(value_at(p, 0.25), 4);
  EXPECT_EQ(value_at(p, 1), 8) << "1 belongs to the last cell";
  EXPECT_EQ(feature(p, 0.26), 0.375);
  EXPECT_EQ(feature(p, 0.49), 0.375) << "the kernel cannot tell points of one cell apart";
}

// Whatever the type, what the kernel sees of a value is enough to know it.
TEST(Parameter, ValuesComeBackFromFeatures) {
  Parameter log_int = int_parameter(1, 512);
  log_int.log = true;
  const std::vector<Parameter> all{{.name = "x", .low = -5, .high = 10},
                                   {.name = "rate", .low = 1e-4, .high = 1, .log = true},
                                   int_parameter(2, 9, 2),
                                   log_int,
                                   choice_parameter({"a", "b", "c"})};
  for (int i = 0; i <= 1000; ++i) {
    const double latent = i / 1000.0;
    std::vector<double> features;
    std::vector<double> values;
    for (const Parameter& p : all) {
      std::vector<double> own(num_features(p));
      features_at(p, latent, own);
      features.insert(features.end(), own.begin(), own.end());
      values.push_back(value_at(p, latent));
    }
    EXPECT_EQ(values_of_features(all, features), values) << latent;
    for (std::size_t k = 0; k < all.size(); ++k) {
      // A float comes back to rounding; the exponents are below 10.
      const double tolerance = all[k].type == ParameterType::kFloat ? 1e-13 : 0;
      EXPECT_NEAR(value_at(all[k], latent_of(all[k], values[k])), values[k], tolerance);
    }
    features.push_back(0);
    EXPECT_THROW(values_of_features(all, features), base::Error);
    features.resize(features.size() - 2);
    EXPECT_THROW(values_of_features(all, features), base::Error);
  }
}

TEST(Parameter, ValuesItDoesNotHaveHaveNoLatent) {
  Parameter log_int = int_parameter(1, 16);
  log_int.log = true;
  const Parameter even = int_parameter(2, 9, 2);
  for (const auto& [p, value] : {std::pair{even, 3.0},
                                 {even, 10.0},
                                 {even, 0.0},
                                 {log_int, 1.5},
                                 {log_int, 17.0},
                                 {choice_parameter({"a", "b"}), 2.0},
                                 {choice_parameter({"a", "b"}), 0.5},
                                 {int_parameter(1, 3), std::nan("")}}) {
    EXPECT_TRUE(std::isnan(latent_of(p, value))) << p.name << " " << value;
  }
}

TEST(Parameter, LogIntVisitsEveryValueInOrder) {
  Parameter p = int_parameter(1, 16);
  p.log = true;
  double last = 1;
  for (int i = 0; i <= 1000; ++i) {
    const double value = value_at(p, i / 1000.0);
    EXPECT_TRUE(value == last || value == last + 1) << value << " after " << last;
    last = value;
  }
  EXPECT_EQ(last, 16);
}

TEST(Parameter, CategoricalIsOneHot) {
  const Parameter p = choice_parameter({"a", "b", "c"});
  std::vector<double> out(3);
  features_at(p, 0.4, out);
  EXPECT_EQ(out, (std::vector<double>{0, 1, 0}));
  EXPECT_EQ(value_at(p, 0.99), 2);
}

void expect_invalid(const Parameter& p, const std::string& field) {
  try {
    validate(p);
    ADD_FAILURE() << "accepted a bad " << field;
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::kInvalid);
    EXPECT_EQ(std::string(error.what()).rfind(field, 0), 0U) << error.what();
  }
}

TEST(Parameter, RefusesBadFieldsByName) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  expect_invalid({.name = "x", .low = 1, .high = 1}, "space.x.high");
  expect_invalid({.name = "x", .low = nan, .high = 1}, "space.x.low");
  expect_invalid({.name = "x", .low = 0, .high = inf}, "space.x.high");
  expect_invalid({.name = "x", .low = -1e308, .high = 1e308}, "space.x.high");
  expect_invalid({.name = "x", .low = 0, .high = 1, .log = true}, "space.x.low");
  expect_invalid(int_parameter(0.5, 3), "space.n.low");
  expect_invalid(int_parameter(3, 2), "space.n.high");
  expect_invalid(int_parameter(0, 9, 0.5), "space.n.step");
  expect_invalid(int_parameter(0, 1e12), "space.n.high");
  expect_invalid(choice_parameter({}), "space.c.choices");
  expect_invalid(choice_parameter({"a", "a"}), "space.c.choices");
  expect_invalid({.name = "x", .choices = {"a"}}, "space.x.choices");
}

TEST(Domain, FeaturesOfAMixedBox) {
  const Domain box =
      Domain::box({Parameter{.name = "x"}, int_parameter(1, 4), choice_parameter({"a", "b"})});
  EXPECT_EQ(box.dimension(), 3U);
  EXPECT_EQ(box.num_features(), 4U);
  Points latents(1, 3);
  latents << 0.3, 0.6, 0.9;
  Points expected(1, 4);
  expected << 0.3, 0.625, 0.0, 1.0;
  EXPECT_EQ(box.features(latents), expected);
  EXPECT_EQ(box.feature_lengthscales({1, 2, 3}), (std::vector<double>{1, 2, 3, 3}));
  EXPECT_EQ(box.feature_lengthscales({0.5}), (std::vector<double>{0.5}));
  EXPECT_THROW(box.feature_lengthscales({1, 2}), base::Error);
  EXPECT_EQ(box.values(std::vector<double>{0.3, 0.6, 0.9}), (std::vector<double>{0.3, 3, 1}));
}

TEST(Domain, FeaturesAreTheLatentsWhereNothingIsSnapped) {
  EXPECT_TRUE(Domain::box({Parameter{.name = "x"}, {.name = "y", .low = 1, .high = 9, .log = true}})
                  .features_are_latents());
  EXPECT_TRUE(Domain::ball(2, 1).features_are_latents());
  EXPECT_TRUE(Domain::finite(Points::Zero(1, 2)).features_are_latents());
  EXPECT_FALSE(Domain::box({Parameter{.name = "x"}, int_parameter(1, 4)}).features_are_latents());
  EXPECT_FALSE(Domain::box({choice_parameter({"a"})}).features_are_latents());
}

TEST(Domain, RefusesBadShapes) {
  EXPECT_THROW(Domain::box(0), base::Error);
  EXPECT_THROW(Domain::box(kMaxDimension + 1), base::Error);
  EXPECT_THROW(Domain::ball(3, 0), base::Error);
  EXPECT_THROW(Domain::ball(3, std::numeric_limits<double>::infinity()), base::Error);
  EXPECT_THROW(Domain::finite(Points(0, 2)), base::Error);
  Points bad(2, 1);
  bad << 1, std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(Domain::finite(bad), base::Error);
  EXPECT_THROW(Domain::box({Parameter{.name = "x"}, Parameter{.name = "x"}}), base::Error);
}

RC_GTEST_PROP(Domain, ChordOfABallEndsOnItsSurface, ()) {
  const auto dimension = *rc::gen::inRange<std::size_t>(1, 6);
  const Domain ball = Domain::ball(dimension, 2.0);
  std::vector<double> x(dimension);
  for (double& coordinate : x) {
    coordinate = *rc::gen::inRange(-1000, 1000) / 1000.0 / static_cast<double>(dimension);
  }
  const auto axis = *rc::gen::inRange<std::size_t>(0, dimension);
  const Chord chord = ball.chord(x, axis);
  RC_ASSERT(chord.low == -chord.high);
  RC_ASSERT(chord.low <= x[axis] && x[axis] <= chord.high);
  x[axis] = chord.high;
  double norm = 0;
  for (const double coordinate : x) norm += coordinate * coordinate;
  RC_ASSERT(std::abs(norm - 4.0) < 1e-14);  // a handful of roundings at magnitude 4
}

// 3^2 + 4^2 = 5^2 without any rounding: the sphere belongs to the ball, as the faces to the box.
TEST(Domain, TheEdgeBelongsToTheDomain) {
  const Domain ball = Domain::ball(2, 5);
  EXPECT_TRUE(ball.contains(std::array{3.0, 4.0}));
  EXPECT_FALSE(ball.contains(std::array{3.0, std::nextafter(4.0, 5.0)}));
  const Domain box = Domain::box(2);
  EXPECT_TRUE(box.contains(std::array{0.0, 1.0}));
  EXPECT_FALSE(box.contains(std::array{0.0, std::nextafter(1.0, 2.0)}));
  EXPECT_FALSE(box.contains(std::array{std::nextafter(0.0, -1.0), 1.0}));
}

}  // namespace
}  // namespace duets::domain
