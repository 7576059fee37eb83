#include "duets/gp/arms.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "duets/base/error.h"

namespace duets::gp {
namespace {

/// A lattice that needs no randomness: irrational steps modulo 1 in every coordinate.
numeric::Points irrational_lattice(Eigen::Index n, Eigen::Index d) {
  numeric::Points out(n, d);
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index c = 0; c < d; ++c) {
      const double step = std::sqrt(static_cast<double>(2 + 3 * c));
      out(i, c) = std::fmod(step * static_cast<double>(i + 1), 1.0);
    }
  }
  return out;
}

kernel::Kernel matern() {
  return {.family = kernel::Family::kMatern52, .lengthscales = {0.3}, .variance = 2.0};
}

TEST(Arms, ColumnsAreKernelValuesToTheBit) {
  const numeric::Points x = irrational_lattice(50, 3);
  const Arms arms(matern(), x);
  const std::vector<std::size_t> chosen{7, 0, 49, 7};
  const numeric::Matrix columns = arms.columns(chosen);
  ASSERT_EQ(columns.rows(), 50);
  ASSERT_EQ(columns.cols(), 4);
  const numeric::Matrix gram = kernel::gram(matern(), x);
  for (std::size_t j = 0; j < chosen.size(); ++j) {
    EXPECT_EQ(columns.col(static_cast<Eigen::Index>(j)),
              gram.col(static_cast<Eigen::Index>(chosen[j])));
  }
}

TEST(Arms, ColumnsAreTheSameBeyondTheStoredSize) {
  const auto many = static_cast<Eigen::Index>(Arms::kStored + 1);
  const numeric::Points x = irrational_lattice(many, 2);
  const Arms computed(matern(), x);
  const Arms stored(matern(), x.topRows(100));
  const std::vector<std::size_t> chosen{3, 99, 0};
  EXPECT_EQ(computed.columns(chosen).topRows(100), stored.columns(chosen));
}

TEST(Arms, CrossAcceptsPointsThatAreNotArms) {
  const numeric::Points x = irrational_lattice(20, 2);
  const numeric::Points other = irrational_lattice(25, 2).bottomRows(5);
  EXPECT_EQ(Arms(matern(), x).cross(other), kernel::cross(matern(), x, other));
}

TEST(Arms, RefusesNoArmsAndAKernelThatDoesNotFit) {
  EXPECT_THROW(Arms(matern(), numeric::Points(0, 2)), base::Error);
  kernel::Kernel three = matern();
  three.lengthscales = {1, 1, 1};
  EXPECT_THROW(Arms(three, irrational_lattice(4, 2)), base::Error);
}

}  // namespace
}  // namespace duets::gp
