#include "duets/numeric/strict.h"

#include <gtest/gtest.h>
#include <mpfr.h>
#include <rapidcheck.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include "duets/base/error.h"

namespace duets::numeric {
namespace {

// The numbers that strict.h declares. Largest errors seen in 10^7 points: 1.07, 0.543, 0.79.
constexpr double kExpUlp = 1.2;
constexpr double kLogUlp = 0.6;
constexpr double kSinCosUlp = 1.0;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::uint64_t bits(double v) { return std::bit_cast<std::uint64_t>(v); }

/// A function in 300 bits; argument reduction of sin(pi x) up to 2^31 needs far fewer.
class Truth {
 public:
  using Body = std::function<void(mpfr_ptr)>;
  explicit Truth(Body body) : body_(std::move(body)) { mpfr_init2(value_, 300); }
  ~Truth() { mpfr_clear(value_); }
  Truth(const Truth&) = delete;
  Truth& operator=(const Truth&) = delete;

  /// |got - f(x)| in units of the last place of f(x), subnormal results measured in 2^-1074.
  double ulps(double x, double got) {
    mpfr_set_d(value_, x, MPFR_RNDN);
    body_(value_);
    if (mpfr_zero_p(value_)) return got == 0.0 ? 0.0 : kInf;
    const long exponent = std::max<long>(mpfr_get_exp(value_) - 53, -1074);
    mpfr_sub_d(value_, value_, got, MPFR_RNDN);
    mpfr_mul_2si(value_, value_, -exponent, MPFR_RNDN);
    return std::abs(mpfr_get_d(value_, MPFR_RNDN));
  }

