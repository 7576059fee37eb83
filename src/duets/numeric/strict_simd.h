// The implementations behind strict.h, written once for a single double and for a pack of lanes.
//
// Internal to the numeric and kernel modules. A pack is a GCC/clang vector type: every operation on
// it is the scalar operation lane by lane, so the lane count cannot change a bit.
// DUETS_VECTOR_BYTES (16, 32 or 64) only chooses how many lanes travel together.
#pragma once

#include <bit>
#include <cfloat>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#ifdef __FAST_MATH__
#error "strict arithmetic does not survive -ffast-math"
#endif
// The other requirement, -ffp-contract=off, is set for every target in cmake/compiler.cmake: no
// macro lets a header check it.
static_assert(FLT_EVAL_METHOD == 0, "strict arithmetic needs binary64 operations, not wider ones");
static_assert(std::numeric_limits<double>::is_iec559 && sizeof(double) == 8);

#ifndef DUETS_VECTOR_BYTES
#if defined(__AVX512F__)
#define DUETS_VECTOR_BYTES 64
#elif defined(__AVX2__)
#define DUETS_VECTOR_BYTES 32
#else
#define DUETS_VECTOR_BYTES 16
#endif
#endif
static_assert(DUETS_VECTOR_BYTES == 16 || DUETS_VECTOR_BYTES == 32 || DUETS_VECTOR_BYTES == 64);

namespace duets::numeric::simd {

using Pack [[gnu::vector_size(DUETS_VECTOR_BYTES)]] = double;
using PackBits [[gnu::vector_size(DUETS_VECTOR_BYTES)]] = std::uint64_t;
inline constexpr std::size_t kLanes = sizeof(Pack) / sizeof(double);

inline PackBits to_bits(Pack v) { return std::bit_cast<PackBits>(v); }
inline Pack from_bits(PackBits b) { return std::bit_cast<Pack>(b); }
inline std::uint64_t to_bits(double v) { return std::bit_cast<std::uint64_t>(v); }
inline double from_bits(std::uint64_t b) { return std::bit_cast<double>(b); }

inline Pack load(const double* from) {
  Pack v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
inline void store(double* to, Pack v) { std::memcpy(to, &v, sizeof v); }

/// `c` in every lane.
template <class V>
inline V fill(double c) {
  return V{} + c;
}

/// Correctly rounded, lane by lane.
inline Pack square_root(Pack v) {
  Pack r;
  for (std::size_t lane = 0; lane < kLanes; ++lane) r[lane] = __builtin_sqrt(v[lane]);
  return r;
}
inline double square_root(double v) { return __builtin_sqrt(v); }

/// Adding and subtracting this rounds a number below 2^51 in magnitude to an integer, ties to even,
/// and leaves that integer, modulo 2^52, in the low bits of the sum.
inline constexpr double kRoundingShift = 0x1.8p52;

// ln 2 = high + low; high has 32 bits, so that n * high is exact for |n| < 2^21.
inline constexpr double kLn2High = 0x1.62e42ffp-1;
inline constexpr double kLn2Low = -0x1.718432a1b0e26p-35;
inline constexpr double kLog2E = 0x1.71547652b82fep+0;

// e^r = 1 + (r + r^2 q(r)) for |r| <= ln(2)/2: q is the minimax fit of degree 9 for the relative
// error of e^r, computed by tools/minimax.py and rounded to binary64; the error is 2^-56.3.
inline constexpr double kExpQ[10] = {
    0x1.000000000000ap-1,  0x1.55555555554fap-3,  0x1.555555555088cp-5,  0x1.1111111127b9ep-7,
    0x1.6c16c18426765p-10, 0x1.a01a012a68f86p-13, 0x1.a0199a16c661cp-16, 0x1.71df253bd594cp-19,
    0x1.28ad68bdb3a3fp-22, 0x1.ad7f78591017fp-26};

/// Below this, e^x is taken as 0 so that products with it stay normal numbers.
inline constexpr double kExpCut = -600.0;
/// Above this, e^x is not a finite double.
inline constexpr double kExpMax = 0x1.62e42fefa39efp+9;

/// The parts of exp: e^x = p * 2^n, and n in the low bits of `shifted`.
template <class V>
struct ExpParts {
  V p;
  V shifted;
};

template <class V>
inline ExpParts<V> exp_parts(V x) {
  const V shifted = x * kLog2E + kRoundingShift;
  const V n = shifted - kRoundingShift;
  const V r = (x - n * kLn2High) - n * kLn2Low;
  const V r2 = r * r;
  const V r4 = r2 * r2;
  const V r8 = r4 * r4;
  const V q01 = kExpQ[0] + kExpQ[1] * r;
  const V q23 = kExpQ[2] + kExpQ[3] * r;
  const V q45 = kExpQ[4] + kExpQ[5] * r;
  const V q67 = kExpQ[6] + kExpQ[7] * r;
  const V q89 = kExpQ[8] + kExpQ[9] * r;
  const V q = ((q01 + q23 * r2) + (q45 + q67 * r2) * r4) + q89 * r8;
  return {1.0 + (r + r2 * q), shifted};
}

/// e^x for x in [kExpCut, 0], the bits of strict_exp. NaN for NaN; meaningless elsewhere, so that
/// callers can apply the cut once, after all their products.
template <class V>
inline V exp_uncut(V x) {
  const ExpParts<V> e = exp_parts(x);
  return e.p * from_bits((to_bits(e.shifted) << 52) + (std::uint64_t{1023} << 52));
}

/// strict_exp for every x. 2 p * 2^(n-1), because 2^1024 is not a double; both products are exact.
template <class V>
inline V exp(V x) {
  const ExpParts<V> e = exp_parts(x);
  const V scale = from_bits((to_bits(e.shifted) << 52) + (std::uint64_t{1022} << 52));
  const V result = x < kExpCut ? V{} : (e.p + e.p) * scale;
  return x > kExpMax ? fill<V>(std::numeric_limits<double>::infinity()) : result;
}

}  // namespace duets::numeric::simd
