#!/usr/bin/env python3
"""A second implementation of docs/formats/strict.md, and the maker of tests/golden/strict.kat.

Nothing but binary64 + - * / and sqrt, so CPython gives the bits that the C++ must give. Run
    python3 tests/golden/strict_reference.py > tests/golden/strict.kat
only when the definition itself changes: every study ever recorded depends on these bits.
"""

import math
import struct

HEX = float.fromhex


def bits(x):
    return struct.unpack("<Q", struct.pack("<d", x))[0]


def from_bits(b):
    return struct.unpack("<d", struct.pack("<Q", b & (2**64 - 1)))[0]


SHIFT = HEX("0x1.8p52")
LN2_HIGH = HEX("0x1.62e42ffp-1")
LN2_LOW = HEX("-0x1.718432a1b0e26p-35")
LOG2E = HEX("0x1.71547652b82fep+0")
EXP_Q = [HEX(c) for c in (
    "0x1.000000000000ap-1 0x1.55555555554fap-3 0x1.555555555088cp-5 0x1.1111111127b9ep-7 "
    "0x1.6c16c18426765p-10 0x1.a01a012a68f86p-13 0x1.a0199a16c661cp-16 0x1.71df253bd594cp-19 "
    "0x1.28ad68bdb3a3fp-22 0x1.ad7f78591017fp-26").split()]
LOG_P = [HEX(c) for c in (
    "0x1.5555555555592p-1 0x1.999999997fdb7p-2 0x1.24924941f12d3p-2 0x1.c71c520955b6cp-3 "
    "0x1.74663eea11d49p-3 0x1.39a1ba8a051b9p-3 0x1.2f056569ece89p-3").split()]
SIN_S = [HEX(c) for c in (
    "-0x1.4abbce625be47p+2 0x1.466bc67758d85p+1 -0x1.32d2cce3332dep-1 0x1.5078301b625cbp-4 "
    "-0x1.e300a65a3059cp-8 0x1.e403d084d7aa8p-12").split()]
COS_C = [HEX(c) for c in (
    "0x1.03c1f081b5abcp+2 -0x1.55d3c7e3ca708p+0 0x1.e1f506852a28cp-3 -0x1.a6d1edbcb7b8fp-6 "
    "0x1.f9cd2173e60bep-10 -0x1.b2a256c7ea486p-14").split()]
PI_HIGH, PI_LOW = HEX("0x1.921fb58p+1"), HEX("-0x1.dde973dcb3b3ap-26")
HALF_PI2_HIGH, HALF_PI2_LOW = HEX("0x1.3bd3cc8p+2"), HEX("0x1.be45de5a4adc5p-26")


def exp(x):
    if x != x:
        return math.nan
    if x < -600.0:
        return 0.0
    if x > HEX("0x1.62e42fefa39efp+9"):
        return math.inf
    n = (x * LOG2E + SHIFT) - SHIFT
    r = (x - n * LN2_HIGH) - n * LN2_LOW
    r2 = r * r
    r4 = r2 * r2
    r8 = r4 * r4
    pair = [EXP_Q[2 * i] + EXP_Q[2 * i + 1] * r for i in range(5)]
    q = ((pair[0] + pair[1] * r2) + (pair[2] + pair[3] * r2) * r4) + pair[4] * r8
    return math.ldexp(1.0 + (r + r2 * q), int(n))


def two_sum(a, b):
    s = a + b
    seen = s - a
    return s, (a - (s - seen)) + (b - seen)


def split(v):
    high = from_bits(bits(v) >> 27 << 27)
    return high, v - high


def horner(c, z):
    value = c[-1]
    for k in reversed(c[:-1]):
        value = k + value * z
    return value


