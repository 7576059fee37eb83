"""Strict arithmetic: docs/formats/strict.md. Vectors of points; every operation as on the page."""

import numpy as np

HEX = float.fromhex
SHIFT, LOG2E = HEX("0x1.8p52"), HEX("0x1.71547652b82fep+0")
L1, L2 = HEX("0x1.62e42ffp-1"), HEX("-0x1.718432a1b0e26p-35")
EXP_Q = [HEX(c) for c in """
    0x1.000000000000ap-1   0x1.55555555554fap-3   0x1.555555555088cp-5   0x1.1111111127b9ep-7
    0x1.6c16c18426765p-10  0x1.a01a012a68f86p-13  0x1.a0199a16c661cp-16  0x1.71df253bd594cp-19
    0x1.28ad68bdb3a3fp-22  0x1.ad7f78591017fp-26""".split()]
LOG_P = [HEX(c) for c in """
    0x1.5555555555592p-1  0x1.999999997fdb7p-2  0x1.24924941f12d3p-2  0x1.c71c520955b6cp-3
    0x1.74663eea11d49p-3  0x1.39a1ba8a051b9p-3  0x1.2f056569ece89p-3""".split()]
P1, P2 = HEX("0x1.921fb58p+1"), HEX("-0x1.dde973dcb3b3ap-26")
H1, H2 = HEX("0x1.3bd3cc8p+2"), HEX("0x1.be45de5a4adc5p-26")
SIN_S = [HEX(c) for c in """
    -0x1.4abbce625be47p+2  0x1.466bc67758d85p+1   -0x1.32d2cce3332dep-1
    0x1.5078301b625cbp-4   -0x1.e300a65a3059cp-8  0x1.e403d084d7aa8p-12""".split()]
COS_C = [HEX(c) for c in """
    0x1.03c1f081b5abcp+2   -0x1.55d3c7e3ca708p+0  0x1.e1f506852a28cp-3
    -0x1.a6d1edbcb7b8fp-6  0x1.f9cd2173e60bep-10  -0x1.b2a256c7ea486p-14""".split()]

SQUARED_EXPONENTIAL, MATERN12, MATERN32, MATERN52 = 0, 1, 2, 3
F = HEX("0x1.aaaaaaaaaaaabp+0")


def exp(x):
    x = np.asarray(x, float)
    small, large = x < -600.0, x > HEX("0x1.62e42fefa39efp+9")
    inside = np.where(small | large | np.isnan(x), 0.0, x)
    n = (inside * LOG2E + SHIFT) - SHIFT
    r = (inside - n * L1) - n * L2
    r2 = r * r
    r4 = r2 * r2
    r8 = r4 * r4
    p = [EXP_Q[2 * i] + EXP_Q[2 * i + 1] * r for i in range(5)]
    q = ((p[0] + p[1] * r2) + (p[2] + p[3] * r2) * r4) + p[4] * r8
    e = np.ldexp(1.0 + (r + r2 * q), n.astype(np.int32))
    return np.where(np.isnan(x), np.nan, np.where(small, 0.0, np.where(large, np.inf, e)))


def two_sum(a, b):
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


def split(v):
    high = ((v.view(np.uint64) >> np.uint64(27)) << np.uint64(27)).view(float)
    return high, v - high


def horner(c, z):
    value = c[-1]
    for k in reversed(c[:-1]):
        value = k + z * value
    return value


def log(x):
    x = np.asarray(x, float)
    good = (x > 0.0) & (x < np.inf)
    inside = np.where(good, x, 1.0)
    tiny = inside < 2.0**-1022
    inside = inside * np.where(tiny, 2.0**54, 1.0)
    root = np.int64(0x3FE6A09E667F3BCD)
    b = inside.view(np.int64) - root
    k = (b >> np.int64(52)).astype(float) - np.where(tiny, 54.0, 0.0)
    m = ((b & np.int64(2**52 - 1)) + root).view(float)
    f = m - 1.0
    d, d_low = two_sum(2.0, f)
    s = f / d
    (sh, sl), (dh, dl) = split(s), split(d)
    residual = (((f - sh * dh) - sh * dl) - sl * dh) - sl * dl
    s_low = (residual - s * d_low) / d
    z = s * s
    t = (s * z) * horner(LOG_P, z) + 2.0 * s_low
    a, a_low = two_sum(k * L1, 2.0 * s)
    value = a + (a_low + (t + k * L2))
    return np.where(good, value, np.where(x == 0.0, -np.inf, np.where(x == np.inf, np.inf, np.nan)))


def sincospi(x):
    x = np.asarray(x, float)
    good = np.abs(x) <= 2.0**31
    inside = np.where(good, x, 0.0)
    n = (2.0 * inside + SHIFT) - SHIFT
    r = np.asarray(inside - 0.5 * n)
    z = r * r
    rh, rl = split(r)
    sine = rh * P1 + (rl * P1 + (r * P2 + (r * z) * horner(SIN_S, z)))
    zh, zr = split(rh * rh)
    zl = zr + (r + rh) * rl
    u = zh * H1
    v = 1.0 - u
    lost = (1.0 - v) - u
    cosine = v + (lost + ((z * z) * horner(COS_C, z) - (zl * H1 + z * H2)))
    turn = n.astype(np.int64) % 4
    first = np.choose(turn, [sine, cosine, -sine, -cosine]) + 0.0
    second = np.choose(turn, [cosine, -sine, -cosine, sine]) + 0.0
    return np.where(good, first, np.nan), np.where(good, second, np.nan)


class Kernel:
    def __init__(self, family, scales, variance):
        self.family, self.scales, self.variance = family, tuple(float(s) for s in scales), float(variance)

    def __eq__(self, other):
        return (self.family, self.scales, self.variance) == (other.family, other.scales, other.variance)

    def per_axis(self, d):
        return np.array(self.scales if len(self.scales) > 1 else self.scales * d)

    def shapes(self, points, centers):
        """shape(point, center): a row for each point."""
        points, centers = np.asarray(points, float), np.asarray(centers, float)
        scales = self.per_axis(points.shape[1])
        x, c = points / scales, centers / scales
        r2 = np.zeros((len(x), len(c)))
        for k in range(points.shape[1]):
            diff = x[:, k, None] - c[None, :, k]
            r2 = r2 + diff * diff
        if self.family == SQUARED_EXPONENTIAL:
            exponent, factor = -0.5 * r2, 1.0
        elif self.family == MATERN12:
            exponent, factor = -np.sqrt(r2), 1.0
        elif self.family == MATERN32:
            a = np.sqrt(3.0 * r2)
            exponent, factor = -a, 1.0 + a
        else:
            a = np.sqrt(5.0 * r2)
            exponent, factor = -a, (1.0 + a) + F * r2
        with np.errstate(invalid="ignore", over="ignore"):
            return np.where(exponent < -600.0, 0.0, factor * exp(exponent))

    def weighted_sums(self, points, centers, weights):
        points = np.asarray(points, float)
        total = np.zeros(len(points))
        if len(weights) == 0 or len(points) == 0:
            return total
        block = max(1, 400_000 // len(weights))
        for begin in range(0, len(points), block):
            shape = self.shapes(points[begin:begin + block], centers)
            part = np.zeros(len(shape))
            for j, w in enumerate(weights):
                part = part + shape[:, j] * (self.variance * float(w))
            total[begin:begin + block] = part
        return total


def dot(a, b):
    total = 0.0
    for x, y in zip(a, b):
        total = total + float(x) * float(y)
    return total
