#!/usr/bin/env python3
"""The reference: the mathematics of one DUETS run, and of the posterior of 2000 points, in
vectorised NumPy and SciPy.

Two versions of a run: `plain` follows the formulas (every point of D_j, cho_factor and cho_solve,
each agent its own projection); `tuned` is what a profile leads to (repeated points collapsed, one
triangular solve for a variance, one pooled projection, arrays in LAPACK's order). Neither has a
Python loop over candidates or points.

It is fed with what chance decided in our own runs (which candidates were drawn, the coins of the
inducing set, the noise), computes everything else again, and compares its answers with ours before
anything is timed. Drawing, messages, digests and each party's own check of the cut are not repeated
here, which favours the reference.

usage: duets_numpy.py EXPORT.json SECONDS     prints one JSON object
"""

import json
import math
import sys
import time

import numpy as np
from scipy.linalg import cho_factor, cho_solve, cholesky, solve_triangular
from scipy.linalg.lapack import dpstrf
from scipy.spatial.distance import cdist

PRUNE_TOLERANCE = 1e-10
FAST = {"check_finite": False}


def kernel(a, b, lengthscale):
    """Squared exponential, |a| x |b|, in one pass over the distances and two in place."""
    k = cdist(a, b, "sqeuclidean")
    k *= -0.5 / lengthscale**2
    return np.exp(k, out=k)


def branin(x):
    u, v = 15 * x[:, 0] - 5, 15 * x[:, 1]
    q = v - 5.1 / (4 * math.pi**2) * u * u + 5 / math.pi * u - 6
    return -(q * q + (10 - 10 / (8 * math.pi)) * np.cos(u) - 44.81) / 51.95


def exact_variance(data, x, lengthscale, noise):
    """k(x,x) - k_D(x)^T (K + diag(noise))^-1 k_D(x): one factorisation, one triangular solve."""
    k = kernel(data, data, lengthscale)
    k.flat[:: len(data) + 1] += noise
    lower = cholesky(k.T, lower=True, overwrite_a=True, **FAST)
    # k(x, data) is the transpose that LAPACK wants in its own order: nothing is copied.
    cross = kernel(x, data, lengthscale).T
    v = solve_triangular(lower, cross, lower=True, overwrite_b=True, **FAST)
    return 1 - np.einsum("ij,ij->j", v, v)


class Sparse:
    """The whitened sparse posterior on pruned inducing points, K_SS = L L^T."""

    def __init__(self, inducing, lower, data, counts, lengthscale, noise):
        self.inducing, self.lower = inducing, lower
        self.lengthscale, self.noise = lengthscale, noise
        self.cross = kernel(data, inducing, lengthscale)
        z = solve_triangular(lower, self.cross.T, lower=True, **FAST)
        if counts is not None:
            z *= np.sqrt(counts)
        a = z @ z.T
        a.flat[:: len(a) + 1] += noise
        self.ridge = cholesky(a.T, lower=True, overwrite_a=True, **FAST)

    def weights(self, projection):
        v = solve_triangular(self.lower, projection, lower=True, **FAST)
        v = cho_solve((self.ridge, True), v, **FAST)
        return solve_triangular(self.lower, v, lower=True, trans=1, **FAST)

    def mean(self, x, weights):
        return kernel(x, self.inducing, self.lengthscale) @ weights

    def variance(self, x):
        k = kernel(x, self.inducing, self.lengthscale)
        z = solve_triangular(self.lower, k.T, lower=True, overwrite_b=True, **FAST)
        explained = np.einsum("ij,ij->j", z, z)
        z = solve_triangular(self.ridge, z, lower=True, overwrite_b=True, **FAST)
        return 1 - explained + self.noise * np.einsum("ij,ij->j", z, z)


def pruned(points, lengthscale):
    """The pivots of the points and their Cholesky factor, by LAPACK's pivoted Cholesky."""
    factor, pivots, rank, _ = dpstrf(
        kernel(points, points, lengthscale), tol=PRUNE_TOLERANCE, lower=1, overwrite_a=1
    )
    return points[pivots[:rank] - 1], np.tril(factor[:rank, :rank])


def tuned(case, epoch, region, values):
    """sigma2_max, S and the mean at the region, in one closed epoch."""
    x, lengthscale, noise = case["candidates"], case["lengthscale"], case["lambda"]
    # Repeated draws of one candidate collapse exactly: fewer rows, smaller noise.
    index, inverse, counts = np.unique(epoch["indices"], return_inverse=True, return_counts=True)
    data = x[index]
    sigma2_max = exact_variance(data, region, lengthscale, noise / counts).max()
    inducing, lower = pruned(x[chosen(case, epoch, sigma2_max)], lengthscale)
    posterior = Sparse(inducing, lower, data, counts, lengthscale, noise)
    rewards = np.bincount(inverse, values + epoch["noise"])
    weights = posterior.weights(rewards @ posterior.cross)
    return sigma2_max, inducing, posterior.mean(region, weights)


def plain(case, epoch, region, values):
    """The same, formula by formula."""
    x, lengthscale, noise = case["candidates"], case["lengthscale"], case["lambda"]
    data, rewards = x[epoch["indices"]], values + epoch["noise"]
    factor = cho_factor(kernel(data, data, lengthscale) + noise * np.eye(len(data)), lower=True)
    cross = kernel(data, region, lengthscale)
    sigma2_max = np.max(1 - np.sum(cross * cho_solve(factor, cross), axis=0))
    inducing, lower = pruned(x[chosen(case, epoch, sigma2_max)], lengthscale)
    posterior = Sparse(inducing, lower, data, None, lengthscale, noise)
    projection = np.zeros(len(inducing))
    for points, y in zip(np.split(data, case["agents"]), np.split(rewards, case["agents"])):
        projection += kernel(inducing, points, lengthscale) @ y
    return sigma2_max, inducing, posterior.mean(region, posterior.weights(projection))


