"""The Python agent against known answers: coins.kat, strict.kat, messages.kat and the exported study of tests/golden,
and the lines of tests/determinism/expected.txt that an agent computes (docs/formats/conformance.md)."""

import csv
import os
import pathlib
import struct

import numpy as np

import pytest

import agent as agents
import coins
import fingerprint
import messages
import region
import strict
import study
from messages import COVER, INDEX, REJECTION, WALK, record

TESTS = pathlib.Path(os.environ["DUETS_SOURCE_DIR"]) / "tests"
GOLDEN = TESTS / "golden"
EXPECTED = dict(line.split() for line in (TESTS / "determinism" / "expected.txt").read_text().splitlines())
SECRET = coins.secret_of_seed(7)
PUBLIC, AGENT = coins.public_key(SECRET), coins.private_key(SECRET, 2)
HEX = float.fromhex


def lines(name):
    for line in (GOLDEN / name).read_text().splitlines():
        if line and not line.startswith("#"):
            yield line


def same_bits(got, wanted):
    got, wanted = np.atleast_1d(np.asarray(got, float)), np.atleast_1d(np.asarray(wanted, float))
    assert got.shape == wanted.shape
    both = np.isnan(got) & np.isnan(wanted)
    return bool(np.all(both | (got.view(np.int64) == wanted.view(np.int64))))


def key_of(seed, coin):
    secret = coins.secret_of_seed(seed)
    if coin == "public":
        return coins.public_key(secret)
    return coins.problem_key(secret) if coin == "problem" else coins.private_key(secret, int(coin))


def test_coins():
    seen = 0
    for line in lines("coins.kat"):
        kind, seed, coin, *rest = line.split()
        key = key_of(int(seed), coin)
        seen += 1
        if kind == "key":
            assert key.hex() == rest[0], line
            continue
        purpose, agent, epoch, slot, attempt = map(int, rest[:5])
        answers = rest[5:]
        n = len(answers)
        words = coins.words(key, purpose, epoch, slot, attempt, coins.even(n), agent)
        if kind == "words":
            assert [f"{w:016x}" for w in words[0, :n].tolist()] == answers, line
        elif kind == "uniforms":
            assert same_bits(coins.uniforms(words)[0, :n], [HEX(a) for a in answers]), line
        else:
            assert kind == "normals" and same_bits(coins.normals(words, n)[0], [HEX(a) for a in answers]), line
    assert seen > 40


