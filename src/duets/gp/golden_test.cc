// The posteriors against numbers computed with 60 and more digits (tests/golden/README.md). The
// tolerances are part of the design and are the same for every case of a class.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "duets/gp/exact.h"
#include "duets/gp/sparse.h"
#include "duets/numeric/rows.h"

namespace duets::gp {
namespace {

using nlohmann::json;
using numeric::Points;
using numeric::Vector;

json load(const std::string& name) {
  std::ifstream file(DUETS_SOURCE_DIR "/tests/golden/" + name);
  EXPECT_TRUE(file.is_open()) << name;
  return json::parse(file);
}

Vector vector_of(const json& values) {
  const auto numbers = values.get<std::vector<double>>();
  return Eigen::Map<const Vector>(numbers.data(), static_cast<Eigen::Index>(numbers.size()));
}

Points points_of(const json& rows) {
  Points points(static_cast<Eigen::Index>(rows.size()),
                static_cast<Eigen::Index>(rows.at(0).size()));
  for (Eigen::Index i = 0; i < points.rows(); ++i) {
    points.row(i) = vector_of(rows.at(static_cast<std::size_t>(i))).transpose();
  }
  return points;
}

Vector entries_of(const Vector& values, const std::vector<std::uint32_t>& indices) {
  Vector entries(static_cast<Eigen::Index>(indices.size()));
  for (Eigen::Index i = 0; i < entries.size(); ++i) {
    entries[i] = values[indices[static_cast<std::size_t>(i)]];
  }
  return entries;
}

kernel::Family family_of(const std::string& name) {
  if (name == "se") return kernel::Family::kSquaredExponential;
  if (name == "matern12") return kernel::Family::kMatern12;
  if (name == "matern32") return kernel::Family::kMatern32;
  EXPECT_EQ(name, "matern52");
  return kernel::Family::kMatern52;
}

struct Case {
  explicit Case(const json& source)
      : name(source.at("name")),
        kernel{family_of(source.at("kernel")), {source.at("lengthscale").get<double>()}, 1.0},
        lambda(source.at("lam")),
        data(points_of(source.at("D"))),
        rewards(vector_of(source.at("y"))),
        inducing(
            numeric::select_rows(data, source.at("S_index").get<std::vector<std::uint32_t>>())),
        x(points_of(source.at("X"))),
        condition(source.at("cond_KSS_estimate")),
        golden(source) {}

  Vector want(const char* key) const { return vector_of(golden.at(key)); }
  bool hard() const { return name.rfind("hard_", 0) == 0; }

  std::string name;
  kernel::Kernel kernel;
  double lambda;
  Points data;
  Vector rewards;
  Points inducing;
  Points x;
  double condition;
  json golden;
};

std::vector<Case> posterior_cases() {
  std::vector<Case> cases;
  const json all = load("posterior_cases.json");
  for (const json& source : all.at("cases")) cases.emplace_back(source);
  EXPECT_EQ(cases.size(), 21U);
  return cases;
}

double absolute_error(const Vector& got, const Vector& want) {
  EXPECT_EQ(got.size(), want.size());
  return (got - want).cwiseAbs().maxCoeff();
}

// Relative to max(1, |want|).
double mixed_error(const Vector& got, const Vector& want) {
  EXPECT_EQ(got.size(), want.size());
  return ((got - want).array().abs() / want.array().abs().max(1.0)).maxCoeff();
}

double relative_error(const Vector& got, const Vector& want) {
  EXPECT_EQ(got.size(), want.size());
  return ((got - want).array() / want.array()).abs().maxCoeff();
}

// The largest error of each kind over a class of cases; also left in the test report.
struct Worst {
  double mean = 0;
  double variance = 0;
  double weights = 0;
  double gain = 0;
  double projection = 0;

