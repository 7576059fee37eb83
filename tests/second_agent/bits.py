"""Codes of messages: "Bits of messages" and "Numbers" of docs/formats/messages.md."""

import math
import struct


class Wrong(Exception):
    """A message that no encoder writes."""


class Writer:
    def __init__(self):
        self.out = []

    def bits(self, value, n):
        assert 0 <= value < 1 << n
        self.out.extend(value >> i & 1 for i in range(n))

    def flag(self, value):
        self.out.append(1 if value else 0)

    def count(self, v, k):
        h = (v >> k) + 1
        q = h.bit_length() - 1
        self.out.extend([1] * q + [0])
        self.bits(h & ((1 << q) - 1), q)
        self.bits(v & ((1 << k) - 1), k)

    def integer(self, v, k):
        self.count(2 * v if v >= 0 else -2 * v - 1, k)

    def element(self, v, k):
        if v >> k < 8:
            self.out.extend([1] * (v >> k) + [0])
            self.bits(v & ((1 << k) - 1), k)
        else:
            self.out.extend([1] * 8)
            self.count(v - (8 << k), k)

    def f64(self, x):
        self.bits(struct.unpack("<Q", struct.pack("<d", x))[0], 64)

    def increasing_to_the_end(self, numbers):
        if not numbers:
            return
        steps = [numbers[0]] + [b - a - 1 for a, b in zip(numbers, numbers[1:])]
        k = cheapest(steps, 3)
        self.bits(k, 3)
        for step in steps:
            self.element(step, k)

    def some_increasing(self, numbers):
        self.flag(numbers)
        if numbers:
            self.count(len(numbers), 2)
            self.increasing_to_the_end(numbers)

    def some_points(self, rows):
        self.flag(rows)
        if rows:
            self.count(len(rows), 2)
            self.count(len(rows[0]), 2)
            for row in rows:
                for x in row:
                    self.f64(x)

    def number(self, x, short):
        if not short:
            self.f64(x)
            return
        odd, e = odd_and_exponent(x)
        size = abs(odd)
        n = size.bit_length()
        self.count(n, 3)
        if n:
            self.flag(odd < 0)
            if n > 2:
                self.bits((size >> 1) & ((1 << (n - 2)) - 1), n - 2)
            self.integer(e, 3)

    def scale(self, x, short):
        if not short:
            self.f64(x)
            return
        fraction, e = math.frexp(x)  # x = m 2^(e' - 4), m from 8 to 15: fraction * 16 is m, e' is e
        m = int(fraction * 16)
        assert m * 2.0 ** (e - 4) == x
        self.bits(m - 8, 3)
        self.integer(e, 1)

    def numbers(self, values, short, grid=None):
        """`grid` is (exponent, base) or None."""
        if not short:
            for x in values:
                self.f64(x)
            return
        if not len(values):
            return
        self.flag(grid is not None)
        if grid is None:
            for x in values:
                self.number(x, True)
            return
        exponent, base = grid
        codes = [steps_from_base(x, exponent, base) for x in values]
        self.integer(exponent, 2)
        self.flag(base != 0)
        if base:
            self.integer(base, 5)
        apart = [i for i, c in enumerate(codes) if c is None]
        self.some_increasing(apart)
        for i in apart:
            self.number(values[i], True)
        folded = [2 * c if c >= 0 else -2 * c - 1 for c in codes if c is not None]
        k = cheapest(folded, 5)
        self.bits(k, 5)
        for c in folded:
            self.element(c, k)

    def bytes(self):
        out = self.out + [1] * (-len(self.out) % 8)
        return bytes(sum(b << i for i, b in enumerate(out[at:at + 8])) for at in range(0, len(out), 8))


def element_bits(v, k):
    if v >> k < 8:
        return (v >> k) + 1 + k
    h = ((v - (8 << k)) >> k) + 1
    return 8 + 2 * (h.bit_length() - 1) + 1 + k


