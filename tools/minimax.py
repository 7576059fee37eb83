#!/usr/bin/env python3
"""Derives the polynomial coefficients of numeric/strict: weighted minimax fits by Remez exchange.

Needs mpmath. Prints, for every function, the coefficients rounded to binary64 as C++ hexadecimal
floats, lowest degree first, and the largest weighted error of the *rounded* polynomial. Run it
again after a change of degree or interval and paste the result into strict_simd.h or
strict.cc.
"""

import mpmath as mp

mp.mp.prec = 200


def remez(f, weight, degree, lo, hi, iterations=12, grid=4000):
    """Polynomial p of `degree` that minimises max |weight * (f - p)| over [lo, hi]."""
    lo, hi = mp.mpf(lo), mp.mpf(hi)
    n = degree + 2
    at = lambda t: (lo + hi) / 2 + (hi - lo) / 2 * mp.cos(mp.pi * (1 - t))
    points = [at((mp.mpf(i) + mp.mpf("0.5")) / n) for i in range(n)]
    samples = [at(mp.mpf(i) / grid) for i in range(grid + 1)]
    values = [(x, f(x), weight(x)) for x in samples]
    for _ in range(iterations):
        a = mp.matrix(n, n)
        b = mp.matrix(n, 1)
        for i, x in enumerate(points):
            w = weight(x)
            for k in range(degree + 1):
                a[i, k] = w * x**k
            a[i, degree + 1] = (-1) ** i
            b[i] = w * f(x)
        coefficients = list(mp.lu_solve(a, b))[: degree + 1]
        errors = [(x, w * (fx - mp.polyval(coefficients[::-1], x))) for x, fx, w in values]
        points = extrema(errors, n)
    return coefficients


def extrema(errors, n):
    """The largest point of each run of equal sign, trimmed to n alternating ones."""
    best = []
    for x, e in errors:
        if e == 0:
            continue
        if best and (best[-1][1] > 0) == (e > 0):
            if abs(e) > abs(best[-1][1]):
                best[-1] = (x, e)
        else:
            best.append((x, e))
    while len(best) > n:
        best.pop(0 if abs(best[0][1]) < abs(best[-1][1]) else -1)
    if len(best) < n:
        raise RuntimeError("the error does not alternate often enough: use a finer grid")
    return [x for x, _ in best]


def report(name, f, weight, degree, lo, hi):
    """Fits f and prints the coefficients rounded to binary64."""
    rounded = [float(c) for c in remez(f, weight, degree, lo, hi)]
    worst = mp.mpf(0)
    for i in range(2001):
        x = mp.mpf(lo) + (mp.mpf(hi) - mp.mpf(lo)) * (mp.mpf(i) + mp.mpf("0.25")) / 2001
        worst = max(worst, abs(weight(x) * (f(x) - mp.polyval(rounded[::-1], x))))
    print(f"{name}: degree {degree}, largest weighted error 2^{mp.nstr(mp.log(worst, 2), 5)}")
    for c in rounded:
        print(f"    {c.hex()},")


def split(name, value, bits):
    """value = high + low, high with `bits` significant bits."""
    scale = mp.mpf(2) ** (bits - 1 - int(mp.floor(mp.log(value, 2))))
    high = mp.nint(value * scale) / scale
    low = value - high
    print(f"{name}: {bits} bits {float(high).hex()}, then {float(low).hex()}")


def main():
    # e^r = 1 + (r + r^2 q(r)); the weight makes it the relative error of e^r.
    half = mp.log(2) / 2 * (1 + mp.mpf(2) ** -20)
    report("exp q", lambda r: (mp.expm1(r) - r) / r**2, lambda r: r**2 / mp.exp(r), 9, -half, half)
    # log((1+s)/(1-s)) = 2 s + s^3 p(s^2), z = s^2; weight: relative error of the logarithm.
    smax = (mp.sqrt(2) - 1) / (mp.sqrt(2) + 1)
    zmax = smax**2 * (1 + mp.mpf(2) ** -20)
    report("log p", lambda z: (2 * mp.atanh(mp.sqrt(z)) - 2 * mp.sqrt(z)) / mp.sqrt(z) ** 3,
           lambda z: z / 2, 6, mp.mpf(2) ** -60, zmax)
    # sin(pi r) = pi r + r^3 s(r^2), cos(pi r) = 1 - (pi^2/2) r^2 + r^4 c(r^2), |r| <= 1/4.
    tiny, top = mp.mpf(2) ** -40, mp.mpf(1) / 16
    sinpi = lambda z: mp.sin(mp.pi * mp.sqrt(z))
    report("sin s", lambda z: (sinpi(z) / mp.sqrt(z) - mp.pi) / z,
           lambda z: z / mp.pi, 5, tiny, top)
    report("cos c", lambda z: (mp.cos(mp.pi * mp.sqrt(z)) - 1 + mp.pi**2 / 2 * z) / z**2,
           lambda z: z**2, 5, tiny, top)
    split("ln 2", mp.log(2), 32)
    split("pi", mp.pi, 26)
    split("pi^2/2", mp.pi**2 / 2, 26)
    print("log2 e:", float(1 / mp.log(2)).hex())


if __name__ == "__main__":
    main()