def chosen(case, epoch, sigma2_max):
    """Different candidates whose coin falls below p_j; the smallest coin's when there is none."""
    below = epoch["coins"] < min(1.0, case["p0"] * sigma2_max)
    if not below.any():
        below = epoch["coins"] == epoch["coins"].min()
    return np.unique(epoch["indices"][below])


def run(case, close_epoch):
    """One run; the answers of every closed epoch, and the regret."""
    x = case["candidates"]
    f = case["function"](x)
    alive = np.arange(len(x))
    regret, answers = 0.0, []
    for epoch in case["epochs"]:
        values = f[epoch["indices"]]
        regret += f.max() * len(values) - values.sum()
        if epoch["answers"] is None:
            break
        sigma2_max, inducing, mean = close_epoch(case, epoch, x[alive], values)
        tau = mean.max() - 2 * case["beta"] * math.sqrt(sigma2_max)
        alive = alive[mean >= tau]
        answers.append((sigma2_max, len(inducing), mean.max(), tau, alive))
    return regret, answers


def posterior_exact(case):
    return exact_variance(case["data"], case["queries"], case["lengthscale"], case["lambda"])


def posterior_sparse(case):
    s, lengthscale = case["inducing"], case["lengthscale"]
    lower = cholesky(kernel(s, s, lengthscale).T, lower=True, overwrite_a=True, **FAST)
    return Sparse(s, lower, case["data"], None, lengthscale, case["lambda"]).variance(
        case["queries"]
    )


def read_epochs(case):
    for epoch in case["epochs"]:
        for name in ("indices", "coins", "noise"):
            epoch[name] = np.array(epoch[name])


def read_cases(path):
    """The timed runs, each with its candidates and function, and the posterior."""
    with open(path, encoding="utf-8") as file:
        cases = json.load(file)
    cases["runs"] = []
    for stored in cases["cases"]:
        case = stored["run"]
        case["candidates"] = np.array(stored["candidates"]).reshape(-1, 2)
        case["function"] = branin
        read_epochs(case)
        cases["runs"].append(case)
    for name in ("data", "queries", "inducing"):
        cases["posterior"][name] = np.array(cases["posterior"][name]).reshape(-1, 2)
    return cases


def close(what, theirs, ours, tolerance):
    error = float(np.max(np.abs(np.asarray(theirs) - np.asarray(ours))))
    if not error <= tolerance:
        raise SystemExit(f"{what}: NumPy and duets differ by {error:g} (allowed: {tolerance:g})")
    return error


def check_run(case, close_epoch):
    """Survivors exactly; variances and means as far as both sides' rounding allows."""
    regret, answers = run(case, close_epoch)
    name = f"{close_epoch.__name__}, beta {case['beta']:g}, seed {case['seed']}"
    worst = 0.0
    for number, (epoch, theirs) in enumerate(zip(case["epochs"], answers), 1):
        ours, place = epoch["answers"], f"{name}, epoch {number}"
        sigma2_max, num_inducing, max_mean, tau, alive = theirs
        worst = max(worst, close(f"{place}, sigma2_max", sigma2_max, ours["sigma2_max"], 1e-9))
        # Pruning keeps or drops points whose residual is within rounding of 1e-10, so S may differ
        # by a point; means of sets pruned at 1e-10 agree to 1e-7.
        close(f"{place}, |S|", num_inducing, ours["num_inducing"], 2)
        worst = max(worst, close(f"{place}, largest mean", max_mean, ours["max_mean"], 1e-7))
        worst = max(worst, close(f"{place}, tau", tau, ours["tau"], 1e-7))
        if not np.array_equal(alive, ours["survivors"]):
            raise SystemExit(f"{place}: other survivors ({len(alive)}, {len(ours['survivors'])})")
    close(f"{name}, regret", regret, case["regret"], 1e-9 * case["regret"])
    return worst


def shortest(body, seconds):
    """The shortest of as many calls as fit, at least three; processor time."""
    body()
    best, began, calls = math.inf, time.perf_counter(), 0
    while calls < 3 or time.perf_counter() - began < seconds:
        start = time.process_time()
        body()
        best = min(best, time.process_time() - start)
        calls += 1
    return best


def main():
    cases, seconds = read_cases(sys.argv[1]), float(sys.argv[2])
    posterior = cases["posterior"]
    result = {
        "run_error": max(check_run(case, way) for case in cases["runs"] for way in (plain, tuned)),
        "exact_error": close("exact", posterior_exact(posterior), posterior["exact"], 1e-9),
        "sparse_error": close("sparse", posterior_sparse(posterior), posterior["sparse"], 1e-9),
        "posterior_exact": 1e3 * shortest(lambda: posterior_exact(posterior), seconds),
        "posterior_sparse": 1e3 * shortest(lambda: posterior_sparse(posterior), seconds),
    }
    for way in (plain, tuned):
        for beta in sorted({case["beta"] for case in cases["runs"]}):
            # Each seed's own best, then their mean: one disturbed run does not spoil the others.
            times = [
                shortest(lambda: run(case, way), seconds / 5)
                for case in cases["runs"]
                if case["beta"] == beta
            ]
            result[f"paper_run/beta_{beta:g}/{way.__name__}"] = 1e3 * sum(times) / len(times)
    print(json.dumps(result))


if __name__ == "__main__":
    main()