def cheapest(values, width):
    """The k with the fewest bits for all elements, the smallest of equals."""
    return min(range(1 << width), key=lambda k: (sum(element_bits(v, k) for v in values), k))


def odd_and_exponent(x):
    if x == 0.0:
        return 0, 0
    above, below = float(x).as_integer_ratio()
    zeros = (above & -above).bit_length() - 1
    return above >> zeros, zeros - (below.bit_length() - 1)


def steps_from_base(x, exponent, base):
    """c with x = (base + c) 2^exponent, or None for a number that is apart."""
    odd, e = odd_and_exponent(x)
    if odd == 0:
        e = exponent
    if not 0 <= e - exponent <= 100:
        return None
    c = (odd << (e - exponent)) - base
    return c if abs(c) < 1 << 40 else None


class Reader:
    def __init__(self, data):
        self.data = [byte >> i & 1 for byte in data for i in range(8)]
        self.at = 0

    def bit(self):
        if self.at >= len(self.data):
            raise Wrong("a message that is too short")
        self.at += 1
        return self.data[self.at - 1]

    flag = bit

    def bits(self, n):
        return sum(self.bit() << i for i in range(n))

    def end(self):
        rest = self.data[self.at:]
        return len(rest) < 8 and all(rest)

    def count(self, k):
        q = 0
        while self.bit():
            q += 1
            if q > 64:
                raise Wrong("a count that is too large")
        h = 1 << q | self.bits(q)
        return (h - 1) << k | self.bits(k)

    def integer(self, k):
        v = self.count(k)
        return -(v + 1) // 2 if v & 1 else v // 2

    def element(self, k):
        q = 0
        while q < 8 and self.bit():
            q += 1
        return (8 << k) + self.count(k) if q == 8 else q << k | self.bits(k)

    def f64(self):
        return struct.unpack("<d", struct.pack("<Q", self.bits(64)))[0]

    def _steps(self, k, out, more):
        last = -1
        while more(out):
            last += 1 + self.element(k)
            out.append(last)
        return out

    def increasing_to_the_end(self):
        if self.end():
            return []
        return self._steps(self.bits(3), [], lambda out: not self.end())

    def some_increasing(self):
        if not self.flag():
            return []
        n = self.count(2)
        return self._steps(self.bits(3), [], lambda out: len(out) < n)

    def some_points(self):
        if not self.flag():
            return []
        rows, columns = self.count(2), self.count(2)
        return [[self.f64() for _ in range(columns)] for _ in range(rows)]

    def number(self, short):
        if not short:
            return self.f64()
        n = self.count(3)
        if n == 0:
            return 0.0
        if n > 53:
            raise Wrong("a number of more than 53 bits")
        negative = self.flag()
        size = 1 if n == 1 else 1 << (n - 1) | self.bits(n - 2) << 1 | 1
        e = self.integer(3)
        x = math.ldexp(size, e)
        return -x if negative else x

    def scale(self, short):
        if not short:
            return self.f64()
        m = 8 + self.bits(3)
        return math.ldexp(m, self.integer(1) - 4)

    def numbers(self, short):
        """The numbers, and the grid they were on: (exponent, base) or None."""
        out = []
        if not short:
            while not self.end():
                out.append(self.f64())
            return out, None
        if self.end():
            return out, None
        if not self.flag():
            while not self.end():
                out.append(self.number(True))
            return out, None
        exponent = self.integer(2)
        base = self.integer(5) if self.flag() else 0
        places = self.some_increasing()
        apart = {i: self.number(True) for i in places}
        k = self.bits(5)
        while not self.end() or len(out) in apart:
            if len(out) in apart:
                out.append(apart[len(out)])
            else:
                v = self.element(k)
                c = -(v + 1) // 2 if v & 1 else v // 2
                out.append(math.ldexp(base + c, exponent))
        return out, (exponent, base)
