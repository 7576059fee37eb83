#include "duets/region/cut.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "duets/base/error.h"

namespace duets::region {
namespace {

using kernel::Family;
using kernel::Kernel;
using numeric::Points;
using numeric::Vector;

const Kernel kKernel{Family::kMatern32, {0.5, 0.25}, 1.5};

Points centers() {
  Points points(3, 2);
  points << 0.1, 0.2, 0.7, 0.4, 0.3, 0.9;
  return points;
}

Vector weights() { return Vector{{1.0, -0.5, 2.0}}; }

template <typename Make>
void expect_invalid(const Make& make, const std::string& field) {
  try {
    make();
    FAIL() << "accepted, although " << field << " is wrong";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::kInvalid);
    EXPECT_NE(std::string(error.what()).find(field), std::string::npos) << error.what();
  }
}

// The sum is the strict one of the kernel module, bit for bit: there is no second path.
TEST(Cut, SumIsTheStrictKernelSum) {
  Points x(40, 2);
  for (Eigen::Index i = 0; i < x.rows(); ++i) x.row(i) << 0.025 * i, 1 - 0.02 * i;
  const Cut cut(kKernel, 3.0, centers(), weights(), 0.1);
  EXPECT_EQ(cut.sum_at(x), kernel::weighted_sum(kKernel, x, centers(), weights()));
  // The offset belongs to reports: the sum is without it.
  EXPECT_EQ(cut.sum_at(x), Cut(kKernel, 0.0, centers(), weights(), 0.1).sum_at(x));
}

// A point's sum does not depend on the points beside it.
TEST(Cut, SumOfAPointDoesNotDependOnItsNeighbours) {
  Points x(70, 2);
  for (Eigen::Index i = 0; i < x.rows(); ++i) x.row(i) << std::sin(i), std::cos(3 * i);
  const Cut cut(kKernel, 0.0, centers(), weights(), 0.1);
  const Vector together = cut.sum_at(x);
  for (const Eigen::Index i : {0, 1, 31, 32, 33, 63, 64, 69}) {
    EXPECT_EQ(cut.sum_at(x.row(i))[0], together[i]) << i;
  }
  EXPECT_EQ(cut.sum_at(Points(0, 2)).size(), 0);
}

TEST(Cut, RefusesWhatIsNotACut) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  expect_invalid([] { Cut(kKernel, 0, Points(0, 2), Vector(0), 0); }, "inducing set");
  expect_invalid([] { Cut(kKernel, 0, centers(), Vector::Ones(2), 0); }, "weights");
  expect_invalid([] { Cut(kKernel, 0, centers(), weights(), kNan); }, "tau");
  expect_invalid([] { Cut(kKernel, 0, centers(), weights(), kInfinity); }, "tau");
  expect_invalid([] { Cut(kKernel, kNan, centers(), weights(), 0); }, "reward offset");
  expect_invalid([] { Cut(kKernel, 0, centers(), Vector{{1.0, kNan, 0.0}}, 0); }, "weights");
  Points spoilt = centers();
  spoilt(1, 1) = kInfinity;
  expect_invalid([&] { Cut(kKernel, 0, spoilt, weights(), 0); }, "inducing set");
  expect_invalid(
      [] {
        Cut({Family::kMatern12, {1, 1, 1}, 1}, 0, centers(), weights(), 0);
      },
      "lengthscale");
}

}  // namespace
}  // namespace duets::region
