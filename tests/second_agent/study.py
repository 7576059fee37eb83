"""The study an agent takes part in: docs/formats/study.md, the domain, the epochs and the digest."""

import math
import struct
import tomllib

import numpy as np

import coins
import strict

BOX, BALL, FINITE = "box", "ball", "finite"
NAMES = {
    "shape": ["finite", "box", "ball"],
    "type": ["float", "int", "categorical"],
    "family": ["squared-exponential", "matern-1/2", "matern-3/2", "matern-5/2"],
    "mode": ["tuned", "theory"],
    "schedule": ["sqrt-floor", "sqrt-ceil", "doubling", "paired-doubling", "explicit", "warm-up", "appendix"],
    "inducing": ["coin", "greedy", "public"],
    "rate": ["variance", "count"],
    "upload": ["auto", "projection", "rewards"],
    "data": ["epoch", "surviving"],
    "closing": ["best", "projection", "all"],
    "parameters": ["fixed", "learned"],
    "coins": ["independent", "stratified"],
    "cut": ["width", "decision"],
    "numbers": ["double", "short"],
}


# --- Bytes ----------------------------------------------------------------------------------------


def u8(v):
    return struct.pack("<B", int(v))


def u32(v):
    return struct.pack("<I", v)


def u64(v):
    return struct.pack("<Q", v)


def f64(x):
    return struct.pack("<d", x)


def u32s(values):
    return u32(len(values)) + b"".join(map(u32, values))


def f64s(values):
    return u32(len(values)) + np.asarray(values, "<f8").tobytes()


def text(words):
    data = words.encode()
    return u32(len(data)) + data


def blob(data):
    return u32(len(data)) + bytes(data)


def points_bytes(points):
    """"points" of messages.md: columns, then all coordinates, row after row."""
    if len(points) == 0:
        return u32(0) + u32(0)
    points = np.asarray(points, float)
    return u32(points.shape[1]) + f64s(points.ravel())


# --- Parameters and the domain --------------------------------------------------------------------


class Parameter:
    def __init__(self, name, type="float", low=0.0, high=1.0, log=False, step=1, choices=()):
        self.name, self.type, self.log = name, type, log
        self.choices = list(choices)
        if type == "categorical":
            low, high, step, self.log = 0.0, 1.0, 1, False
        self.low, self.high, self.step = float(low), float(high), float(step)

    def bytes(self):
        return (text(self.name) + u8(NAMES["type"].index(self.type)) + f64(self.low) + f64(self.high)
                + u8(self.log) + f64(self.step) + u32(len(self.choices)) + b"".join(map(text, self.choices)))

    def columns(self):
        return len(self.choices) if self.type == "categorical" else 1

    def _cell(self, u, n):
        return np.minimum(np.floor(u * n), n - 1.0)

    def _ends(self):
        a = float(strict.log(self.low - 0.5)) if self.type == "int" else float(strict.log(self.low))
        b = float(strict.log(self.high + 0.5)) if self.type == "int" else float(strict.log(self.high))
        return a, b

    def _count(self):
        return float(math.floor((self.high - self.low) / self.step) + 1)

    def numbers(self, u):
        """The value at each coordinate; of a categorical the number of the choice."""
        if self.type == "categorical":
            return self._cell(u, float(len(self.choices)))
        if self.type == "float" and not self.log:
            return np.minimum(self.low + (self.high - self.low) * u, self.high)
        if self.type == "float":
            a, b = self._ends()
            value = np.minimum(np.maximum(strict.exp(a + (b - a) * u), self.low), self.high)
            return np.where(u == 0.0, self.low, np.where(u == 1.0, self.high, value))
        if not self.log:
            return self.low + self.step * self._cell(u, self._count())
        a, b = self._ends()
        value = np.floor(strict.exp(a + (b - a) * u) + 0.5)
        value = np.minimum(np.maximum(value, self.low), self.high)
        return np.where(u == 0.0, self.low, np.where(u == 1.0, self.high, value))

    def value(self, u):
        number = float(self.numbers(np.array([u]))[0])
        if self.type == "categorical":
            return self.choices[int(number)]
        return int(number) if self.type == "int" else number

    def features(self, u):
        """A column for each feature."""
        if self.type == "categorical":
            return (self._cell(u, float(len(self.choices)))[:, None] == np.arange(len(self.choices))).astype(float)
        if self.type == "float":
            return u[:, None].copy()
        if not self.log:
            n = self._count()
            return ((self._cell(u, n) + 0.5) / n)[:, None]
        a, b = self._ends()
        return ((strict.log(self.numbers(u)) - a) / (b - a))[:, None]


