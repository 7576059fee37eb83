// Arithmetic inside the determinism boundary: the same bits on every machine.
//
// Only + - * / sqrt (which IEEE 754 rounds correctly), polynomials in a fixed order and bit
// operations. No libm, no fused multiply-add, no reassociation. The vectorised forms work across
// elements, never inside one, so the number of lanes cannot matter.
#pragma once

#include <span>

namespace duets::numeric {

/// e^x. Error at most 1.2 ulp for x in [-600, 709.782712893384]; 0 for x < -600 (so that products
/// with it stay normal numbers); +infinity for x > 709.782712893384; NaN for NaN; exactly 1 for 0.
double strict_exp(double x);

/// Natural logarithm. Error at most 0.6 ulp for every positive finite x, subnormal ones included;
/// exactly 0 for 1; -infinity for 0; NaN for negative x and NaN; +infinity for +infinity.
double strict_log(double x);

struct SinCos {
  double sin;
  double cos;
};

/// sin(pi x) and cos(pi x). Error at most 1 ulp of the result for |x| <= 2^31 (1e-300 absolute
/// where |x| < 2^-900); exact at multiples of 1/2, where every zero is +0; NaN beyond 2^31 and for
/// NaN or infinities.
SinCos strict_sincospi(double x);

/// ((0 + a[0]*b[0]) + a[1]*b[1]) + ..., rounded after every operation, in index order. Throws
/// kInvalid when the sizes differ.
double strict_dot(std::span<const double> a, std::span<const double> b);

/// out[i] = strict_exp(x[i]), the same bits, vectorised. `out` may be `x`. Throws kInvalid when the
/// sizes differ.
void strict_exp(std::span<const double> x, std::span<double> out);

}  // namespace duets::numeric
