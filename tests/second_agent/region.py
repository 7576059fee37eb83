"""Regions, samplers and strata: "Membership" and "Samplers" of docs/formats/agent.md, and docs/formats/coins.md."""

import math

import numpy as np

import coins
import strict
import study
from messages import COVER, INDEX, REJECTION, WALK, record

E = 2.0**-40


class Cut:
    def __init__(self, kernel, centers, weights, tau):
        self.kernel, self.centers = kernel, np.asarray(centers, float)
        self.weights, self.tau = np.asarray(weights, float), float(tau)

    def keeps(self, features):
        return self.kernel.weighted_sums(features, self.centers, self.weights) >= self.tau


class Region:
    def __init__(self, domain, cuts=(), survivors=None):
        self.domain, self.cuts, self.survivors = domain, tuple(cuts), survivors
        if domain.shape == study.FINITE and survivors is None:
            self.survivors = np.arange(len(domain.candidates))

    def cut(self, cut):
        survivors = self.survivors
        if survivors is not None:
            survivors = survivors[cut.keeps(self.domain.candidates[survivors])]
        return Region(self.domain, self.cuts + (cut,), survivors)

    def contains(self, latents):
        latents = np.asarray(latents, float).reshape(-1, self.domain.d)
        inside = np.ones(len(latents), bool)
        features = self.domain.features(latents)
        for cut in reversed(self.cuts):
            left = np.flatnonzero(inside)
            if len(left):
                inside[left] = cut.keeps(features[left])
        return inside


def chords(domain, x, k):
    """The ends of the line through each point along its axis k."""
    if domain.shape == study.BOX:
        return np.zeros(len(x)), np.ones(len(x))
    q = np.zeros(len(x))
    for i in range(domain.d):
        q = np.where(k == i, q, q + x[:, i] * x[:, i])
    high = np.sqrt(np.maximum(0.0, domain.radius * domain.radius - q))
    return -high, high