 private:
  Body body_;
  mpfr_t value_;
};

Truth exp_truth() {
  return Truth([](mpfr_ptr v) { mpfr_exp(v, v, MPFR_RNDN); });
}
Truth log_truth() {
  return Truth([](mpfr_ptr v) { mpfr_log(v, v, MPFR_RNDN); });
}
void times_pi(mpfr_ptr v) {
  mpfr_t pi;
  mpfr_init2(pi, 400);
  mpfr_const_pi(pi, MPFR_RNDN);
  mpfr_mul(v, v, pi, MPFR_RNDN);
  mpfr_clear(pi);
}
Truth sinpi_truth() {
  return Truth([](mpfr_ptr v) { times_pi(v), mpfr_sin(v, v, MPFR_RNDN); });
}
Truth cospi_truth() {
  return Truth([](mpfr_ptr v) { times_pi(v), mpfr_cos(v, v, MPFR_RNDN); });
}

/// Uniform on [lo, hi], the same on every run.
std::vector<double> uniform(std::size_t count, double lo, double hi) {
  std::mt19937_64 engine(20240229);
  std::vector<double> values(count);
  for (double& v : values) {
    v = lo + (hi - lo) * (static_cast<double>(engine() >> 11) * 0x1p-53);
  }
  return values;
}

/// x and its nearest neighbours on both sides.
std::vector<double> around(double x) {
  return {std::nextafter(x, -kInf), x, std::nextafter(x, kInf)};
}

double worst(Truth& truth, const std::vector<double>& xs, const std::function<double(double)>& f) {
  double largest = 0.0;
  for (double x : xs) {
    const double error = truth.ulps(x, f(x));
    if (!(error <= largest)) largest = error;
  }
  return largest;
}

double exp_of(double x) { return strict_exp(x); }
double sin_of(double x) { return strict_sincospi(x).sin; }
double cos_of(double x) { return strict_sincospi(x).cos; }

TEST(StrictExp, StaysWithinItsBound) {
  Truth truth = exp_truth();
  EXPECT_LE(worst(truth, uniform(120000, -600.0, 709.78), exp_of), kExpUlp);
  EXPECT_LE(worst(truth, uniform(120000, -1.0, 1.0), exp_of), kExpUlp);
  // Both sides of every switch of n, where |r| is largest.
  for (int n = -865; n < 1024; ++n) {
    EXPECT_LE(worst(truth, around((n + 0.5) * 0x1.62e42fefa39efp-1), exp_of), kExpUlp) << n;
  }
  EXPECT_LE(worst(truth, {-600.0, 0x1.62e42fefa39efp+9, 0x1p-1074, -0x1p-60, 0x1p-30}, exp_of),
            kExpUlp);
}

TEST(StrictExp, SpecialValues) {
  EXPECT_EQ(strict_exp(0.0), 1.0);
  EXPECT_EQ(strict_exp(-0.0), 1.0);
  EXPECT_GT(strict_exp(-600.0), 0.0);
  for (double x : {std::nextafter(-600.0, -kInf), -745.0, -1e300, -kInf}) {
    EXPECT_EQ(bits(strict_exp(x)), bits(0.0)) << x;
  }
  EXPECT_LT(strict_exp(709.782712893384), kInf);
  for (double x : {std::nextafter(709.782712893384, kInf), 1e4, 1e300, kInf}) {
    EXPECT_EQ(strict_exp(x), kInf) << x;
  }
  // NaN with any payload: its low bits must not be taken for an exponent.
  for (std::uint64_t payload : {0x0ull, 0x1ull, 0x7ffull, 0xfffull, 0x400ull}) {
    EXPECT_TRUE(std::isnan(strict_exp(std::bit_cast<double>(0x7ff8000000000000 | payload))));
    EXPECT_TRUE(std::isnan(strict_exp(std::bit_cast<double>(0xfff8000000000000 | payload))));
  }
}

TEST(StrictExp, SpanGivesTheBitsOfTheScalarAtEveryLength) {
  const std::vector<double> special = {kNan, kInf, -kInf, 0.0, -601.0, 710.0, -600.0, 1e-320};
  const std::vector<double> pool = uniform(200, -650.0, 720.0);
  for (std::size_t length = 0; length <= 100; ++length) {
    std::vector<double> x(pool.begin() + static_cast<std::ptrdiff_t>(length),
                          pool.begin() + static_cast<std::ptrdiff_t>(2 * length));
    for (std::size_t i = 0; i < length; i += 3) x[i] = special[(i + length) % special.size()];
    std::vector<double> out(length, -1.0);
    strict_exp(x, out);
    for (std::size_t i = 0; i < length; ++i) {
      if (std::isnan(x[i])) {
        EXPECT_TRUE(std::isnan(out[i]));
      } else {
        EXPECT_EQ(bits(out[i]), bits(strict_exp(x[i]))) << x[i];
      }
    }
    std::vector<double> in_place = x;
    strict_exp(in_place, in_place);
    for (std::size_t i = 0; i < length; ++i) EXPECT_EQ(bits(in_place[i]), bits(out[i]));
  }
  std::vector<double> out(3);
  EXPECT_THROW(strict_exp(pool, out), base::Error);
}

TEST(StrictLog, StaysWithinItsBound) {
  Truth truth = log_truth();
  EXPECT_LE(worst(truth, uniform(100000, 0.0, 1.0), strict_log), kLogUlp);
  EXPECT_LE(worst(truth, uniform(100000, 0.5, 2.0), strict_log), kLogUlp);
  std::vector<double> wide = uniform(100000, -1074.0, 1024.0);
  for (double& x : wide) x = std::exp2(x);
  EXPECT_LE(worst(truth, wide, strict_log), kLogUlp);
  for (int k = 1; k <= 52; ++k) {
    EXPECT_LE(worst(truth, {1.0 + std::ldexp(1.0, -k), 1.0 - std::ldexp(1.0, -k - 1)}, strict_log),
              kLogUlp);
  }
  // Around the powers of two and the switches of the exponent, down to where subnormals are coarse.
  for (int k = -1070; k < 1024; ++k) {
    EXPECT_LE(worst(truth, around(std::ldexp(1.0, k)), strict_log), kLogUlp) << k;
    EXPECT_LE(worst(truth, around(std::ldexp(0x1.6a09e667f3bcdp-1, k)), strict_log), kLogUlp) << k;
  }
  EXPECT_LE(worst(truth, {0x1p-1074, 0x1p-1073, 0x1.fffffffffffffp1023}, strict_log), kLogUlp);
}

TEST(StrictLog, SpecialValues) {
  EXPECT_EQ(bits(strict_log(1.0)), bits(0.0));
  EXPECT_EQ(strict_log(0.0), -kInf);
  EXPECT_EQ(strict_log(-0.0), -kInf);
  EXPECT_EQ(strict_log(kInf), kInf);
  for (double x : {-1.0, -0x1p-1074, -kInf, kNan}) EXPECT_TRUE(std::isnan(strict_log(x))) << x;
}

TEST(StrictSinCosPi, StaysWithinItsBound) {
  Truth sine = sinpi_truth();
  Truth cosine = cospi_truth();
  std::vector<double> tiny = uniform(20000, -900.0, -2.0);
  for (double& x : tiny) x = std::exp2(x);
  for (const std::vector<double>& xs :
       {uniform(100000, -1.0, 1.0), uniform(60000, -0x1p31, 0x1p31), uniform(20000, -1e3, 1e3),
        tiny, std::vector<double>{0x1p31 - 0.25, 0.25 - 0x1p31, 0.25, -0.25}}) {
    EXPECT_LE(worst(sine, xs, sin_of), kSinCosUlp);
    EXPECT_LE(worst(cosine, xs, cos_of), kSinCosUlp);
  }
  for (int quarter = -64; quarter <= 64; ++quarter) {
    // MPFR's sin(pi k) is not 0, because its pi is not pi; exact points have their own test.
    if (quarter % 2 == 0) continue;
    EXPECT_LE(worst(sine, around(quarter * 0.25), sin_of), kSinCosUlp);
    EXPECT_LE(worst(cosine, around(quarter * 0.25), cos_of), kSinCosUlp);
  }
}

TEST(StrictSinCosPi, ExactAtMultiplesOfOneHalf) {
  const double cycle[4][2] = {{0.0, 1.0}, {1.0, 0.0}, {0.0, -1.0}, {-1.0, 0.0}};
  for (std::int64_t base : {std::int64_t{0}, std::int64_t{-40}, (std::int64_t{1} << 32) - 40}) {
    for (std::int64_t n = base; n <= base + 40; ++n) {
      const SinCos value = strict_sincospi(static_cast<double>(n) * 0.5);
      EXPECT_EQ(bits(value.sin), bits(cycle[n & 3][0])) << n;
      EXPECT_EQ(bits(value.cos), bits(cycle[n & 3][1])) << n;
    }
  }
  for (double x : {kNan, kInf, -kInf, std::nextafter(0x1p31, kInf), -1e300}) {
    EXPECT_TRUE(std::isnan(strict_sincospi(x).sin)) << x;
    EXPECT_TRUE(std::isnan(strict_sincospi(x).cos)) << x;
  }
}

TEST(StrictSinCosPi, SymmetriesAreExact) {
  EXPECT_TRUE(rc::check("odd sine, even cosine, period 2", [] {
    const double x = *rc::gen::inRange(-(1 << 30), 1 << 30) * 0x1p-20;
    const SinCos here = strict_sincospi(x);
    const SinCos mirrored = strict_sincospi(-x);
    const SinCos next = strict_sincospi(x + 2.0);
    RC_ASSERT(mirrored.sin == -here.sin && mirrored.cos == here.cos);
    RC_ASSERT(next.sin == here.sin && next.cos == here.cos);
  }));
}

TEST(StrictDot, AddsInIndexOrderAndRoundsEveryOperation) {
  EXPECT_EQ(strict_dot({}, {}), 0.0);
  // Exact: small integers.
  const std::vector<double> a = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  EXPECT_EQ(strict_dot(a, a), 285.0);
  // 1 is lost beside 2^53 in this order; a sum in lanes would keep it.
  const std::vector<double> big = {0x1p53, 1.0, -0x1p53, 1.0};
  EXPECT_EQ(strict_dot(big, std::vector<double>(4, 1.0)), 1.0);
  // A fused multiply-add would leave -2^-104 instead of 0.
  const double u = 1.0 + 0x1p-52;
  const double v = 1.0 - 0x1p-52;
  EXPECT_EQ(strict_dot(std::vector<double>{1.0, -u}, std::vector<double>{1.0, v}), 0.0);
  EXPECT_THROW(strict_dot(a, big), base::Error);
}

}  // namespace
}  // namespace duets::numeric
