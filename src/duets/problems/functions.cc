#include "duets/problems/functions.h"

#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "duets/base/error.h"
#include "duets/numeric/strict.h"

namespace duets::problems {
namespace {

using std::numbers::inv_pi;
using std::numbers::pi;

class Branin final : public Problem {
 public:
  Branin()
      : Problem({.name = "branin",
                 .dimension = 2,
                 .maximum = 1.0473938910927867,
                 .maximisers = {{0.12389382309401378, 0.8183333333333334},
                                {0.5427728435726529, 0.15166666666666667},
                                {0.961651864051292, 0.165}}}) {}

 private:
  double evaluate(std::span<const double> x) const override {
    constexpr double kSquare = 5.1 / (4 * pi * pi);
    constexpr double kLinear = 5 / pi;
    constexpr double kCosine = 10 - 10 / (8 * pi);
    const double u = 15 * x[0] - 5;
    const double v = 15 * x[1];
    const double bend = v - kSquare * (u * u) + kLinear * u - 6;
    return -(bend * bend + kCosine * strict_cos(u) - 44.81) / 51.95;
  }
};

constexpr std::array<double, 4> kHartmannWeights{1, 1.2, 3, 3.2};
constexpr double kHartmannScales[4][6] = {{10, 3, 17, 3.5, 1.7, 8},
                                          {0.05, 10, 17, 0.1, 8, 14},
                                          {3, 3.5, 1.7, 10, 17, 8},
                                          {17, 8, 0.05, 10, 0.1, 14}};
constexpr double kHartmannCenters[4][6] = {{0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886},
                                           {0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991},
                                           {0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.6650},
                                           {0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381}};

/// (Hartmann's sum - offset) / scale in the first 4 or in all 6 coordinates.
class Hartmann final : public Problem {
 public:
  Hartmann(Facts facts, double offset, double scale)
      : Problem(std::move(facts)), offset_(offset), scale_(scale) {}

 private:
  double evaluate(std::span<const double> x) const override {
    double sum = 0;
    for (std::size_t i = 0; i < kHartmannWeights.size(); ++i) {
      double exponent = 0;
      for (std::size_t k = 0; k < x.size(); ++k) {
        const double difference = x[k] - kHartmannCenters[i][k];
        exponent += kHartmannScales[i][k] * (difference * difference);
      }
      sum += kHartmannWeights[i] * numeric::strict_exp(-exponent);
    }
    return (sum - offset_) / scale_;
  }

  double offset_;
  double scale_;
};

Facts hartmann4_facts(std::string name, double maximum) {
  return {.name = std::move(name),
          .dimension = 4,
          .maximum = maximum,
          .maximisers = {
              {0.1873952729734667, 0.19415152930244073, 0.557917780062569, 0.26477962417039713}}};
}

Facts ridge_facts(std::string name, const std::vector<double>& theta, double maximum) {
  base::require(theta.size() >= 2, "theta.size()", std::to_string(theta.size()),
                "must be at least 2");
  const double length = std::sqrt(numeric::strict_dot(theta, theta));
  base::require(std::abs(length - 1) <= 1e-12, "|theta|", std::to_string(length), "must be 1");
  return {.name = std::move(name),
          .dimension = theta.size(),
          .shape = Shape::kBall,
          .maximum = maximum};
}

class H1 final : public Problem {
 public:
  explicit H1(std::vector<double> theta)
      : Problem(ridge_facts("h1", theta, 1)), theta_(std::move(theta)) {}

 private:
  double evaluate(std::span<const double> x) const override {
    return strict_cos(3 * numeric::strict_dot(x, theta_));
  }

  std::vector<double> theta_;
};

Facts h2_facts(const std::vector<double>& theta) {
  Facts facts = ridge_facts("h2", theta, 4);
  facts.maximisers = {theta};
  return facts;
}

class H2 final : public Problem {
 public:
  explicit H2(std::vector<double> theta) : Problem(h2_facts(theta)), theta_(std::move(theta)) {}

 private:
  double evaluate(std::span<const double> x) const override {
    const double z = numeric::strict_dot(x, theta_) - 1;
    return z * z * z + 4;
  }

  std::vector<double> theta_;
};

}  // namespace

double strict_cos(double a) { return numeric::strict_sincospi(a * inv_pi).cos; }

double strict_sin(double a) { return numeric::strict_sincospi(a * inv_pi).sin; }

std::unique_ptr<Problem> make_branin() { return std::make_unique<Branin>(); }

std::unique_ptr<Problem> make_hartmann4() {
  return std::make_unique<Hartmann>(hartmann4_facts("hartmann4", 3.729840584485593), 0, 1);
}

std::unique_ptr<Problem> make_hartmann4_rescaled() {
  return std::make_unique<Hartmann>(hartmann4_facts("hartmann4-rescaled", 3.134494141222399), 1.1,
                                    0.839);
}

std::unique_ptr<Problem> make_hartmann6() {
  return std::make_unique<Hartmann>(
      Facts{.name = "hartmann6",
            .dimension = 6,
            .maximum = 3.322368011415515,
            .maximisers = {{0.20168951100670543, 0.15001069182345797, 0.476873974221897,
                            0.2753324304940561, 0.31165161660011326, 0.6573005340656203}}},
      0, 1);
}

std::unique_ptr<Problem> make_h1(std::vector<double> theta) {
  return std::make_unique<H1>(std::move(theta));
}

std::unique_ptr<Problem> make_h2(std::vector<double> theta) {
  return std::make_unique<H2>(std::move(theta));
}

}  // namespace duets::problems
