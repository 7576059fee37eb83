#include "duets/protocol/variance.h"

#include <gtest/gtest.h>

#include "duets/protocol/run_test_support.h"

namespace duets::protocol {
namespace {

using domain::Domain;
using numeric::Points;
using numeric::Vector;

const base::SerialExecutor kSerial;

TEST(VarianceModel, NoDataIsThePrior) {
  kernel::Kernel kernel;
  kernel.variance = 2.5;
  const VarianceModel model(kernel, dataset_of(Points(0, 2)), 0.2, 1e-3, kSerial);
  std::uint64_t num_clamped = 0;
  EXPECT_EQ(model(lattice(3, 2), num_clamped), Vector::Constant(3, 2.5));
  EXPECT_EQ(model.path(), VariancePath::kExact);
}

// 21 points, each a hundred times, not collapsed: beyond the dense limit, so pivots are used, and
// the answer must be that of the exact posterior with counts.
TEST(VarianceModel, LowRankAgreesWithExactOnRepeatedPoints) {
  kernel::Kernel kernel;
  kernel.lengthscales = {0.3};
  const Points distinct = lattice(21, 2);
  Points repeated(2100, 2);
  for (Eigen::Index i = 0; i < 2100; ++i) repeated.row(i) = distinct.row(i % 21);
  ASSERT_GT(repeated.rows(), kDenseLimit);
  const VarianceModel model(kernel, dataset_of(repeated), 0.2, 1e-10, kSerial);
  EXPECT_EQ(model.path(), VariancePath::kLowRank);
  EXPECT_LE(model.rank(), 21U);
  EXPECT_LE(model.residual(), 1e-10);
  const gp::ExactPosterior exact(kernel, distinct, Vector::Constant(21, 100), 0.2);
  std::uint64_t num_clamped = 0;
  const Points x = lattice(50, 2);
  const Vector difference = model(x, num_clamped) - exact.variance(x).variance;
  // What the pivots leave is at most the residual times the squared weights of a prediction.
  EXPECT_LE(difference.lpNorm<Eigen::Infinity>(), 1e-7);
}

// A variance far below what pivots can resolve: the search for finer pivots has to end.
TEST(VarianceSupremum, EndsForATinyLambda) {
  Study study = small_study(Domain::box(1));
  study.lambda = 1e-14;
  const Dataset data = dataset_of(lattice(2500, 1));
  EpochReport report;
  const double sup = variance_supremum(study, study.kernel, data, region::Region(study.domain),
                                       lattice(64, 1), kSerial, report);
  EXPECT_GE(sup, 0);
  EXPECT_LE(sup, 1e-8);
  EXPECT_EQ(report.variance_path, VariancePath::kLowRank);
}

}  // namespace
}  // namespace duets::protocol
