#include "duets/gp/sparse.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <atomic>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "duets/base/error.h"
#include "duets/gp/lattice_test_support.h"
#include "duets/numeric/rows.h"

namespace duets::gp {
namespace {

using kernel::Family;
using kernel::Kernel;
using numeric::Matrix;
using numeric::Points;
using numeric::Vector;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
SparsePosterior serial(const Kernel& kernel, const Points& inducing, const Points& data,
                       double lambda, const Vector& counts = Vector()) {
  return SparsePosterior(kernel, inducing, data, counts, lambda, base::SerialExecutor());
}

Vector sparse_mean(const Kernel& kernel, const Points& inducing, const Points& data,
                   const Vector& rewards, double lambda, const Points& x) {
  const Vector w =
      serial(kernel, inducing, data, lambda).weights(project(kernel, inducing, data, rewards));
  return kernel::weighted_sum(kernel, x, inducing, w);
}

double distance(const Vector& a, const Vector& b) { return (a - b).cwiseAbs().maxCoeff(); }

// Three threads take the chunks from the last to the first.
class ThreadedExecutor final : public base::Executor {
 public:
  void parallel_for(std::size_t num_chunks,
                    const std::function<void(std::size_t)>& body) const override {
    std::atomic<std::size_t> left{num_chunks};
    const auto work = [&] {
      for (std::size_t i = left.load(); i > 0;) {
        if (left.compare_exchange_weak(i, i - 1)) {
          body(i - 1);
          i = left.load();
        }
      }
    };
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t) threads.emplace_back(work);
    for (std::thread& thread : threads) thread.join();
  }
};

TEST(SparsePosterior, OnePointByHand) {
  const Kernel kernel{Family::kSquaredExponential, {2.0}, 1.0};
  const Points origin = Points::Zero(1, 1);
  const SparsePosterior posterior = serial(kernel, origin, origin, 0.25);
  // M = 0.25 + 1, u = 5.
  EXPECT_NEAR(posterior.weights(Vector::Constant(1, 5.0))[0], 4.0, 1e-15);
  EXPECT_NEAR(posterior.variance(origin).variance[0], 0.2, 1e-15);
  EXPECT_NEAR(posterior.information_gain(), 0.5 * std::log(5.0), 1e-15);
  EXPECT_EQ(posterior.num_inducing(), 1U);
}

// The defining equations, solved bluntly: M = lambda K_SS + K_SD K_DS by elimination. The
// comparison loses what the blunt way loses, about cond(M) epsilon; the inducing points are far
// apart.
TEST(SparsePosterior, SolvesItsDefiningEquations) {
  const Points data = lattice(100, 2);
  const Points inducing = lattice(8, 2, 0.2);
  const Points x = lattice(15, 2, 0.7);
  const Vector u = rewards_at(inducing);
  for (const Family family : kFamilies) {
    const Kernel kernel{family, {0.2}, 1.5};
    const double lambda = 0.3;
    const Matrix kss = kernel::gram(kernel, inducing);
    const Matrix ksd = kernel::cross(kernel, inducing, data);
    const Matrix kxs = kernel::cross(kernel, x, inducing);
    const Matrix m = lambda * kss + ksd * ksd.transpose();
    const SparsePosterior posterior = serial(kernel, inducing, data, lambda);
    const Vector w = posterior.weights(u);
    EXPECT_LE((m * w - u).norm(), 1e-12 * m.norm() * w.norm());
    // Column i of m times weights(e_i) is e_i, so the weights of unit vectors are M^-1.
    Matrix m_inverse(8, 8);
    for (Eigen::Index i = 0; i < 8; ++i) m_inverse.col(i) = posterior.weights(Vector::Unit(8, i));
    // Without data M = lambda K_SS: the same way gives K_SS^-1.
    const SparsePosterior empty = serial(kernel, inducing, Points(0, 2), 1.0);
    Matrix kss_inverse(8, 8);
    for (Eigen::Index i = 0; i < 8; ++i) kss_inverse.col(i) = empty.weights(Vector::Unit(8, i));
    const Vector want =
        (kernel.variance - (kxs * kss_inverse).cwiseProduct(kxs).rowwise().sum().array() +
         lambda * (kxs * m_inverse).cwiseProduct(kxs).rowwise().sum().array())
            .matrix();
    EXPECT_LE(distance(posterior.variance(x).variance, want), 1e-12);
  }
}

// Exact when K_SS is well conditioned: the bound of the design for cond < 1e4.
TEST(SparsePosterior, WithAllDataEqualsExact) {
  const Points data = lattice(40, 2);
  const Vector rewards = rewards_at(data);
  const Points x = lattice(25, 2, 0.1);
  for (const Family family : kFamilies) {
    const Kernel kernel{family, {0.08}, 1.0};
    const ExactPosterior exact(kernel, data, Vector(), 0.1);
    const SparsePosterior sparse = serial(kernel, data, data, 0.1);
    EXPECT_LE(distance(sparse_mean(kernel, data, data, rewards, 0.1, x), exact.mean(x, rewards)),
              1e-12);
    EXPECT_LE(distance(sparse.variance(x).variance, exact.variance(x).variance), 1e-12);
    EXPECT_NEAR(sparse.information_gain(), exact.information_gain(), 1e-11);
  }
}

// det(I + K_DS K_SS^-1 K_SD / lambda) <= det(I + K_DD / lambda), with more of it from more of S.
TEST(SparsePosterior, SeesNoMoreInformationThanThereIs) {
  const Points data = lattice(60, 2);
  const Kernel kernel{Family::kMatern32, {0.3}, 1.0};
  const ExactPosterior exact(kernel, data, Vector(), 0.1);
  double before = 0;
  for (const Eigen::Index s : {1, 5, 20, 40}) {
    const double gain = serial(kernel, data.topRows(s), data, 0.1).information_gain();
    EXPECT_GT(gain, before);
    EXPECT_LT(gain, exact.information_gain());
    before = gain;
  }
}

TEST(SparsePosterior, TheOrderOfDataChangesNothing) {
  const Points data = lattice(3000, 3);
  const Points backward = data.colwise().reverse();
  const Vector rewards = rewards_at(data);
  const Points x = lattice(20, 3, 0.1);
  const Kernel kernel{Family::kMatern52, {0.4}, 1.0};
  const Points inducing =
      numeric::select_rows(data.topRows(30), prune_to_pivots(kernel, data.topRows(30)));
  // Sums of m terms in another order differ by m epsilon of their size; the ridge in whitened
  // coordinates has condition number at most 1 + m / lambda, but both only through m epsilon /
  // lambda.
  const double bound = 3000 * kEpsilon / 0.1;
  EXPECT_LE(distance(sparse_mean(kernel, inducing, data, rewards, 0.1, x),
                     sparse_mean(kernel, inducing, backward, rewards.reverse(), 0.1, x)),
            bound);
  EXPECT_LE(distance(serial(kernel, inducing, data, 0.1).variance(x).variance,
                     serial(kernel, inducing, backward, 0.1).variance(x).variance),
            bound);
}

TEST(SparsePosterior, VarianceNeverGrowsWithData) {
  const Points data = lattice(200, 2);
  const Points x = lattice(30, 2, 0.25);
  const Kernel kernel{Family::kSquaredExponential, {0.3}, 1.0};
  const Points inducing =
      numeric::select_rows(data.topRows(20), prune_to_pivots(kernel, data.topRows(20)));
  Vector before = Vector::Constant(x.rows(), 1.0);
  for (Eigen::Index m = 0; m <= 200; m += 20) {
    const Vector after = serial(kernel, inducing, data.topRows(m), 0.1).variance(x).variance;
    EXPECT_LE((after - before).maxCoeff(), 1e-12) << m;
    before = after;
  }
  EXPECT_LT(before.minCoeff(), 0.1);
}

// Uploads of N agents add up to the upload of one agent that made all queries.
TEST(SparsePosterior, ManyAgentsEqualOneAgent) {
  constexpr Eigen::Index kAgents = 10;
  constexpr Eigen::Index kEach = 25;
  const Points data = lattice(kAgents * kEach, 2);
  const Vector rewards = rewards_at(data);
  const Points inducing = lattice(12, 2, 0.2);
  for (const Family family : kFamilies) {
    const Kernel kernel{family, {0.3}, 1.0};
    Vector sum = Vector::Zero(12);
    for (Eigen::Index a = 0; a < kAgents; ++a) {
      sum += project(kernel, inducing, data.middleRows(a * kEach, kEach),
                     rewards.segment(a * kEach, kEach));
    }
    const Vector pooled = project(kernel, inducing, data, rewards);
    // m additions of numbers whose absolute values add up to at most |y|_1.
    EXPECT_LE(distance(sum, pooled),
              static_cast<double>(data.rows()) * kEpsilon * rewards.lpNorm<1>());
  }
}

// 78000 points in runs of equal ones: 77 chunks, which is more than one wave, each with another
// content.
TEST(SparsePosterior, CountsEqualRepeatedPoints) {
  const Points distinct = lattice(12, 2);
  const Vector counts = 1000 * Vector::LinSpaced(12, 1, 12);
  Points repeated(static_cast<Eigen::Index>(counts.sum()), 2);
  Eigen::Index row = 0;
  for (Eigen::Index i = 0; i < 12; ++i) {
    for (int c = 0; c < static_cast<int>(counts[i]); ++c) repeated.row(row++) = distinct.row(i);
  }
  const Kernel kernel{Family::kMatern32, {0.3}, 1.0};
  const Points inducing = distinct.topRows(6);
  const SparsePosterior collapsed = serial(kernel, inducing, distinct, 0.2, counts);
  const SparsePosterior full = serial(kernel, inducing, repeated, 0.2);
  const Points x = lattice(20, 2, 0.1);
  EXPECT_LE(distance(collapsed.variance(x).variance, full.variance(x).variance), 1e-13);
  const Vector u = project(kernel, inducing, repeated, rewards_at(repeated));
  EXPECT_LE(distance(collapsed.weights(u), full.weights(u)), 1e-12 * full.weights(u).norm());
}

// 70000 points are 69 chunks: more than one wave of partial Grams, and a last chunk cut short.
TEST(SparsePosterior, TheSameBitsOnAnyNumberOfThreads) {
  const Kernel kernel{Family::kSquaredExponential, {0.2}, 1.0};
  const Points data = lattice(70000, 1);
  const Points inducing =
      numeric::select_rows(data.topRows(9), prune_to_pivots(kernel, data.topRows(9)));
  const Vector counts = 1 + lattice(70000, 1, 0.3).col(0).array();
  const SparsePosterior one(kernel, inducing, data, counts, 0.1, base::SerialExecutor());
  const SparsePosterior three(kernel, inducing, data, counts, 0.1, ThreadedExecutor());
  const Vector u = project(kernel, inducing, data, rewards_at(data));
  const Points x = lattice(50, 1, 0.1);
  EXPECT_EQ(one.weights(u), three.weights(u));
  EXPECT_EQ(one.variance(x).variance, three.variance(x).variance);
  EXPECT_EQ(one.information_gain(), three.information_gain());
}

// Nearly singular on purpose: every point twice, a smooth kernel, a regulariser down to rounding.
TEST(SparsePosterior, StaysFiniteAndInRangeWhenNearlySingular) {
  for (const double lambda : {1e-4, 1e-12}) {
    for (const Eigen::Index d : {1, 2, 50}) {
      for (const Eigen::Index half : {1, 2, 40}) {
        Points data(2 * half, d);
        data << lattice(half, d), lattice(half, d);
        for (const Family family : kFamilies) {
          const Kernel kernel{family, {5.0}, 1.0};
          const Points inducing = numeric::select_rows(data, prune_to_pivots(kernel, data));
          const SparsePosterior posterior = serial(kernel, inducing, data, lambda);
          const Vector w = posterior.weights(project(kernel, inducing, data, rewards_at(data)));
          EXPECT_TRUE(w.allFinite());
          const VarianceResult result = posterior.variance(data);
          EXPECT_GE(result.variance.minCoeff(), 0);
          EXPECT_LE(result.variance.maxCoeff(), 1);
          EXPECT_LE(result.num_clamped, static_cast<std::size_t>(data.rows()));
          EXPECT_EQ(posterior.weights(Vector::Zero(w.size())), Vector::Zero(w.size()));
          EXPECT_LE(posterior.jitter(), 1e-8 * static_cast<double>(data.rows()));
        }
      }
    }
  }
}

// One data point cannot fill a ridge of five directions when lambda is far below rounding.
TEST(SparsePosterior, ReportsTheJitterOfARidgeThatIsSingular) {
  const Kernel kernel{Family::kMatern12, {0.3}, 1.0};
  const Points inducing = lattice(5, 1);
  EXPECT_GT(serial(kernel, inducing, inducing.topRows(1) * 0.9, 1e-20).jitter(), 0);
  EXPECT_EQ(serial(kernel, inducing, inducing.topRows(1) * 0.9, 0.1).jitter(), 0);
}

// Without noise worth the name the variance at an inducing point is rounding, on both sides of
// zero.
TEST(SparsePosterior, CountsItsClamps) {
  const Kernel kernel{Family::kMatern12, {1.0}, 1.0};
  const Points data = lattice(40, 1);
  const VarianceResult result = serial(kernel, data, data, 1e-17).variance(data);
  EXPECT_GT(result.num_clamped, 0U);
  EXPECT_GE(result.variance.minCoeff(), 0);
  EXPECT_EQ(serial(kernel, data, data, 0.1).variance(data).num_clamped, 0U);
}

void expect_error(const std::function<void()>& call, base::ErrorKind kind,
                  const std::string& text) {
  try {
    call();
    FAIL() << "accepted, expected an error about " << text;
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), kind);
    EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
  }
}

