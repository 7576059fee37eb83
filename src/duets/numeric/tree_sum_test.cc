#include "duets/numeric/tree_sum.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <mutex>
#include <thread>
#include <vector>

#include "duets/base/error.h"
#include "duets/base/rank_test_support.h"

namespace duets::numeric {
namespace {

constexpr std::size_t kSize = 7;

// Numbers of many magnitudes: another order of additions gives other bits.
Vector leaf(std::size_t unit) {
  Vector values(kSize);
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    const double phase = 1.7 * static_cast<double>(unit) + 0.3 * static_cast<double>(i);
    values[i] = std::sin(phase) * std::pow(10.0, 6 * std::cos(3 * phase));
  }
  return values;
}

// The definition, recursively: the left part is the largest power of two below the number of units.
Vector definition(std::size_t begin, std::size_t end) {
  if (end - begin == 1) return leaf(begin);
  std::size_t left = 1;
  while (2 * left < end - begin) left *= 2;
  return definition(begin, begin + left) + definition(begin + left, end);
}

// Takes the chunks on several threads.
class Threads final : public base::Executor {
 public:
  explicit Threads(int count) : count_(count) {}
  void parallel_for(std::size_t num_chunks,
                    const std::function<void(std::size_t)>& body) const override {
    std::atomic<std::size_t> next{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < count_; ++t) {
      threads.emplace_back([&] {
        for (std::size_t i = next++; i < num_chunks; i = next++) body(i);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }

 private:
  int count_;
};

TEST(TreeSum, IsTheTreeOverTheUnits) {
  for (std::size_t n = 1; n <= 200; ++n) {
    EXPECT_EQ(tree_sum(n, kSize, leaf, base::SerialExecutor()), definition(0, n)) << n;
  }
  EXPECT_EQ(tree_sum(0, kSize, leaf, base::SerialExecutor()), Vector::Zero(kSize));
}

// The test above would not see a sum in another order if the leaves could not tell.
TEST(TreeSum, TheTestLeavesDistinguishOrders) {
  Vector in_order = leaf(0);
  for (std::size_t i = 1; i < 40; ++i) in_order += leaf(i);
  EXPECT_NE(in_order, definition(0, 40));
}

TEST(TreeSum, TheSameBitsOnAnyNumberOfThreads) {
  for (const int threads : {2, 3}) {
    for (const std::size_t n : {1, 2, 3, 40, 130}) {
      EXPECT_EQ(tree_sum(n, kSize, leaf, Threads(threads)), definition(0, n)) << n;
    }
  }
}

TEST(TreeSum, TheSameBitsInEveryProcess) {
  for (std::size_t ranks = 1; ranks <= 5; ++ranks) {
    for (std::size_t n = 0; n <= 40; ++n) {
      const Vector want = n == 0 ? Vector(Vector::Zero(kSize)) : definition(0, n);
      std::vector<Vector> sums(ranks);
      std::atomic<std::size_t> num_leaves{0};
      base::run_ranks<std::thread>(ranks, [&](const base::RankExecutor& executor) {
        sums[executor.rank()] = tree_sum(
            n, kSize,
            [&](std::size_t unit) {
              ++num_leaves;
              return leaf(unit);
            },
            executor);
      });
      for (const Vector& sum : sums) EXPECT_EQ(sum, want) << n << " units, " << ranks << " ranks";
      // Nobody computes what belongs to another.
      EXPECT_EQ(num_leaves, n);
    }
  }
}

TEST(TreeSum, RefusesALeafOfAnotherSize) {
  try {
    tree_sum(3, kSize + 1, leaf, base::SerialExecutor());
    FAIL() << "accepted";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::kInvalid);
    EXPECT_STREQ(error.what(), "leaf = 7 entries: must have 8");
  }
}

}  // namespace
}  // namespace duets::numeric
