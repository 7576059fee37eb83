#!/usr/bin/env python3
"""The exact posterior as others compute it: mean and variance at the same points, with kernel and
noise fixed, by SciPy's Cholesky or by scikit-learn's Gaussian process.

usage: gp_peers.py scipy|sklearn CASE ANSWER SECONDS

CASE is what `bench_coordinator export` writes, ANSWER gets the means and then the variances, both
as binary64. Prints one JSON object: the shortest of as many calls as fit into SECONDS, in seconds
of processor time, and the most memory the process had, in KiB.
"""

import json
import math
import sys
import time

import numpy as np
from scipy.linalg import cho_solve, cholesky, solve_triangular

from duets_numpy import FAST, kernel


def read_case(path):
    """(data, rewards, queries, length scale, lambda)"""
    raw = np.fromfile(path)
    m, n, d = (int(raw[i]) for i in range(3))
    data, rewards, queries = np.split(raw[5:], [m * d, m * d + m])
    return data.reshape(m, d), rewards, queries.reshape(n, d), raw[3], raw[4]


def by_scipy(data, rewards, queries, lengthscale, noise):
    k = kernel(data, data, lengthscale)
    k.flat[:: len(data) + 1] += noise
    lower = cholesky(k.T, lower=True, overwrite_a=True, **FAST)
    cross = kernel(queries, data, lengthscale)
    mean = cross @ cho_solve((lower, True), rewards, **FAST)
    # k(queries, data) is the transpose that LAPACK wants in its own order: nothing is copied.
    v = solve_triangular(lower, cross.T, lower=True, overwrite_b=True, **FAST)
    return mean, 1 - np.einsum("ij,ij->j", v, v)


def by_sklearn(data, rewards, queries, lengthscale, noise):
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF

    model = GaussianProcessRegressor(
        RBF(lengthscale, "fixed"), alpha=noise, optimizer=None, copy_X_train=False
    )
    mean, deviation = model.fit(data, rewards).predict(queries, return_std=True)
    return mean, deviation**2


def peak_memory_kib():
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:"))


def main():
    way = {"scipy": by_scipy, "sklearn": by_sklearn}[sys.argv[1]]
    case, seconds = read_case(sys.argv[2]), float(sys.argv[4])
    few = tuple(part[:2] for part in case[:3]) + case[3:]
    way(*few)  # loads what is loaded on first use
    best, began = math.inf, time.process_time()
    while best == math.inf or time.process_time() - began < seconds:
        start = time.process_time()
        answer = way(*case)
        best = min(best, time.process_time() - start)
    np.concatenate(answer).tofile(sys.argv[3])
    print(json.dumps({"seconds": best, "peak_kib": peak_memory_kib()}))


if __name__ == "__main__":
    main()