void expect_invalid(const std::function<void()>& call, const std::string& field) {
  expect_error(call, base::ErrorKind::kInvalid, field + " = ");
}

TEST(SparsePosterior, ReportsASetThatIsNotPruned) {
  expect_error([] { serial({}, Points::Zero(3, 2), lattice(5, 2), 0.1); },
               base::ErrorKind::kNumeric, "prune");
}

TEST(SparsePosterior, NamesTheBadArgument) {
  const Kernel kernel{Family::kMatern32, {0.3}, 1.0};
  const Points data = lattice(6, 2);
  const Points inducing = lattice(3, 2, 0.2);
  Points broken = inducing;
  broken(0, 0) = kNan;
  for (const double lambda : {0.0, -1.0, kNan, std::numeric_limits<double>::infinity()}) {
    expect_invalid([&] { serial(kernel, inducing, data, lambda); }, "lambda");
  }
  expect_invalid([&] { serial(kernel, Points(0, 2), data, 1); }, "inducing");
  expect_invalid([&] { serial(kernel, broken, data, 1); }, "inducing");
  expect_invalid([&] { serial(kernel, inducing, broken, 1); }, "data");
  expect_invalid([&] { serial(kernel, inducing, lattice(6, 3), 1); }, "data");
  expect_invalid([&] { serial(kernel, inducing, data, 1, Vector::Ones(5)); }, "counts");
  expect_invalid([&] { serial(kernel, inducing, data, 1, -Vector::Ones(6)); }, "counts");
  const SparsePosterior posterior = serial(kernel, inducing, data, 1);
  expect_invalid([&] { posterior.weights(Vector::Ones(2)); }, "projection");
  expect_invalid([&] { posterior.weights(Vector::Constant(3, kNan)); }, "projection");
  expect_invalid([&] { posterior.variance(lattice(3, 1)); }, "x");
  expect_invalid([&] { project(kernel, inducing, lattice(6, 3), Vector::Ones(6)); }, "data");
  expect_invalid([&] { project(kernel, inducing, data, Vector::Ones(5)); }, "rewards");
  expect_invalid([&] { project(kernel, broken, data, Vector::Ones(6)); }, "inducing");
  expect_invalid([&] { prune_to_pivots(kernel, broken); }, "candidates");
  expect_invalid([&] { prune_to_pivots(kernel, data, -1); }, "tolerance");
  expect_invalid([&] { greedy_pivots(kernel, data, 0.1, 0); }, "max_points");
}

// With every point of the data an inducing point the posterior is the exact one; rounding is far
// below 1e-10 at this lambda.
TEST(SparsePosterior, CovarianceIsTheExactOne) {
  const Kernel kernel{Family::kMatern52, {0.5}, 2.0};
  const Points data = lattice(25, 2);
  const Points x = 0.9 * lattice(16, 2);
  const SparsePosterior posterior = serial(kernel, data, data, 0.1);
  Matrix gram = kernel::gram(kernel, data);
  gram.diagonal().array() += 0.1;
  const Matrix cross = kernel::cross(kernel, x, data);
  const Matrix expected = kernel::gram(kernel, x) - cross * gram.llt().solve(cross.transpose());
  const Matrix covariance = posterior.covariance(x);
  EXPECT_LT((covariance - expected).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_LT(distance(covariance.diagonal(), posterior.variance(x).variance), 1e-12);
  EXPECT_THROW(posterior.covariance(Points::Zero(3, 5)), base::Error);
}

}  // namespace
}  // namespace duets::gp