class Domain:
    def __init__(self, shape, dimension, radius=1.0, parameters=None, candidates=None):
        self.shape, self.d, self.radius = shape, dimension, radius
        self.parameters = parameters
        if shape == BOX and parameters is None:
            self.parameters = [Parameter(f"x{k + 1}") for k in range(dimension)]
        self.candidates = candidates
        self.same = shape != BOX or all(p.type == "float" for p in self.parameters)
        self.num_features = sum(p.columns() for p in self.parameters) if shape == BOX else dimension

    def features(self, latents):
        latents = np.asarray(latents, float).reshape(-1, self.d)
        if self.same:
            return latents
        return np.hstack([p.features(latents[:, k]) for k, p in enumerate(self.parameters)])

    def values(self, latents):
        """{name: value} of a latent point."""
        if self.shape == BOX:
            return {p.name: p.value(u) for p, u in zip(self.parameters, latents)}
        return {f"x{k + 1}": float(x) for k, x in enumerate(latents)}

    def in_ball(self, points):
        q = np.zeros(len(points))
        for k in range(self.d):
            q = q + points[:, k] * points[:, k]
        return q <= self.radius * self.radius

    def bytes(self):
        out = u8(NAMES["shape"].index(self.shape)) + u64(self.d) + f64(self.radius if self.shape == BALL else 1.0)
        if self.shape == BOX:
            out += b"".join(p.bytes() for p in self.parameters)
        return out + f64s(self.candidates.ravel() if self.shape == FINITE else [])


def ball_points(z, d, radius):
    """The first d of the normals of each row, on or in the ball."""
    q = np.zeros(len(z))
    for k in range(z.shape[1]):
        q = q + z[:, k] * z[:, k]
    norm = np.sqrt(q)
    safe = np.where(norm == 0.0, 1.0, norm)
    return np.where(norm[:, None] == 0.0, 0.0, radius * (z[:, :d] / safe[:, None]))


def random_candidates(key, shape, count, d, radius):
    slots = np.arange(count)
    if shape == "cube":
        return coins.uniforms(coins.words(key, coins.CANDIDATE, 0, slots, 0, d))
    n = d + 2 if shape == "ball" else d
    z = coins.normals(coins.words(key, coins.CANDIDATE, 0, slots, 0, coins.even(n)), n)
    return ball_points(z, d, radius)


# --- Epochs ---------------------------------------------------------------------------------------


def _sqrt_ceil(v):
    root = math.isqrt(v)
    return root if root * root == v else root + 1