def log(x):
    if not x > 0.0:
        return -math.inf if x == 0.0 else math.nan
    if x == math.inf:
        return x
    tiny = x < HEX("0x1p-1022")
    root_half = 0x3FE6A09E667F3BCD
    b = bits(x * HEX("0x1p54") if tiny else x) - root_half
    k = float((b >> 52) - (54 if tiny else 0))
    m = from_bits((b & (2**52 - 1)) + root_half)
    f = m - 1.0
    d, d_low = two_sum(2.0, f)
    s = f / d
    s_high, s_rest = split(s)
    d_high, d_rest = split(d)
    residual = (((f - s_high * d_high) - s_high * d_rest) - s_rest * d_high) - s_rest * d_rest
    s_low = (residual - s * d_low) / d
    z = s * s
    tail = (s * z) * horner(LOG_P, z) + 2.0 * s_low
    lead, lead_low = two_sum(k * LN2_HIGH, 2.0 * s)
    return lead + (lead_low + (tail + k * LN2_LOW))


def sincospi(x):
    if not abs(x) <= HEX("0x1p31"):
        return math.nan, math.nan
    n = (2.0 * x + SHIFT) - SHIFT
    r = x - 0.5 * n
    z = r * r
    high, low = split(r)
    s = high * PI_HIGH + (low * PI_HIGH + (r * PI_LOW + (r * z) * horner(SIN_S, z)))
    z_high, z_rest = split(high * high)
    z_low = z_rest + (r + high) * low
    exact = z_high * HALF_PI2_HIGH
    lead = 1.0 - exact
    lost = (1.0 - lead) - exact
    rest = (z * z) * horner(COS_C, z) - (z_low * HALF_PI2_HIGH + z * HALF_PI2_LOW)
    c = lead + (lost + rest)
    turned = [(s, c), (c, -s), (-s, -c), (-c, s)][int(n) % 4]
    return turned[0] + 0.0, turned[1] + 0.0


def shape(family, r2):
    if family == 0:
        return exp(-0.5 * r2)
    a = math.sqrt([0.0, r2, 3.0 * r2, 5.0 * r2][family])
    if -a < -600.0:
        return 0.0
    if family == 1:
        return exp(-a)
    factor = 1.0 + a if family == 2 else (1.0 + a) + (5.0 / 3.0) * r2
    return factor * exp(-a)


def kernel_shape(family, lengthscales, x, c):
    r2 = 0.0
    for scale, u, v in zip(lengthscales, x, c):
        diff = u / scale - v / scale
        r2 = r2 + diff * diff
    return shape(family, r2)


def weighted_sum(family, variance, lengthscales, x, centers, weights):
    total = 0.0
    for c, w in zip(centers, weights):
        total = total + kernel_shape(family, lengthscales, x, c) * (variance * w)
    return total


class Inputs:
    """Multiples of the golden ratio modulo 1: numbers with nothing up the sleeve."""

    def __init__(self):
        self.state = 0

    def unit(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) % 2**64
        return (self.state >> 11) * 2.0**-53

    def within(self, lo, hi):
        return lo + (hi - lo) * self.unit()


HEADER = """\
# Known answers of the strict arithmetic (docs/formats/strict.md), one a line, numbers as C99
# hexadecimal floating point. An implementation is right when it gives exactly these bits (any NaN
# for nan). Made by tests/golden/strict_reference.py, an implementation that shares no code with the library.
#
#   exp x e^x
#   log x ln(x)
#   sincospi x sin(pi*x) cos(pi*x)
#   kernel family d variance | l_1..l_d | x_1..x_d | c_1..c_d | k(x, c)
#   sum family d m variance | l_1..l_d | x_1..x_d | c_11..c_1d .. c_m1..c_md | w_1..w_m | sum
#   fold function count lo hi hash
# A fold covers the last bits of the coefficients, which single answers rarely show: the 64-bit
# FNV-1a hash of the little-endian bytes of f(x_1) .. f(x_count), x_i = lo + (hi - lo)*u_i,
# u_i = ((i * 0x9e3779b97f4a7c15 mod 2^64) >> 11) * 2^-53; function is exp, log, sinpi or cospi.
# family: 0 squared-exponential, 1 matern-1/2, 2 matern-3/2, 3 matern-5/2\
"""


