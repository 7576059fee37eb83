"""Coins and digests: docs/formats/coins.md and the type "digest" of docs/formats/messages.md."""

import hashlib

import numpy as np
from nacl.bindings import crypto_shorthash_siphashx24

import strict

POINT, WALK, INDUCING, PUBLIC_POINT, PUBLIC_WALK, CANDIDATE, NOISE = 1, 2, 3, 4, 5, 6, 7
POOL_POINT, POOL_WALK, ROTATION, ROUNDING = 10, 11, 12, 14
U64 = np.uint64


def digest(data):
    """SipHash-2-4-128 under the zero key: 16 bytes, the low half first."""
    return crypto_shorthash_siphashx24(bytes(data), bytes(16))


def low_half(data):
    return int.from_bytes(digest(data)[:8], "little")


# --- Keys -----------------------------------------------------------------------------------------


def secret_of_seed(seed):
    return hashlib.blake2b(b"duets-study-seed" + seed.to_bytes(8, "little"), digest_size=32).digest()


def _derived(secret, context, number):
    return hashlib.blake2b(key=secret, digest_size=32, salt=number.to_bytes(8, "little") + bytes(8),
                           person=context + bytes(8)).digest()


def private_key(secret, agent):
    return _derived(secret, b"duetsagt", agent)


def public_key(secret):
    return _derived(secret, b"duetspub", 0)


def problem_key(secret):
    return _derived(secret, b"duetsprb", 0)


# --- Words ----------------------------------------------------------------------------------------


def _quarter(s, a, b, c, d):
    for x, y, z, turn in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
        s[x] += s[y]
        s[z] ^= s[x]
        s[z] = (s[z] << np.uint32(turn)) | (s[z] >> np.uint32(32 - turn))


def _blocks(key, nonce, counters):
    """ChaCha20 with a 64-bit counter: one row of 8 words for each counter."""
    counters = np.asarray(counters, U64)
    first = np.empty((16, len(counters)), np.uint32)
    first[0:4] = np.frombuffer(b"expand 32-byte k", "<u4")[:, None]
    first[4:12] = np.frombuffer(key, "<u4")[:, None]
    first[12] = counters & U64(0xFFFFFFFF)
    first[13] = counters >> U64(32)
    first[14] = nonce & 0xFFFFFFFF
    first[15] = nonce >> 32
    s = list(first.copy())
    for _ in range(10):
        _quarter(s, 0, 4, 8, 12)
        _quarter(s, 1, 5, 9, 13)
        _quarter(s, 2, 6, 10, 14)
        _quarter(s, 3, 7, 11, 15)
        _quarter(s, 0, 5, 10, 15)
        _quarter(s, 1, 6, 11, 12)
        _quarter(s, 2, 7, 8, 13)
        _quarter(s, 3, 4, 9, 14)
    out = (np.array(s) + first).astype(U64)
    return (out[0::2] | (out[1::2] << U64(32))).T


def words(key, purpose, epoch, slots, attempts, count, agent=0):
    """The first `count` words of each address; slots and attempts are lists of one length."""
    slots, attempts = np.broadcast_arrays(np.atleast_1d(slots), np.atleast_1d(attempts))
    assert 0 < purpose and 0 <= epoch < 2**24 and count <= 2048
    assert attempts.size == 0 or int(attempts.max()) < 2**24
    blocks = (count + 7) // 8
    base = (slots.astype(U64) << U64(32)) | (attempts.astype(U64) << U64(8))
    counters = base[:, None] | np.arange(blocks, dtype=U64)[None, :]
    nonce = purpose << 56 | epoch << 32 | agent
    return _blocks(key, nonce, counters.ravel()).reshape(len(base), 8 * blocks)[:, :count]


# --- From words to numbers ------------------------------------------------------------------------


def uniforms(w):
    return (w >> U64(11)).astype(float) * 2.0**-53


def index_below(w, n):
    """floor(word * n / 2^64) of each word, in whole numbers of any size."""
    return np.array([int(x) * int(n) >> 64 for x in np.ravel(w)], dtype=np.int64)


def normals(w, count):
    """Standard normals of rows of words, an even number of words a row."""
    u1 = ((w[:, 0::2] >> U64(11)).astype(float) + 1.0) * 2.0**-53
    u2 = (w[:, 1::2] >> U64(11)).astype(float) * 2.0**-53
    r = np.sqrt(-2.0 * strict.log(u1))
    sine, cosine = strict.sincospi(2.0 * u2)
    out = np.empty(w.shape)
    out[:, 0::2] = r * cosine
    out[:, 1::2] = r * sine
    return out[:, :count]


def even(count):
    return count + count % 2
