#include "duets/domain/compass.h"

#include <gtest/gtest.h>

namespace duets::domain {
namespace {

TEST(Compass, StepsOfABoxAreCutAtItsBorder) {
  numeric::Vector x(2);
  x << 0.1, 0.5;
  const numeric::Points steps = compass_steps(Domain::box(2), x, 0.25);
  numeric::Points expected(4, 2);
  expected << 0, 0.5, 0.35, 0.5, 0.1, 0.25, 0.1, 0.75;
  EXPECT_EQ(steps, expected);
}

TEST(Compass, StepsOfABallStayInsideAndTurnAlongItsSurface) {
  const Domain ball = Domain::ball(3, 2);
  numeric::Vector x(3);
  x << 2 * 0.6, 0, 2 * 0.8;  // on the surface
  const numeric::Points steps = compass_steps(ball, x, 0.3);
  ASSERT_EQ(steps.rows(), 12);
  int on_surface = 0;
  for (Eigen::Index i = 0; i < steps.rows(); ++i) {
    const numeric::Vector step = steps.row(i);
    EXPECT_TRUE(ball.contains({step.data(), 3})) << i;
    if (std::abs(step.norm() - 2) < 1e-9 && (step - x).norm() > 0.01) ++on_surface;
  }
  // Six rotations, and four of the straight steps leave the ball and are pulled back to it.
  EXPECT_EQ(on_surface, 10);
}

}  // namespace
}  // namespace duets::domain
