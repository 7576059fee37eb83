#include "duets/report/chart_axis.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

namespace duets::report {
namespace {

std::vector<Span> spans() {
  std::vector<Span> out;
  for (const double size : {1e-290, 3e-9, 0.07, 1.0, 47.0, 1e4, 8.8e6, 2e15, 1e299}) {
    for (const double low : {0.0, -0.5, 0.3, -2.0}) out.push_back({low * size, (low + 1) * size});
  }
  out.push_back({1e6, 1e6 + 1e-3});
  out.push_back({-1e300, 1e300});
  return out;
}

TEST(Axis, LinearTicksAreFewInsideEvenAndNamedApart) {
  for (const Span& span : spans()) {
    for (std::size_t count = 2; count <= 11; ++count) {
      const std::vector<Tick> ticks = linear_ticks(span, count, false);
      ASSERT_LE(ticks.size(), count);
      if (count >= 5) {
        ASSERT_GE(ticks.size(), 2u) << span.low << " " << span.high << " " << count;
      }
      std::set<std::string> names;
      const double slack = 1e-3 * (span.high - span.low);
      for (const Tick& t : ticks) {
        EXPECT_GE(t.value, span.low - slack);
        EXPECT_LE(t.value, span.high + slack);
        EXPECT_TRUE(names.insert(t.text + "^" + t.exponent).second) << t.text;
      }
    }
  }
}

TEST(Axis, StepsAreOneTwoOrFive) {
  for (double smallest = 1e-12; smallest < 1e12; smallest *= 1.37) {
    const double step = nice_step(smallest);
    EXPECT_GE(step, smallest);
    EXPECT_LE(step, 2.5001 * smallest) << "the largest ratio is from 2 to 5";
    const double digit = step / std::pow(10, std::floor(std::log10(step * 1.000001)));
    EXPECT_TRUE(std::abs(digit - 1) < 1e-9 || std::abs(digit - 2) < 1e-9 ||
                std::abs(digit - 5) < 1e-9)
        << digit;
  }
}

TEST(Axis, IntegerTicksAreIntegers) {
  const std::vector<Tick> ticks = linear_ticks({0, 2}, 10, true);
  ASSERT_EQ(ticks.size(), 3u);
  for (const Tick& t : ticks) EXPECT_EQ(t.value, std::round(t.value));
  EXPECT_EQ(linear_ticks({0, 1}, 10, true).size(), 2u);
}

TEST(Axis, LabelsAreReadable) {
  const std::vector<Tick> thousands = linear_ticks({0, 20000}, 5, false);
  EXPECT_EQ(thousands.back().text, "20,000");
  EXPECT_EQ(linear_ticks({0, 1}, 6, false)[1].text, "0.2");
  const Tick big = linear_ticks({0, 1e10}, 6, false).back();
  EXPECT_EQ(big.text,
            "1\xC3\x97"
            "10");
  EXPECT_EQ(big.exponent, "10");
}

TEST(Axis, LogTicksAreFewAndInside) {
  for (const double low : {1e-299, 1e-7, 0.3, 1.1, 42.0}) {
    for (const double ratio : {1.3, 3.0, 9.0, 70.0, 1e5, 1e20, 1e290}) {
      const Span span{low, low * ratio};
      for (std::size_t count = 3; count <= 10; ++count) {
        const std::vector<Tick> ticks = log_ticks(span, count);
        ASSERT_LE(ticks.size(), count) << low << " " << ratio;
        ASSERT_GE(ticks.size(), 1u) << low << " " << ratio << " " << count;
        for (const Tick& t : ticks) {
          EXPECT_GE(t.value, span.low * (1 - 1e-3));
          EXPECT_LE(t.value, span.high * (1 + 1e-3));
        }
      }
    }
  }
}

// Labels of the same width need the same room: no two ticks are closer than a part of max_count
// + 1.
TEST(Axis, LogTicksBelowADecadeStandApart) {
  const Span span{620, 4900};
  for (std::size_t count = 4; count <= 10; ++count) {
    const std::vector<Tick> ticks = log_ticks(span, count);
    ASSERT_GE(ticks.size(), 2u);
    for (std::size_t i = 1; i < ticks.size(); ++i) {
      const double part = std::log(ticks[i].value / ticks[i - 1].value) / std::log(4900.0 / 620);
      EXPECT_GE(part, 1 / static_cast<double>(count + 1) - 1e-12);
    }
  }
}

TEST(Axis, LogLabelsAreAllInFullOrAllPowers) {
  const std::vector<Tick> full = log_ticks({1, 1000}, 5);
  EXPECT_EQ(full.back().text, "1,000");
  const std::vector<Tick> powers = log_ticks({100, 1e8}, 8);
  ASSERT_EQ(powers.size(), 7u);  // 1e2 to 1e8
  for (const Tick& t : powers) EXPECT_FALSE(t.exponent.empty()) << t.text;
}

TEST(Axis, SpansAreNeverEmptyAndHoldTheData) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  for (const Scale scale : {Scale::kLinear, Scale::kLog10}) {
    for (const double a : {0.0, -3.0, 5.0, 1e-300, 1e300, kNan}) {
      for (const double b : {0.0, 5.0, 5.0 + 1e-15, -1e300, kNan}) {
        Extent extent(scale);
        extent.add(std::vector<double>{a, b});
        for (const bool from_zero : {false, true}) {
          const Span span = axis_span({.scale = scale, .from_zero = from_zero}, extent.span());
          EXPECT_LT(span.low, span.high) << a << " " << b;
          if (scale == Scale::kLog10) {
            EXPECT_GT(span.low, 0);
          }
          if (!extent.span()) continue;
          EXPECT_LE(span.low, extent.span()->low);
          EXPECT_GE(span.high, extent.span()->high);
        }
      }
    }
  }
}

TEST(Axis, ZeroIsShownWhereAskedFor) {
  const Span span = axis_span({.from_zero = true}, Span{3, 8});
  EXPECT_EQ(span.low, 0);
  EXPECT_EQ(axis_span({.from_zero = true}, Span{-8, -3}).high, 0);
}

TEST(Axis, MapPutsTheEndsOnTheEndsAndKeepsFarNumbersNear) {
  const AxisMap linear(Scale::kLinear, {2, 4}, 100, 300);
  EXPECT_DOUBLE_EQ(linear(2), 100);
  EXPECT_DOUBLE_EQ(linear(3), 200);
  EXPECT_LT(std::abs(linear(1e300)), 2000);
  const AxisMap log(Scale::kLog10, {1, 100}, 0, 100);
  EXPECT_DOUBLE_EQ(log(10), 50);
  EXPECT_FALSE(log.shows(0));
  EXPECT_FALSE(log.shows(std::numeric_limits<double>::quiet_NaN()));
}

}  // namespace
}  // namespace duets::report