def fold(function, count, lo, hi):
    i = np.arange(1, count + 1, dtype=np.uint64)
    u = ((i * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(11)).astype(float) * 2.0**-53
    x = lo + (hi - lo) * u
    y = {"exp": strict.exp, "log": strict.log, "sinpi": lambda x: strict.sincospi(x)[0],
         "cospi": lambda x: strict.sincospi(x)[1]}[function](x)
    h = 0xCBF29CE484222325
    for byte in y.astype("<f8").tobytes():
        h = (h ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return h


def test_strict():
    seen = {}
    for line in lines("strict.kat"):
        kind, *rest = line.split()
        seen[kind] = seen.get(kind, 0) + 1
        if kind in ("exp", "log"):
            assert same_bits(getattr(strict, kind)(HEX(rest[0])), HEX(rest[1])), line
        elif kind == "sincospi":
            s, c = strict.sincospi(HEX(rest[0]))
            assert same_bits(s, HEX(rest[1])) and same_bits(c, HEX(rest[2])), line
        elif kind == "kernel":
            head, scales, x, c, value = line[len(kind):].split("|")
            family, d, variance = head.split()
            kernel = strict.Kernel(int(family), map(HEX, scales.split()), HEX(variance))
            got = kernel.variance * kernel.shapes([list(map(HEX, x.split()))], [list(map(HEX, c.split()))])
            assert same_bits(got[0], HEX(value.strip())), line
        elif kind == "sum":
            head, scales, x, c, w, value = line[len(kind):].split("|")
            family, d, m, variance = head.split()
            kernel = strict.Kernel(int(family), map(HEX, scales.split()), HEX(variance))
            centers = np.array(list(map(HEX, c.split()))).reshape(int(m), int(d))
            got = kernel.weighted_sums([list(map(HEX, x.split()))], centers, list(map(HEX, w.split())))
            assert same_bits(got, HEX(value.strip())), line
        else:
            function, count, lo, hi, value = rest
            assert kind == "fold" and fold(function, int(count), HEX(lo), HEX(hi)) == int(value, 16), line
    assert len(seen) == 6 and min(seen.values()) > 1


# --- messages.kat ---------------------------------------------------------------------------------


def number_text(x):
    return struct.pack(">d", x).hex()


def numbers_text(numbers):
    return ",".join(map(number_text, numbers))


def points_text(points):
    return ";".join(map(numbers_text, points))


def whole_text(numbers):
    return ",".join(map(str, numbers))


def some_text(value, text=str):
    return "none" if value is None else text(value)


def list_fields(m):
    """What uploads and closings end with."""
    return [("points_digest", f"{m.points_digest:016x}"), ("holes", whole_text(m.holes)),
            ("grid", some_text(m.grid, whole_text)), ("values", numbers_text(m.values))]


def trim_fields(m):
    yield from [("short", m.short), ("epoch", m.epoch), ("excluded", whole_text(m.excluded)), ("cuts", m.cuts)]
    if not m.cuts:
        return
    yield "learned", int(m.model is not None)
    if m.model is not None:
        kernel, offset = m.model
        yield from [("family", kernel.family), ("lengthscales", numbers_text(kernel.scales)),
                    ("variance", number_text(kernel.variance)), ("offset", number_text(offset))]
    yield "tau", number_text(m.tau)
    yield from vars(m.sampler).items()  # in the order in which they were read
    yield from [("starts", points_text(m.starts)), ("public_slots", whole_text(m.public_slots)),
                ("grid", some_text(m.grid, whole_text)), ("weights", numbers_text(m.weights))]


def fields(m):
    if m.kind == messages.INDUCING_SET:
        return [("rewards", m.rewards), ("closing", m.closing), ("epoch", m.epoch), ("exponent", some_text(m.exponent)),
                ("points", points_text(m.points)), ("public_slots", whole_text(m.public_slots))]
    if m.kind == messages.TRIM:
        return trim_fields(m)
    if m.kind == messages.UPLOAD:
        return [("short", m.short), ("rewards", m.rewards), ("agent", m.agent), ("epoch", m.epoch), *list_fields(m)]
    if m.kind == messages.CLOSING:
        best = [("best", 0)]
        if m.best is not None:
            reward, epoch, slot = m.best
            best = [("best", 1), ("epoch", epoch), ("slot", slot), ("reward", number_text(reward))]
        return [("short", m.short), ("agent", m.agent), *best, *list_fields(m)]
    return [("agent", m.agent), ("epoch", m.epoch), ("reason", m.reason)]


def test_messages():
    names = ["inducing-set", "trim", "upload", "closing", "refusal"]
    encoders = [messages.encode_inducing_set, messages.encode_trim, messages.encode_upload, messages.encode_closing,
                messages.encode_refusal]
    seen, reasons, methods, families = set(), set(), set(), set()
    for line in lines("messages.kat"):
        data, text = line.split(" ", 1)
        m = messages.decode(bytes.fromhex(data))
        assert " ".join([names[m.kind]] + [f"{key}={value}" for key, value in fields(m)]) == text, line
        assert encoders[m.kind](m).hex() == data, line
        seen.add((m.kind, getattr(m, "short", None)))
        if m.kind == messages.REFUSAL:
            reasons.add(m.reason)
        elif m.kind == messages.TRIM and m.cuts:
            methods.add(m.sampler.method)
            families.add(m.model[0].family if m.model is not None else None)
    assert len(seen) == 8 and reasons == set(messages.REASONS)
    assert methods == set(messages.METHODS) and families == {None, 0, 1, 2, 3}


# --- The exported study ---------------------------------------------------------------------------


class Bytes:
    """Reads the types of docs/formats/messages.md."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, n):
        assert self.at + n <= len(self.data)
        self.at += n
        return self.data[self.at - n:self.at]

    def u32(self):
        return int.from_bytes(self.take(4), "little")

    def u32s(self):
        return [self.u32() for _ in range(self.u32())]

    def blob(self):
        return self.take(self.u32())


def export_of(journal):
    """(study file, records)"""
    r = Bytes(journal)
    assert r.blob() == b"duets export" and r.u32() == 10
    file, records = r.blob(), [r.blob() for _ in range(r.u32())]
    assert coins.digest(journal[:r.at]) == r.take(16) and r.at == len(journal)
    return file, records


class Exported:
    """The agents of an exported study, in one process without a coordinator: its records take their place."""

    def __init__(self, folder):
        file, self.records = export_of((folder / "journal.bin").read_bytes())
        assert file == (folder / "study.toml").read_bytes()
        self.secret = bytes.fromhex((folder / "three.key").read_text())
        self.study = study.Study(file.decode())
        self.history = agents.History(self.study, coins.public_key(self.secret))
        self.trials = {}  # agent, epoch: rows in the order of slots
        with open(folder / "trials.csv", newline="") as table:
            for row in csv.DictReader(table):
                self.trials.setdefault((int(row["agent"]), int(row["epoch"])), []).append(row)
        self.agents = [self.agent(n) for n in range(self.study.N)]
        self.run = self.state = bytes(16)

    def agent(self, number):
        a = agents.Agent.__new__(agents.Agent)
        a.number, a.key, a.measure = number, coins.private_key(self.secret, number), self.measured
        a.study, a.history, a.journal, a.known = self.study, self.history, {}, 0
        a.points, a.rewards, a.counts = {}, {}, {}
        return a

    def measured(self, a, epoch, points, _):
        """The values of trials.csv, which has the same points."""
        values = []
        for row, point in zip(self.trials[a.number, epoch], points, strict=True):
            assert {name: str(x) for name, x in self.study.domain.values(point).items()} == {
                name: row[name] if row[name].isalpha() else str(float(row[name])) for name in ("x", "y", "kind")}
            values.append(float(row["value"]) if row["state"] == "reward" else None)
        return values

    def open(self, j, inducing_set):
        if inducing_set:
            self.history.add(inducing_set)
        for a in self.agents:
            a.draw(j)
            a.query(j)
        self.sent = {}
        self.state += study.blob(inducing_set) if inducing_set else b""

    def accept(self, encoded):
        m = messages.decode(encoded)
        assert self.agents[m.agent].message(self.epoch) == encoded
        self.sent[m.agent] = encoded

    def close(self, participants, trim):
        j = self.epoch
        assert participants == sorted(self.sent)
        if trim:
            self.history.add(trim)
        low_halves = [coins.low_half(study.points_bytes(a.points[j])) for a in self.agents]
        holes = b"".join(study.u32s([t for t, r in enumerate(self.agents[n].rewards[j]) if r is None])
                         for n in participants)
        survivors = b"" if self.study.is_closing(j) else study.u32s([])
        self.run = coins.digest(self.run + study.u32(j) + b"".join(map(study.u64, low_halves)) +
                                study.u32s(participants) + holes + survivors)
        self.state = coins.digest(self.state + b"".join(study.blob(self.sent[n]) for n in participants) +
                                  (study.blob(trim) if trim else b""))


def test_exported_study():
    """Every point, message and digest follows from the secret, the study file, the broadcasts and the values."""
    e = Exported(GOLDEN / "export")
    kinds = []
    for record_ in e.records:
        r = Bytes(record_)
        kinds.append(r.take(1)[0])
        if kinds[-1] == 1:
            e.epoch = r.u32()
            e.open(e.epoch, r.blob())
        elif kinds[-1] == 2:
            e.accept(r.blob())
        else:
            assert r.u32() == e.epoch
            e.close(r.u32s(), r.blob())
            assert (e.run, e.state) == (record_[-32:-16], record_[-16:])
    assert kinds == [1, 2, 2, 2, 3] * 3
    assert sum(a.rewards[j].count(None) for a in e.agents for j in a.rewards) == 1


# --- expected.txt ---------------------------------------------------------------------------------


def has(line, data):
    assert coins.digest(data).hex() == EXPECTED[line], line


def cube_points(d, first, last):
    return study.random_candidates(PUBLIC, "cube", last + 1, d, 1.0)[first:]


def matrix(points):
    return study.f64s(np.asarray(points).ravel())


def kernel_of(family, features):
    return strict.Kernel(family, [0.3 + 0.0625 * k for k in range(features)], 1.25)


def weights_of(count):
    return [(-0.75 if i % 2 else 1.0) / (1.0 + 0.125 * i) for i in range(count)]


def parameters():
    return study.Domain(study.BOX, 5, parameters=[
        study.Parameter("a", low=-3.0, high=5.0), study.Parameter("b", low=1e-5, high=0.1, log=True),
        study.Parameter("c", "int", 16, 256, step=16), study.Parameter("d", "int", 1, 1000, log=True),
        study.Parameter("e", "categorical", choices=["x", "y", "z"])])


def test_fingerprint():
    assert fingerprint.fingerprint().hex() == EXPECTED["platform"]


@pytest.mark.parametrize("family", range(4))
@pytest.mark.parametrize("d", [1, 2, 10])
def test_kernels(family, d):
    points, centers = cube_points(d, 0, 100), cube_points(d, 1000, 1036)
    kernel = kernel_of(family, d)
    values = kernel.variance * kernel.shapes(points, centers)
    has(f"kernel/{study.NAMES['family'][family]}/d{d}",
        study.f64s(kernel.weighted_sums(points, centers, weights_of(37))) + study.f64s(values.T.ravel()))


def test_domains():
    domain, points = parameters(), cube_points(5, 0, 199)
    values = b"".join(study.f64s([p.numbers(row[k:k + 1])[0] for k, p in enumerate(domain.parameters)])
                      for row in points)
    has("domain/parameters", matrix(domain.features(points)) + values)

    ball = study.Domain(study.BALL, 4, 1.5)
    inside = ball.in_ball(points[:, :4])
    out = b""
    for x, flag in zip(points[:, :4], inside):
        for k in range(4):
            low, high = region.chords(ball, x[None, :], np.array([k]))
            out += study.f64(low[0]) + study.f64(high[0])
        out += study.u8(flag)
    has("domain/ball", out)


@pytest.mark.parametrize("shape", ["cube", "ball", "sphere"])
def test_candidates(shape):
    has(f"draw/candidates/{shape}", matrix(study.random_candidates(PUBLIC, shape, 300, 5, 1.25)))


@pytest.mark.parametrize("name", ["finite", "box-d2", "box-d10", "ball-d3", "ball-d10", "parameters"])
def test_memberships_and_draws(name):
    def draw(method, region_, lane, slots, starts=None, **numbers):
        return region.Sampler(record(method=method, **numbers), region_, starts).draw(lane, slots)

    if name == "finite":
        probes = study.random_candidates(PUBLIC, "ball", 500, 3, 1.0)
        domain = study.Domain(study.FINITE, 3, candidates=probes)
        left = region.Region(domain)
    else:
        domain = parameters() if name == "parameters" else \
            study.Domain(study.BOX, int(name[5:])) if name.startswith("box") else \
            study.Domain(study.BALL, int(name[6:]), 1.0 if name == "ball-d3" else 2.0)
        left = region.Region(domain)
        probes = draw(REJECTION, left, (PUBLIC, coins.PUBLIC_POINT, 0, 1), range(400), max_attempts=1)
    features = domain.features(probes)
    inside = np.ones(len(probes), bool)
    for family, first in ((strict.SQUARED_EXPONENTIAL, 0), (strict.MATERN52, 20)):
        kernel, centers = kernel_of(family, domain.num_features), features[first:first + 20]
        sums = kernel.weighted_sums(features[inside], centers, weights_of(20))
        cut = region.Cut(kernel, centers, weights_of(20), sorted(sums)[len(sums) // 2])
        left = left.cut(cut)
        inside[inside] = sums >= cut.tau
    if name == "finite":
        has("membership/finite", study.u32s(left.survivors.tolist()))
        sampler = region.Sampler(record(method=INDEX), left)
        drawn = sampler.draw_index((PUBLIC, coins.PUBLIC_POINT, 0, 3), np.arange(5, 305))
        has("draw/index", study.u32s(drawn.tolist()))
        return
    assert (left.contains(probes) == inside).all()
    has(f"membership/{name}", left.contains(probes).astype(np.uint8).tobytes())
    drawn = draw(REJECTION, left, (PUBLIC, coins.PUBLIC_POINT, 0, 3), range(64), max_attempts=100000)
    has(f"draw/rejection/{name}", matrix(drawn))
    lane = (AGENT, coins.POINT, coins.WALK, 3)
    has(f"draw/walk/{name}", matrix(draw(WALK, left, lane, range(50), drawn, walk_steps=30, max_shrinks=100)))
    if name != "parameters":
        has(f"draw/cover/{name}", matrix(draw(COVER, left, lane, range(50), max_attempts=10**6, cover_depth=10)))
