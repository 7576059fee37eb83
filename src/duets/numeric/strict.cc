#include "duets/numeric/strict.h"

#include <cmath>
#include <string>

#include "duets/base/error.h"
#include "duets/numeric/strict_simd.h"

namespace duets::numeric {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// A number as the unevaluated sum of two.
struct Pair {
  double high;
  double low;
};

/// a + b exactly (Knuth), for any a and b.
Pair two_sum(double a, double b) {
  const double sum = a + b;
  const double b_seen = sum - a;
  return {sum, (a - (sum - b_seen)) + (b - b_seen)};
}

/// v = high + low exactly; high keeps the leading 26 bits, low fits in 27.
Pair split(double v) {
  const double high = simd::from_bits(simd::to_bits(v) & ~((std::uint64_t{1} << 27) - 1));
  return {high, v - high};
}

// log((1 + s) / (1 - s)) = 2 s + s^3 p(s^2) for |s| <= 0.1716: minimax of degree 6 in s^2 for the
// relative error of the logarithm, by tools/minimax.py, rounded to binary64; the error is 2^-59.
constexpr double kLogP[7] = {0x1.5555555555592p-1, 0x1.999999997fdb7p-2, 0x1.24924941f12d3p-2,
                             0x1.c71c520955b6cp-3, 0x1.74663eea11d49p-3, 0x1.39a1ba8a051b9p-3,
                             0x1.2f056569ece89p-3};

// sin(pi r) = pi r + r^3 s(r^2) and cos(pi r) = 1 - (pi^2/2) r^2 + r^4 c(r^2) for |r| <= 1/4: both
// of degree 5 in r^2, same provenance; errors 2^-56.6 relative and 2^-59.4 absolute.
constexpr double kSinS[6] = {-0x1.4abbce625be47p+2, 0x1.466bc67758d85p+1,  -0x1.32d2cce3332dep-1,
                             0x1.5078301b625cbp-4,  -0x1.e300a65a3059cp-8, 0x1.e403d084d7aa8p-12};
constexpr double kCosC[6] = {0x1.03c1f081b5abcp+2,  -0x1.55d3c7e3ca708p+0, 0x1.e1f506852a28cp-3,
                             -0x1.a6d1edbcb7b8fp-6, 0x1.f9cd2173e60bep-10, -0x1.b2a256c7ea486p-14};
// pi and pi^2/2, each as 26 leading bits and the rest.
constexpr Pair kPi{0x1.921fb58p+1, -0x1.dde973dcb3b3ap-26};
constexpr Pair kHalfPiSquared{0x1.3bd3cc8p+2, 0x1.be45de5a4adc5p-26};

/// c[0] + c[1] z + ..., by Horner.
template <std::size_t N>
double polynomial(const double (&c)[N], double z) {
  double value = c[N - 1];
  for (std::size_t k = N - 1; k-- > 0;) value = c[k] + value * z;
  return value;
}

/// f / (2 + f) to about twice the precision of a double; the product s * d needs splitting because
/// nothing here may be fused.
Pair half_angle(double f) {
  const Pair d = two_sum(2.0, f);
  const double s = f / d.high;
  const Pair sp = split(s);
  const Pair dp = split(d.high);
  const double residual =
      (((f - sp.high * dp.high) - sp.high * dp.low) - sp.low * dp.high) - sp.low * dp.low;
  return {s, (residual - s * d.low) / d.high};
}

/// sin(pi r), |r| <= 1/4. The leading product is exact, so only a tenth of the value is rounded
/// twice.
double sin_reduced(double r) {
  const double z = r * r;
  const Pair parts = split(r);
  const double rest = parts.low * kPi.high + (r * kPi.low + (r * z) * polynomial(kSinS, z));
  return parts.high * kPi.high + rest;
}

/// cos(pi r), |r| <= 1/4. Same idea; `lost` is what 1 - exact rounds away.
double cos_reduced(double r) {
  const double z = r * r;
  const Pair rp = split(r);
  // z_high + z_low = r^2 to well below an ulp: the square of the leading half is exact.
  const double square = rp.high * rp.high;
  const Pair zp = split(square);
  const double z_low = zp.low + (r + rp.high) * rp.low;
  const double exact = zp.high * kHalfPiSquared.high;
  const double lead = 1.0 - exact;
  const double lost = (1.0 - lead) - exact;
  const double rest =
      (z * z) * polynomial(kCosC, z) - (z_low * kHalfPiSquared.high + z * kHalfPiSquared.low);
  return lead + (lost + rest);
}

}  // namespace

double strict_exp(double x) { return simd::exp(x); }

void strict_exp(std::span<const double> x, std::span<double> out) {
  base::require(x.size() == out.size(), "out.size", std::to_string(out.size()),
                "must be the size of x, " + std::to_string(x.size()));
  std::size_t i = 0;
  for (; i + simd::kLanes <= x.size(); i += simd::kLanes) {
    simd::store(&out[i], simd::exp(simd::load(&x[i])));
  }
  for (; i < x.size(); ++i) out[i] = simd::exp(x[i]);
}

double strict_log(double x) {
  if (!(x > 0.0)) return x == 0.0 ? -kInfinity : kNan;
  if (x == kInfinity) return x;
  const bool tiny = x < std::numeric_limits<double>::min();
  const double scaled = tiny ? x * 0x1p54 : x;
  // x = 2^k m with m in [sqrt(1/2), sqrt(2)): moving the bits of sqrt(1/2) to 1.0 makes k an
  // exponent field.
  constexpr std::uint64_t kRootHalf = 0x3fe6a09e667f3bcd;
  const std::uint64_t bits = simd::to_bits(scaled) - kRootHalf;
  const auto exponent = static_cast<std::int64_t>(bits) >> 52;
  const double m = simd::from_bits((bits & ((std::uint64_t{1} << 52) - 1)) + kRootHalf);
  const double k = static_cast<double>(exponent - (tiny ? 54 : 0));

  const Pair s = half_angle(m - 1.0);
  const double z = s.high * s.high;
  const double tail = (s.high * z) * polynomial(kLogP, z) + 2.0 * s.low;
  const Pair lead = two_sum(k * simd::kLn2High, 2.0 * s.high);
  return lead.high + (lead.low + (tail + k * simd::kLn2Low));
}

SinCos strict_sincospi(double x) {
  if (!(std::abs(x) <= 0x1p31)) return {kNan, kNan};
  // x = n/2 + r with r in [-1/4, 1/4], both exact.
  const double shifted = 2.0 * x + simd::kRoundingShift;
  const double r = x - 0.5 * (shifted - simd::kRoundingShift);
  const double s = sin_reduced(r);
  const double c = cos_reduced(r);
  const unsigned quadrant = static_cast<unsigned>(simd::to_bits(shifted) & 3);
  const SinCos turned = quadrant == 0   ? SinCos{s, c}
                        : quadrant == 1 ? SinCos{c, -s}
                        : quadrant == 2 ? SinCos{-s, -c}
                                        : SinCos{-c, s};
  // Every zero is +0, whichever quadrant made it.
  return {turned.sin + 0.0, turned.cos + 0.0};
}

double strict_dot(std::span<const double> a, std::span<const double> b) {
  base::require(a.size() == b.size(), "b.size", std::to_string(b.size()),
                "must be the size of a, " + std::to_string(a.size()));
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum = sum + a[i] * b[i];
  return sum;
}

}  // namespace duets::numeric
