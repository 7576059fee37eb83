"""The Python agent against known answers: tests/golden/coins.kat and strict.kat."""

import os
import pathlib

import numpy as np

import coins
import strict

GOLDEN = pathlib.Path(os.environ["DUETS_SOURCE_DIR"]) / "tests" / "golden"
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
