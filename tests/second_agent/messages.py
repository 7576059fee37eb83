"""Messages: fields and bits, "Messages" of docs/formats/messages.md."""

import math
import types

import bits
import strict

INDUCING_SET, TRIM, UPLOAD, CLOSING, REFUSAL = range(5)
METHODS = INDEX, REJECTION, WALK, COVER = range(4)
_SAMPLER = {INDEX: (), REJECTION: ("max_attempts",),
            WALK: ("walk_steps", "max_shrinks", "num_starts", "stream_cap"),
            COVER: ("max_attempts", "cover_depth")}
REASONS = {1: "foreign", 2: "stale", 3: "conflict", 4: "shape", 5: "not finite", 6: "diverged"}


def record(**fields):
    return types.SimpleNamespace(**fields)


# --- Encoding -------------------------------------------------------------------------------------


def encode_inducing_set(m):
    w = bits.Writer()
    w.count(INDUCING_SET, 0)
    w.flag(m.rewards)
    w.flag(m.closing)
    w.count(m.epoch, 3)
    if m.exponent is not None or m.points or m.public_slots:
        w.flag(m.exponent is not None)
        if m.exponent is not None:
            w.integer(m.exponent, 2)
        if m.points or m.public_slots:
            w.some_points(m.points)
            w.increasing_to_the_end(m.public_slots)
    return w.bytes()


def _write_sampler_number(w, v):
    power = v > 0 and v & (v - 1) == 0
    w.flag(power)
    if power:
        w.bits(v.bit_length() - 1, 5)
    else:
        w.count(v, 5)


def encode_trim(m):
    w = bits.Writer()
    w.count(TRIM, 0)
    w.flag(m.short)
    w.count(m.epoch, 3)
    w.some_increasing(m.excluded)
    w.flag(m.cuts)
    if m.cuts:
        w.flag(m.model is not None)
        if m.model is not None:
            kernel, offset = m.model
            w.bits(kernel.family, 2)
            w.count(len(kernel.scales), 2)
            for scale in kernel.scales + (kernel.variance,):
                w.scale(scale, m.short)
            w.number(offset, m.short)
        w.number(m.tau, m.short)
        w.bits(m.sampler.method, 2)
        for name in _SAMPLER[m.sampler.method]:
            _write_sampler_number(w, getattr(m.sampler, name))
        w.some_points(m.starts)
        w.some_increasing(m.public_slots)
        w.numbers(m.weights, m.short, m.grid)
    return w.bytes()


def _write_digest(w, low, n):
    w.bits(low & ((1 << n) - 1), n)


def encode_upload(m):
    w = bits.Writer()
    w.count(UPLOAD, 0)
    w.flag(m.short)
    w.flag(m.rewards)
    w.count(m.agent, 3)
    w.count(m.epoch, 3)
    _write_digest(w, m.points_digest, 16 if m.short else 64)
    w.some_increasing(m.holes)
    w.numbers(m.values, m.short, m.grid)
    return w.bytes()


def encode_closing(m):
    w = bits.Writer()
    w.count(CLOSING, 0)
    w.flag(m.short)
    w.count(m.agent, 3)
    w.flag(m.best is not None)
    if m.best is not None:
        reward, epoch, slot = m.best
        w.count(epoch, 3)
        w.count(slot, 5)
        w.f64(reward)
    _write_digest(w, m.points_digest, 32 if m.short else 64)
    w.some_increasing(m.holes)
    w.numbers(m.values, m.short, m.grid)
    return w.bytes()


def encode_refusal(m):
    w = bits.Writer()
    w.count(REFUSAL, 0)
    w.count(m.agent, 3)
    w.count(m.epoch, 3)
    w.bits(m.reason, 3)
    return w.bytes()


# --- Decoding -------------------------------------------------------------------------------------


def decode(data):
    """Any message."""
    r = bits.Reader(data)
    kind = r.count(0)
    if kind == INDUCING_SET:
        m = record(kind=kind, rewards=r.flag(), closing=r.flag(), epoch=r.count(3), exponent=None, points=[],
                   public_slots=[])
        if not r.end():
            m.exponent = r.integer(2) if r.flag() else None
            if not r.end():
                m.points = r.some_points()
                m.public_slots = r.increasing_to_the_end()
        again = encode_inducing_set(m)
    elif kind == TRIM:
        m = record(kind=kind, short=r.flag(), epoch=r.count(3), excluded=r.some_increasing(), cuts=r.flag())
        if m.cuts:
            m.model = None
            if r.flag():
                family, n = r.bits(2), r.count(2)
                scales = [r.scale(m.short) for _ in range(n + 1)]
                m.model = (strict.Kernel(family, scales[:n], scales[n]), r.number(m.short))
            m.tau = r.number(m.short)
            m.sampler = record(method=r.bits(2))
            for name in _SAMPLER[m.sampler.method]:
                setattr(m.sampler, name, 1 << r.bits(5) if r.flag() else r.count(5))
            m.starts = r.some_points()
            m.public_slots = r.some_increasing()
            m.weights, m.grid = r.numbers(m.short)
            if not all(map(math.isfinite, m.weights + [m.tau])):
                raise bits.Wrong("a number that is not finite")
        again = encode_trim(m)
    elif kind == UPLOAD:
        m = record(kind=kind, short=r.flag(), rewards=r.flag(), agent=r.count(3), epoch=r.count(3))
        m.points_digest = r.bits(16 if m.short else 64)
        m.holes = r.some_increasing()
        m.values, m.grid = r.numbers(m.short)
        again = encode_upload(m)
    elif kind == CLOSING:
        m = record(kind=kind, short=r.flag(), agent=r.count(3), best=None)
        if r.flag():
            epoch, slot = r.count(3), r.count(5)
            m.best = (r.f64(), epoch, slot)
        m.points_digest = r.bits(32 if m.short else 64)
        m.holes = r.some_increasing()
        m.values, m.grid = r.numbers(m.short)
        again = encode_closing(m)
    elif kind == REFUSAL:
        m = record(kind=kind, agent=r.count(3), epoch=r.count(3), reason=r.bits(3))
        again = encode_refusal(m)
    else:
        raise bits.Wrong(f"a message of type {kind}")
    if again != bytes(data):
        raise bits.Wrong(f"not what an encoder writes: {bytes(data).hex()} instead of {again.hex()}")
    return m