def emit(*fields):
    groups = []
    for field in fields:
        items = field if isinstance(field, list) else [field]
        groups.append(" ".join(i.hex() if isinstance(i, float) else str(i) for i in items))
    print(" ".join(groups))


def emit_functions(inputs):
    edges = [0.0, -0.0, 1.0, -1.0, 2.0**-60, -600.0, -600.0000000000001, 709.782712893384,
             709.7827128933841, 1e300, -1e300, math.inf, -math.inf, math.nan, 5e-324]
    for x in edges + [inputs.within(-600, 709) for _ in range(24)] + [
            inputs.within(-2, 2) for _ in range(24)]:
        emit("exp", x, exp(x))
    edges = [0.0, -0.0, 1.0, 2.0, 0.5, -1.0, 5e-324, 2.0**-1022, 1.7976931348623157e308, math.inf,
             math.nan, 1.0 + 2.0**-52, 1.0 - 2.0**-53, from_bits(0x3FE6A09E667F3BCD),
             from_bits(0x3FE6A09E667F3BCC)]
    for x in edges + [inputs.within(0, 1) for _ in range(24)] + [
            math.ldexp(inputs.within(1, 2), i) for i in range(-1021, 1024, 85)]:
        emit("log", x, log(x))
    edges = [0.0, -0.0, 0.25, -0.25, 0.5, 0.75, 1.0, 1.5, -0.5, 2.0**31, -(2.0**31), 2.0**31 + 1,
             2.0**31 - 0.25, math.inf, math.nan, 1e-300]
    for x in edges + [inputs.within(-2, 2) for _ in range(32)] + [
            inputs.within(-1e9, 1e9) for _ in range(8)]:
        emit("sincospi", x, *sincospi(x))


def emit_kernels(inputs):
    for family in range(4):
        for d in (1, 2, 3, 10):
            for spread in (0.1, 1.0, 30.0):
                variance = inputs.within(0.5, 2)
                scales = [inputs.within(0.2, 2) for _ in range(d)]
                x = [inputs.within(-spread, spread) for _ in range(d)]
                c = [inputs.within(-spread, spread) for _ in range(d)]
                value = variance * kernel_shape(family, scales, x, c)
                emit("kernel", [family, d], variance, "|", scales, "|", x, "|", c, "|", value)
    for family in range(4):
        for d, m in ((1, 1), (2, 5), (3, 40)):
            variance = inputs.within(0.5, 2)
            scales = [inputs.within(0.2, 2) for _ in range(d)]
            x = [inputs.unit() for _ in range(d)]
            centers = [[inputs.unit() for _ in range(d)] for _ in range(m)]
            weights = [inputs.within(-10, 10) for _ in range(m)]
            value = weighted_sum(family, variance, scales, x, centers, weights)
            emit("sum", [family, d, m], variance, "|", scales, "|", x, "|",
                 [u for c in centers for u in c], "|", weights, "|", value)


def emit_folds():
    functions = {"exp": exp, "log": log, "sinpi": lambda x: sincospi(x)[0],
                 "cospi": lambda x: sincospi(x)[1]}
    for name, lo, hi in (("exp", -2.0, 2.0), ("exp", -600.0, 700.0), ("log", 0.0, 1.0),
                         ("log", 0.5, 4.0), ("sinpi", -1.0, 1.0), ("cospi", -1.0, 1.0)):
        inputs = Inputs()
        value = 0xCBF29CE484222325
        for _ in range(20000):
            for byte in struct.pack("<d", functions[name](inputs.within(lo, hi))):
                value = ((value ^ byte) * 0x100000001B3) % 2**64
        emit("fold", name, "20000", lo, hi, f"{value:016x}")


def main():
    inputs = Inputs()
    print(HEADER)
    emit_functions(inputs)
    emit_kernels(inputs)
    emit_folds()


if __name__ == "__main__":
    main()