  ~Worst() {
    report("mean", mean);
    report("variance", variance);
    report("weights", weights);
    report("gain", gain);
    report("projection", projection);
  }
  static void report(const char* name, double error) {
    if (error > 0) testing::Test::RecordProperty(name, fmt::format("{:.1e}", error));
  }
};

void raise(double& worst, double error, double tolerance, const std::string& what) {
  EXPECT_LE(error, tolerance) << what;
  worst = std::max(worst, error);
}

struct SparseAnswer {
  Vector projection;
  Vector weights;
  Vector mean;
  VarianceResult variance;
};

SparseAnswer sparse_answer(const Case& c, const Points& inducing) {
  const SparsePosterior posterior(c.kernel, inducing, c.data, Vector(), c.lambda,
                                  base::SerialExecutor());
  SparseAnswer answer;
  answer.projection = project(c.kernel, inducing, c.data, c.rewards);
  answer.weights = posterior.weights(answer.projection);
  answer.mean = kernel::weighted_sum(c.kernel, c.x, inducing, answer.weights);
  answer.variance = posterior.variance(c.x);
  EXPECT_EQ(posterior.jitter(), 0);
  return answer;
}

TEST(Golden, ExactPosteriors) {
  Worst worst;
  for (const Case& c : posterior_cases()) {
    const ExactPosterior posterior(c.kernel, c.data, Vector(), c.lambda);
    EXPECT_EQ(posterior.jitter(), 0) << c.name;
    raise(worst.mean, mixed_error(posterior.mean(c.x, c.rewards), c.want("exact_mu")), 1e-12,
          c.name);
    const VarianceResult got = posterior.variance(c.x);
    EXPECT_EQ(got.num_clamped, 0U) << c.name;
    raise(worst.variance, absolute_error(got.variance, c.want("exact_variance")), 1e-14, c.name);
    const double gain = c.golden.at("information_gain");
    raise(worst.gain, std::abs(posterior.information_gain() - gain) / gain, 1e-13, c.name);
  }
}

TEST(Golden, SparsePosteriorsOfWellConditionedInducingSets) {
  Worst worst;
  int tested = 0;
  for (const Case& c : posterior_cases()) {
    if (c.condition >= 1e4) continue;
    ++tested;
    const SparseAnswer got = sparse_answer(c, c.inducing);
    raise(worst.mean, mixed_error(got.mean, c.want("sparse_mu")), 1e-12, c.name);
    raise(worst.variance, absolute_error(got.variance.variance, c.want("sparse_variance")), 1e-13,
          c.name);
    raise(worst.weights, relative_error(got.weights, c.want("w")), 1e-9, c.name);
    EXPECT_EQ(got.variance.num_clamped, 0U) << c.name;
    // Pruning must leave such a set whole.
    EXPECT_EQ(prune_to_pivots(c.kernel, c.inducing).size(),
              static_cast<std::size_t>(c.inducing.rows()));
  }
  EXPECT_EQ(tested, 19);
}

// A projection is a sum of at most 40 products k y with |y| of order 1: 40 roundings of numbers
// below 40, and kernel values good to a few units in the last place.
TEST(Golden, ProjectionsOfAgentsAndTheirSum) {
  Worst worst;
  for (const Case& c : posterior_cases()) {
    Vector sum = Vector::Zero(c.inducing.rows());
    const json& agents = c.golden.at("agents");
    for (std::size_t a = 0; a < agents.size(); ++a) {
      const auto rows = agents[a].get<std::vector<std::uint32_t>>();
      const Vector part = project(c.kernel, c.inducing, numeric::select_rows(c.data, rows),
                                  entries_of(c.rewards, rows));
      raise(worst.projection, mixed_error(part, vector_of(c.golden.at("u_per_agent").at(a))), 1e-14,
            c.name);
      sum += part;
    }
    raise(worst.projection, mixed_error(sum, c.want("u")), 1e-14, c.name);
  }
}

// Weights have no digits left here; the mean has.
void check_hard_cases(double prune_tolerance, double mean_tolerance, double variance_tolerance) {
  Worst worst;
  int tested = 0;
  for (const Case& c : posterior_cases()) {
    if (!c.hard()) continue;
    ++tested;
    const Points pruned =
        numeric::select_rows(c.inducing, prune_to_pivots(c.kernel, c.inducing, prune_tolerance));
    const SparseAnswer got = sparse_answer(c, pruned);
    raise(worst.mean, mixed_error(got.mean, c.want("sparse_mu")), mean_tolerance, c.name);
    raise(worst.variance, absolute_error(got.variance.variance, c.want("sparse_variance")),
          variance_tolerance, c.name);
  }
  EXPECT_EQ(tested, 2);
}

TEST(Golden, NearlySingularInducingSetsPrunedAt1em13) { check_hard_cases(1e-13, 1e-10, 1e-11); }

TEST(Golden, NearlySingularInducingSetsPrunedAt1em10) {
  check_hard_cases(kPruneTolerance, 1e-7, 1e-9);
}

TEST(Golden, SparseWithAllDataEqualsExact) {
  Worst worst;
  int tested = 0;
  for (const Case& c : posterior_cases()) {
    if (c.inducing.rows() != c.data.rows() || c.condition >= 1e4) continue;
    ++tested;
    const SparseAnswer got = sparse_answer(c, c.data);
    raise(worst.mean, mixed_error(got.mean, c.want("exact_mu")), 1e-12, c.name);
    raise(worst.variance, absolute_error(got.variance.variance, c.want("exact_variance")), 1e-12,
          c.name);
  }
  EXPECT_GE(tested, 1);
}

TEST(Golden, OneEpochTrimsExactlyTheSameCandidates) {
  const Case c(load("trim_case.json"));
  const ExactPosterior exact(c.kernel, c.data, Vector(), c.lambda);
  const Vector variance = exact.variance(c.x).variance;
  EXPECT_LE(absolute_error(variance, c.want("exact_variance")), 1e-14);
  const double sigma2_max = variance.maxCoeff();
  EXPECT_NEAR(sigma2_max, c.golden.at("sigma_max2").get<double>(), 1e-14);
  EXPECT_NEAR(10 * sigma2_max, c.golden.at("p_j_unclipped_p0_10").get<double>(), 1e-13);
  EXPECT_NEAR(10 * sigma2_max / c.lambda,
              c.golden.at("p_j_unclipped_p0_10_over_lambda").get<double>(), 1e-13 / c.lambda);

  const SparseAnswer sparse = sparse_answer(c, c.inducing);
  EXPECT_LE(mixed_error(sparse.mean, c.want("sparse_mu")), 1e-12);
  EXPECT_LE(absolute_error(sparse.variance.variance, c.want("sparse_variance")), 1e-13);
  EXPECT_EQ(c.golden.at("trims").size(), 5U);
  for (const json& trim : c.golden.at("trims")) {
    const double beta = trim.at("beta");
    const double threshold = sparse.mean.maxCoeff() - 2 * beta * std::sqrt(sigma2_max);
    // The mean's tolerance, and that of 2 beta sigma with beta <= 5, sigma2 good to 1e-14.
    EXPECT_NEAR(threshold, trim.at("threshold").get<double>(), 1e-12 + 1e-13) << beta;
    std::vector<int> kept;
    for (Eigen::Index i = 0; i < sparse.mean.size(); ++i) {
      if (sparse.mean[i] >= threshold) kept.push_back(static_cast<int>(i));
    }
    EXPECT_EQ(kept, trim.at("kept").get<std::vector<int>>()) << beta;
  }
}

}  // namespace
}  // namespace duets::gp