def _lengths(rule, T, t1, N):
    if rule == "appendix":
        r = _sqrt_ceil(-(-T // N))
        t1 = min(r + t1, T)
    planned, left, lengths = t1, T, []
    while left > 0:
        n = min(planned, left)
        if rule in ("doubling", "paired-doubling", "warm-up") and lengths and n < lengths[-1]:
            lengths[-1] += n
        else:
            lengths.append(n)
        left, k = left - n, len(lengths)
        if rule in ("sqrt-floor", "appendix"):
            planned = math.isqrt(T * planned)
        elif rule == "sqrt-ceil":
            planned = _sqrt_ceil(T * planned)
        elif rule == "doubling":
            planned = 2 * planned
        elif rule == "paired-doubling" or k < 6:
            planned = planned if k % 2 else 2 * planned
        else:
            planned = math.isqrt(T * planned)
    return lengths


class Study:
    def __init__(self, toml):
        self.file = tomllib.loads(toml)
        study, self.duets = self.file["study"], self.file["duets"]
        self.name, self.N = study["name"], study["agents"]
        self.seed, self.sign = study["seed"], -1.0 if study["direction"] == "minimize" else 1.0
        self.objective = self.file.get("objective", {})
        self.offset = float(self.objective.get("offset", 0.0))
        self.scale = float(self.objective.get("scale", 1.0))
        self.short = self.duets.get("numbers") == "short"
        self.learned = self.duets.get("parameters") == "learned"
        self.surviving = self.duets.get("data") == "surviving"
        self.stratified = self.duets.get("coins") == "stratified"
        self.closing = self.duets.get("closing", "best")
        self.domain = self._domain()
        self.kernel = self._kernel()
        self._epochs()

    def _domain(self):
        space = self.file["space"]
        tables = [(name, t) for name, t in space.items() if isinstance(t, dict)]
        if space["domain"] == BOX:
            parameters = [Parameter(name, **t) for name, t in tables] or None
            return Domain(BOX, len(tables) or space["dimension"], parameters=parameters)
        radius = float(space.get("radius", 1.0))
        if space["domain"] == BALL:
            return Domain(BALL, space["dimension"], radius)
        if "points" in space:
            points = np.array(space["points"], float)
        else:
            key = coins.public_key(coins.secret_of_seed(self.seed))
            points = random_candidates(key, space["shape"], space["candidates"], space["dimension"], radius)
        return Domain(FINITE, points.shape[1], candidates=points)

    def _kernel(self):
        table = self.file["kernel"]
        scale = table["lengthscale"]
        if isinstance(scale, list):
            scales = [scale[k] for k, p in enumerate(self.domain.parameters) for _ in range(p.columns())] \
                if self.domain.shape == BOX else scale
        else:
            scales = [scale]
        return strict.Kernel(NAMES["family"].index(table["name"]), scales, table.get("variance", 1.0))

    def _epochs(self):
        study = self.file["study"]
        horizons = list(study.get("earlier_horizons", [])) + [study["horizon"]]
        ended = list(study.get("ended_after", []))
        rule = self.duets.get("schedule", "sqrt-floor")
        self.T, self.horizon_of_end, done = [], {}, 0
        for place, horizon in enumerate(horizons):
            if rule == "explicit":
                lengths = list(self.duets["epochs"]) if place == 0 else [horizon - done]
            else:
                lengths = _lengths(rule, horizon - done, self.duets.get("t1", 2), self.N)
            size = len(self.T)
            if ended and size < ended[0] < size + len(lengths):
                lengths = lengths[:ended.pop(0) - size] + [0]
            self.T += lengths
            done += sum(lengths)
            self.horizon_of_end[len(self.T)] = horizon
        self.J = len(self.T)

    def length(self, j):
        return self.T[j - 1]

    def is_closing(self, j):
        return j in self.horizon_of_end

    def recalls(self, j):
        return self.is_closing(j) and self.closing == "all" and self.N * self.horizon_of_end[j] <= 65536

    def sends_values(self, j):
        if not self.is_closing(j):
            return True
        return not (self.closing == "best" or (self.length(j) == 0 and not self.recalls(j)))

    def epochs(self):
        """As in JoinReply."""
        every = range(1, self.J + 1)
        return {"lengths": self.T,
                "closing": [j for j in every if self.is_closing(j)],
                "silent": [j for j in every if not self.sends_values(j)],
                "recalling": [j for j in every if self.recalls(j)]}

    def digest(self):
        study, duets, noise = self.file["study"], self.duets, self.file["noise"]

        def number(key, default):
            return f64(float(duets.get(key, default)))

        def choice(key, default):
            return u8(NAMES[key].index(duets.get(key, default)))

        schedule = duets.get("schedule", "sqrt-floor")
        out = text(self.name) + u32(self.N) + u32(study["horizon"]) + self.domain.bytes()
        out += u8(self.kernel.family) + f64s(self.kernel.scales) + f64(self.kernel.variance)
        out += f64(float(noise.get("lambda", 0.2))) + choice("mode", "tuned") + number("beta", 0.5) + number("p0", 10.0)
        out += f64(float(noise.get("bound", 1.0))) + f64(float(noise.get("subgaussian", 1.0)))
        out += f64(float(noise.get("delta", 0.1))) + u8(NAMES["schedule"].index(schedule)) + u32(duets.get("t1", 2))
        out += u32s(duets.get("epochs", []))
        out += choice("inducing", "coin") + choice("upload", "auto") + choice("data", "epoch")
        out += choice("closing", "best")
        if duets.get("rate", "variance") != "variance":
            out += choice("rate", "variance")
        if duets.get("volume_floor", 0.0) or duets.get("side_floor", 0.0) or self.learned or self.stratified:
            out += text("self-tuning") + number("volume_floor", 0.0) + number("epoch_floor", 1.0)
            out += choice("parameters", "fixed") + u8(duets.get("relevance", False)) + choice("coins", "independent")
        for table, key, default, write in (
                (study, "earlier_horizons", [], u32s), (study, "ended_after", [], u32s),
                (duets, "side_floor", 0.0, lambda v: f64(float(v))), (duets, "cut", "width", None),
                (duets, "epoch_cap", 1.0, lambda v: f64(float(v))), (duets, "family", False, u8),
                (duets, "raw_rewards", 32, u32), (duets, "numbers", "double", None)):
            value = table.get(key, default)
            if value != default:
                out += text(key) + (write(value) if write else choice(key, default))
        return coins.digest(out)