class Sampler:
    """A method with its numbers, on a region; points of any lane (key, purposes, epoch)."""

    def __init__(self, numbers, region, starts=None):
        self.numbers, self.region, self.domain = numbers, region, region.domain
        self.method, self.starts, self._cells = numbers.method, starts, None

    def draw(self, lane, slots):
        """The latent points of these slots. lane: (key, purpose of points, purpose of walks, epoch)."""
        slots = np.asarray(slots, np.int64)
        if len(slots) == 0:
            return np.zeros((0, self.domain.d))
        if self.method == INDEX:
            return self.domain.candidates[self.draw_index(lane, slots)]
        if self.method == WALK:
            return self._walk(lane, slots)
        return self._attempts(lane, slots)

    def draw_index(self, lane, slots):
        key, purpose, _, epoch = lane
        survivors = self.region.survivors
        return survivors[coins.index_below(coins.words(key, purpose, epoch, slots, 0, 1), len(survivors))]

    def cells(self):
        if self._cells is None:
            self._cells = make_cells(self.region, self.numbers.cover_depth)
        return self._cells

    def _propose(self, lane, slots, attempts):
        key, purpose, _, epoch = lane
        d = self.domain.d
        if self.method == COVER:
            corners, widths = self.cells()
            w = coins.words(key, purpose, epoch, slots, attempts, 1 + d)
            u = corners[coins.index_below(w[:, 0], len(corners))] + widths * coins.uniforms(w[:, 1:])
            return place(self.domain, u)
        if self.domain.shape == study.BOX:
            return coins.uniforms(coins.words(key, purpose, epoch, slots, attempts, d))
        z = coins.normals(coins.words(key, purpose, epoch, slots, attempts, coins.even(d + 2)), d + 2)
        return study.ball_points(z, d, self.domain.radius)

    def _attempts(self, lane, slots):
        out = np.zeros((len(slots), self.domain.d))
        left, begin, block = np.arange(len(slots)), 0, 1
        while len(left):
            n = min(block, self.numbers.max_attempts - begin, max(1, 60000 // len(left)))
            if n <= 0:
                raise RuntimeError(f"no point of the region in {begin} attempts")
            points = self._propose(lane, np.repeat(slots[left], n), np.tile(np.arange(begin, begin + n), len(left)))
            good = self.region.contains(points)
            if self.method == COVER and self.domain.shape == study.BALL:
                good &= self.domain.in_ball(points)
            good = good.reshape(len(left), n)
            found = good.any(axis=1)
            first = good.argmax(axis=1)
            rows = np.flatnonzero(found)
            out[left[rows]] = points.reshape(len(left), n, -1)[rows, first[rows]]
            left, begin, block = left[~found], begin + n, block * 4
        return out

    def _walk(self, lane, slots):
        # Every slot is at a step and a proposal of its own, so that one test serves all of them.
        key, _, purpose, epoch = lane
        d, steps = self.domain.d, self.numbers.walk_steps
        n, few = len(slots), 16
        first = coins.words(key, purpose, epoch, slots, 0, 1)
        x = self.starts[coins.index_below(first, len(self.starts))].copy()
        w = coins.words(key, purpose, epoch, np.repeat(slots, steps), np.tile(np.arange(1, steps + 1), n), few)
        axes = coins.index_below(w[:, 0], d).reshape(n, steps)
        u = coins.uniforms(w).reshape(n, steps, few)
        step, p = np.ones(n, np.int64), np.ones(n, np.int64)
        low, high = np.zeros(n), np.zeros(n)

        def begin(rows):
            p[rows] = 1
            low[rows], high[rows] = chords(self.domain, x[rows], axes[rows, step[rows] - 1])

        def uniform(rows):
            out = u[rows, step[rows] - 1, np.minimum(p[rows], few - 1)]
            for i in np.flatnonzero(p[rows] >= few):
                row = rows[i]
                more = coins.words(key, purpose, epoch, slots[row], step[row], 1 + int(p[row]))
                out[i] = coins.uniforms(more)[0, p[row]]
            return out

        rows = np.arange(n) if steps else np.arange(0)
        begin(rows)
        while len(rows):
            k = axes[rows, step[rows] - 1]
            c = low[rows] + (high[rows] - low[rows]) * uniform(rows)
            trial = x[rows].copy()
            trial[np.arange(len(rows)), k] = c
            good = self.region.contains(trial)
            below = ~good & (c < x[rows, k])
            above = ~good & ~below
            x[rows[good]] = trial[good]
            low[rows[below]] = c[below]
            high[rows[above]] = c[above]
            p[rows] += 1
            next_step = good | (p[rows] > self.numbers.max_shrinks)
            step[rows[next_step]] += 1
            rows, moved = rows[step[rows] <= steps], rows[next_step]
            begin(moved[step[moved] <= steps])
        return x


# --- Covers ---------------------------------------------------------------------------------------


def place(domain, u):
    return u if domain.shape == study.BOX else domain.radius * (2.0 * u - 1.0)


def make_cells(region, depth):
    """The corners of all cells and their common widths."""
    domain = region.domain
    d = domain.d
    corners, widths = np.zeros((1, d)), np.ones(d)
    cuts = [Bound(cut, d) for cut in reversed(region.cuts)]
    scales = cuts[0].scales if cuts else np.ones(d)
    edge = 1.0 if domain.shape == study.BOX else 2.0 * domain.radius
    for _ in range(depth):
        k = int(np.argmax(widths / scales))
        widths = widths.copy()
        widths[k] = 0.5 * widths[k]
        corners = np.repeat(corners, 2, axis=0)
        corners[1::2, k] = corners[1::2, k] + widths[k]
        half = 0.5 * (edge * widths)
        centers = place(domain, corners + 0.5 * widths)
        if domain.shape == study.BALL:
            near = np.zeros(len(corners))
            for i in range(d):
                g = np.maximum(0.0, np.abs(centers[:, i]) - half[i])
                near = near + g * g
            keep = ~(near > domain.radius * domain.radius * (1.0 + E))
            corners, centers = corners[keep], centers[keep]
        for bound in cuts:
            if len(corners):
                keep = ~(bound.upper(centers, half) < bound.cut.tau)
                corners, centers = corners[keep], centers[keep]
        if len(corners) == 0:
            raise RuntimeError("a cover without cells")
        if len(corners) > 2**18 or len(corners) * d > 2**21:
            raise RuntimeError("a cover with too many cells")
    return corners, widths


def _excess(y, e):
    t = np.maximum(0.0, np.abs(y) - e)
    return t * t


def _root(y):
    return np.where(y <= 0.0, 0.0, np.sqrt(np.maximum(y, 0.0)))


class Bound:
    """U of "Cover": the largest sum that a cut can have in a cell."""

    def __init__(self, cut, d):
        self.cut, self.d = cut, d
        kernel = cut.kernel
        self.scales = kernel.per_axis(d)
        self.z = cut.centers / self.scales
        self.W = 0.0
        for w in cut.weights:
            self.W = self.W + abs(float(w))
        s, v = len(cut.weights), kernel.variance
        self.a = 2.0**-52 * (2.0 * (s + d) + 64.0) * (v * self.W)
        self.R = np.abs(self.z).max(axis=0)
        Q = strict.dot(cut.weights, kernel.weighted_sums(cut.centers, cut.centers, cut.weights))
        self.n2 = max(0.0, Q) * (1.0 + E) + 2.0 * self.a * self.W if math.isfinite(Q) else math.inf
        if kernel.family == strict.MATERN32:
            self.C = 3.0
            self.slope = strict.Kernel(strict.MATERN12, self.scales * math.sqrt(1.0 / 3.0), v * 3.0)
        elif kernel.family == strict.MATERN52:
            self.C = 5.0 / 3.0
            self.slope = strict.Kernel(strict.MATERN32, self.scales * math.sqrt(3.0 / 5.0), v * (5.0 / 3.0))
        else:
            self.C, self.slope = 1.0, kernel

    def _table(self, r):
        """loss, P0, P1."""
        family = self.cut.kernel.family
        if family == strict.SQUARED_EXPONENTIAL:
            loss, P0, P1 = 0.5 * r * r, r, math.sqrt(0.5) * r * r
        elif family == strict.MATERN12:
            loss, P0, P1 = r, math.sqrt(2.0 * r), 0.0
        elif family == strict.MATERN32:
            t = math.sqrt(3.0) * r
            loss, P0, P1 = 0.5 * t * t, t, 2.0 / math.sqrt(3.0) * (t * math.sqrt(t))
        else:
            t = math.sqrt(5.0) * r
            loss, P0, P1 = t * t / 6.0, t / math.sqrt(3.0), math.sqrt(2.0) / 3.0 * (t * t)
        return min(loss, 1.0), min(P0, 1.0), P1

    def upper(self, centers, half):
        cut, v, a, n2, C = self.cut, self.cut.kernel.variance, self.a, self.n2, self.C
        q, b, r2 = np.zeros(self.d), np.zeros(self.d), 0.0
        for k in range(self.d):
            e = float(np.abs(centers[:, k]).max()) + half[k]
            q[k] = (half[k] * (1.0 + E) + 2.0**-50 * e) / self.scales[k]
            b[k] = a * (e / self.scales[k] + self.R[k]) * C
            r2 = r2 + q[k] * q[k]
        r = math.sqrt(r2) * (1.0 + E)
        loss, P0, P1 = self._table(r)

        shape = cut.kernel.shapes(centers, cut.centers)
        m = np.zeros(len(centers))
        for i, w in enumerate(cut.weights):
            m = m + (v * shape[:, i]) * w
        with np.errstate(invalid="ignore"):
            lift = np.where(m >= 0.0, m, m + np.abs(m) * loss)
            left = n2 - _excess(m, a) / v
            U = lift + math.sqrt(v) * _root(left) * P0
            climb = np.zeros(len(centers))
            if cut.kernel.family != strict.MATERN12:
                slope = self.slope.shapes(centers, cut.centers)
                G = np.zeros(len(centers))
                Gk = np.zeros((self.d, len(centers)))
                for i, w in enumerate(cut.weights):
                    value = self.slope.variance * slope[:, i]
                    G = G + value * w
                    for k in range(self.d):
                        Gk[k] = Gk[k] + value * (w * self.z[i, k])
                for k in range(self.d):
                    g = Gk[k] - centers[:, k] / self.scales[k] * G
                    climb = climb + (np.abs(g) + b[k]) * q[k]
                    left = left - _excess(g, b[k]) / (v * C)
                V = lift + climb + math.sqrt(v) * _root(left + E * n2) * P1
                U = np.where(V < U, V, U)
            return U + 2.0 * a + E * (np.abs(m) + climb + math.sqrt(v * n2))


# --- Strata ---------------------------------------------------------------------------------------


class Strata:
    """The order of the M points of an epoch, or of the survivors of a finite set."""

    def __init__(self, points, S, scales):
        self.points, self.S, self.M = points, S, len(points)
        self.order = np.zeros(self.M, np.int64)
        self.scales = scales
        self._halve(0, S, np.arange(self.M))

    def _halve(self, b, e, rows):
        first = b * self.M // self.S
        if e - b <= 1 or len(rows) <= 1:
            self.order[first:first + len(rows)] = rows
            return
        m = b + (e - b) // 2
        part = self.points[rows]
        extent = part.max(axis=0) - part.min(axis=0)
        if self.scales is not None:
            extent = extent / self.scales
        k = int(np.argmax(extent))
        by_place = rows[np.lexsort((rows, part[:, k]))]
        n = m * self.M // self.S - first
        self._halve(b, m, np.sort(by_place[:n]))
        self._halve(m, e, np.sort(by_place[n:]))

    def draw(self, key, public_key, epoch, N, agent, slots):
        r = int(coins.index_below(coins.words(public_key, coins.ROTATION, epoch, 0, 0, 1), self.S)[0])
        w = coins.words(key, coins.POINT, epoch, slots, 0, 1)
        i = coins.index_below(w, self.M)
        rows = [(((int(t) * N + agent + r) % self.S) * self.M + int(n)) // self.S for t, n in zip(slots, i)]
        return self.points[self.order[rows]]


def make_strata(sampler, public_key, epoch, N, T, kernel):
    """The strata of an epoch, or None where its coins are independent."""
    domain, S = sampler.domain, N * T
    scales = None
    if len(kernel.scales) == domain.d and domain.num_features == domain.d:
        scales = np.array(kernel.scales)
    if domain.shape == study.FINITE:
        M = len(sampler.region.survivors)
        if S > (2**64 - 1) // M:
            return None
        points = domain.candidates[sampler.region.survivors]
    else:
        k = min(4 if sampler.method == WALK else 16, 65536 // S)
        if k < 2:
            return None
        points = sampler.draw((public_key, coins.POOL_POINT, coins.POOL_WALK, epoch), np.arange(k * S))
    return Strata(points, S, scales)


def first_sampler(region):
    if region.domain.shape == study.FINITE:
        return Sampler(record(method=INDEX), region)
    return Sampler(record(method=REJECTION, max_attempts=1), region)
