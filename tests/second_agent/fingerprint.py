"""The digest of the numeric self-test: "numeric_fingerprint" of docs/formats/agent.md."""

import numpy as np

import coins
import region
import strict
import study
from messages import COVER, REJECTION, WALK, record


def _part(family, domain, key):
    def points(method, purpose, epoch, count, region_, starts=None, **numbers):
        sampler = region.Sampler(record(method=method, **numbers), region_, starts)
        return sampler.draw((key, purpose, purpose, epoch), np.arange(count))

    whole = region.Region(domain)
    centers = points(REJECTION, coins.PUBLIC_POINT, 1, 9, whole, max_attempts=1)
    probes = points(REJECTION, coins.PUBLIC_POINT, 2, 100, whole, max_attempts=1)
    kernel = strict.Kernel(family, [0.3 + 0.1 * k for k in range(domain.d)], 1.25)
    weights = [(-0.75 if i % 2 else 1.0) / (1.0 + 0.125 * i) for i in range(9)]
    sums = kernel.weighted_sums(probes, centers, weights)
    cut = region.Cut(kernel, centers, weights, 0.25 * float(sums.max()))
    left = whole.cut(cut)
    out = study.f64s(sums) + cut.keeps(probes).astype(np.uint8).tobytes()
    drawn = points(REJECTION, coins.POINT, 3, 20, left, max_attempts=100000)
    out += study.f64s(drawn.ravel())
    out += study.f64s(points(WALK, coins.WALK, 3, 40, left, drawn, walk_steps=12, max_shrinks=50).ravel())
    return out + study.f64s(points(COVER, coins.POINT, 3, 20, left, max_attempts=100000, cover_depth=8).ravel())


def recipe(seed):
    secret = coins.secret_of_seed(seed)
    out = b""
    for i in range(401):
        x = -8.0 + i * 0.04
        e = strict.exp(x)
        sine, cosine = strict.sincospi(x)
        out += np.array([e, strict.log(e + i), sine, cosine], "<f8").tobytes()
    key = coins.private_key(secret, 3)
    out += study.f64s(coins.uniforms(coins.words(key, coins.POINT, 2, 5, 7, 33))[0])
    out += study.f64s(coins.normals(coins.words(key, coins.NOISE, 0, 9, 0, 34, agent=1), 33)[0])
    public = coins.public_key(secret)
    out += _part(strict.SQUARED_EXPONENTIAL, study.Domain(study.BOX, 2), public)
    out += _part(strict.MATERN12, study.Domain(study.BALL, 3, 1.0), public)
    out += _part(strict.MATERN32, study.Domain(study.BOX, 1), public)
    return out + _part(strict.MATERN52, study.Domain(study.BALL, 2, 2.0), public)


def fingerprint(seed=20240215):
    return coins.digest(recipe(seed))
