#!/usr/bin/env python3
"""The published study once more, in NumPy: N = 10 agents, T = 50 queries each, preset `paper`.

Own code from the equations, own random numbers, no number or line of the program under test.
Mean and standard deviation of the final regret and of the reals sent (ledger `paper`) go to standard
output as JSON.

usage: study_numpy.py RUNS > study_rerun.json      about 2 s of processor time for each run
"""

import json
import math
import os
import sys

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
import numpy as np  # noqa: E402

AGENTS, HORIZON, CANDIDATES = 10, 50, 2000
NOISE, LAMBDA = 0.2, 0.2
BETAS = (0.2, 0.5, 1.0, 2.0)
A = np.array([[10, 3, 17, 3.5], [0.05, 10, 17, 0.1], [3, 3.5, 1.7, 10], [17, 8, 0.05, 10]])
C = np.array(
    [
        [0.1312, 0.1696, 0.5569, 0.0124],
        [0.2329, 0.4135, 0.8307, 0.3736],
        [0.2348, 0.1451, 0.3522, 0.2883],
        [0.4047, 0.8828, 0.8732, 0.5743],
    ]
)
W = np.array([1.0, 1.2, 3.0, 3.2])


def branin(x):
    u, v = 15 * x[:, 0] - 5, 15 * x[:, 1]
    q = v - 5.1 * u * u / (4 * math.pi**2) + 5 * u / math.pi - 6
    return -(q * q + (10 - 10 / (8 * math.pi)) * np.cos(u) - 44.81) / 51.95


def hartmann4(x):
    return np.exp(-((x[:, None, :] - C) ** 2 * A).sum(axis=2)) @ W


# The direction of h1 and h2 is a coordinate axis: points of a ball have no preferred one.
FUNCTIONS = {
    "h1": (10, True, 1.0, lambda x: np.cos(3 * x[:, 0])),
    "h2": (10, True, 1.0, lambda x: (x[:, 0] - 1) ** 3 + 4),
    "branin": (2, False, 0.2, branin),
    "hartmann4": (4, False, 1.0, hartmann4),
}


class Bandit:
    """The candidates of one seed; rewards with noise; regret so far."""

    def __init__(self, function, seed):
        self.d, ball, scale, f = FUNCTIONS[function]
        self.rng = np.random.default_rng([seed, list(FUNCTIONS).index(function)])
        if ball:
            x = self.rng.standard_normal((CANDIDATES, self.d))
            radius = self.rng.random(CANDIDATES) ** (1 / self.d)
            x *= (radius / np.linalg.norm(x, axis=1))[:, None]
        else:
            x = self.rng.random((CANDIDATES, self.d))
        square = (x**2).sum(axis=1)
        self.gram = np.exp(-0.5 / scale**2 * (square[:, None] + square - 2 * x @ x.T).clip(0))
        self.values, self.regret = f(x), 0.0

    def query(self, arms):
        self.regret += (self.values.max() - self.values[arms]).sum()
        return self.values[arms] + NOISE * self.rng.standard_normal(len(arms))


class Posterior:
    """Mean and variance at all candidates, data by data: Gram-Schmidt on the kernel's columns."""

    def __init__(self, gram, size):
        self.gram, self.rows, self.count = gram, np.empty((size, len(gram))), 0
        self.mean, self.variance = np.zeros(len(gram)), np.ones(len(gram))

    def columns(self, arms):
        known = self.rows[: self.count]
        return self.gram[arms] - known[:, arms].T @ known

    def add(self, arms, rewards):
        """Several data at once, each arm once; of a repeated one the mean reward counts."""
        arms, place, counts = np.unique(arms, return_inverse=True, return_counts=True)
        rewards = np.bincount(place, rewards) / counts
        columns = self.columns(arms)
        lower = np.linalg.cholesky(columns[:, arms] + np.diag(LAMBDA / counts))
        rows = np.linalg.solve(lower, columns)
        self.mean += np.linalg.solve(lower, rewards - self.mean[arms]) @ rows
        self.variance = (self.variance - (rows**2).sum(axis=0)).clip(0)
        self.rows[self.count : self.count + len(arms)] = rows
        self.count += len(arms)


def pooling_ucb(bandit, beta, threshold):
    """DisKernelUCB; with an infinite threshold N-KernelUCB."""
    pool = Posterior(bandit.gram, AGENTS * HORIZON)
    own_rows = np.empty((AGENTS, HORIZON, CANDIDATES))
    everyone = np.arange(AGENTS)
    reals, since, pairs = 0, 0, []
    for t in range(HORIZON):
        if since == t:
            mean, variance = np.tile(pool.mean, (AGENTS, 1)), np.tile(pool.variance, (AGENTS, 1))
            growth = np.zeros(AGENTS)
        if t == 0:
            arms = bandit.rng.integers(CANDIDATES, size=AGENTS)
        else:
            arms = np.argmax(mean + beta * np.sqrt(variance), axis=1)
        rewards = bandit.query(arms)
        pairs.append((arms, rewards))
        growth += np.log1p(variance[everyone, arms] / LAMBDA)
        if (t + 1 - since) * growth.max() > threshold:
            if t + 1 == HORIZON:
                break
            reals += (1 + AGENTS) * (t + 1 - since) * (bandit.d + 1)
            pool.add(*(np.concatenate(part) for part in zip(*pairs)))
            since, pairs = t + 1, []
            continue
        columns, known = pool.columns(arms), own_rows[:, : t - since]
        columns -= np.einsum("ai,aij->aj", known[everyone, :, arms], known, optimize=True)
        root = np.sqrt(columns[everyone, arms] + LAMBDA)
        row = columns / root[:, None]
        own_rows[:, t - since] = row
        mean += row * ((rewards - mean[everyone, arms]) / root)[:, None]
        variance = (variance - row**2).clip(0)
    return reals


class Dictionary:
    """The Nystrom model of a synchronisation, at all candidates."""

    def __init__(self, gram, points, arms, rewards):
        values, vectors = np.linalg.eigh(gram[np.ix_(points, points)])
        keep = values > 1e-9 * values.max()
        self.z = (vectors[:, keep] / np.sqrt(values[keep])).T @ gram[points]
        seen = self.z[:, arms]
        self.inverse = np.linalg.inv(seen @ seen.T + LAMBDA * np.eye(len(self.z)))
        self.moment = seen @ rewards
        outside = (1 - (self.z**2).sum(axis=0)).clip(0) / LAMBDA
        self.bonus = outside + (self.z * (self.inverse @ self.z)).sum(axis=0)


def approx_dis_kernel_ucb(bandit, beta, threshold=20.0):
    bonus = np.full(CANDIDATES, 1 / LAMBDA)
    history, reals, points, models = [], 0.0, None, None
    gathered = np.zeros(AGENTS)
    for t in range(HORIZON):
        if models is None:
            arms = bandit.rng.integers(CANDIDATES, size=AGENTS)
        else:
            arms = np.array([np.argmax(m[2] + beta * np.sqrt(m[3])) for m in models])
        rewards = bandit.query(arms)
        history.append((arms, rewards))
        gathered += bonus[arms]
        if gathered.max() > threshold:
            if t + 1 == HORIZON:
                break
            played = np.array([one for one, _ in history]).T
            coins = bandit.rng.random(played.shape) < bonus[played]
            uploads = sum(len(set(own[keep])) for own, keep in zip(played, coins))
            if coins.any():
                points = np.unique(played[coins])
            m = len(points)
            reals += uploads * bandit.d / AGENTS + m * bandit.d + 2 * (m * m + m)
            shared = Dictionary(bandit.gram, points, *map(np.concatenate, zip(*history)))
            bonus, gathered = shared.bonus, np.zeros(AGENTS)
            mean = shared.z.T @ (shared.inverse @ shared.moment)
            models = [
                [shared.inverse.copy(), shared.moment.copy(), mean, bonus] for _ in range(AGENTS)
            ]
        elif models is not None:
            for model, arm, reward in zip(models, arms, rewards):
                inverse, z = model[0], shared.z[:, arm]
                v = inverse @ z
                scale = 1 + z @ v
                model[3] = (model[3] - (shared.z.T @ v) ** 2 / scale).clip(0)
                inverse -= np.outer(v, v) / scale
                model[1] += reward * z
                model[2] = shared.z.T @ (inverse @ model[1])
    return reals


def pruned(gram, points, tolerance=1e-10):
    """The pivots of a Cholesky factorisation that leaves no residual above the tolerance."""
    residual, rows, pivots = np.ones(len(points)), [], []
    k = gram[np.ix_(points, points)]
    while residual.max() > tolerance:
        at = int(residual.argmax())
        column = k[at] - sum(row[at] * row for row in rows)
        rows.append(column / math.sqrt(residual[at]))
        residual = residual - rows[-1] ** 2
        residual[at] = 0
        pivots.append(points[at])
    return np.array(pivots)


def printed_coins(bandit, arms, sigma2, p0=10.0):
    coins = bandit.rng.random(len(arms))
    chosen = arms[coins < min(1.0, p0 * sigma2)]
    return pruned(bandit.gram, np.unique(chosen if len(chosen) else arms[[coins.argmin()]]))


def greedy(bandit, arms, sigma2):
    return pruned(bandit.gram, np.unique(arms), 0.1 * sigma2)


def duets(bandit, beta, lengths=(2, 10, 22, 16), inducing=printed_coins):
    gram, active, reals = bandit.gram, np.arange(CANDIDATES), 0
    for epoch, length in enumerate(lengths, 1):
        arms = active[bandit.rng.integers(len(active), size=AGENTS * length)]
        rewards = bandit.query(arms)
        if epoch == len(lengths):
            break
        # The exact variance, from every query of the epoch.
        everything = Posterior(gram, len(arms))
        everything.add(arms, rewards)
        sigma2 = everything.variance[active].max()
        points = inducing(bandit, arms, sigma2)
        root = np.linalg.cholesky(gram[np.ix_(points, points)])
        z = np.linalg.solve(root, gram[points])
        seen = z[:, arms]
        weights = np.linalg.solve(seen @ seen.T + LAMBDA * np.eye(len(points)), seen @ rewards)
        mean = z[:, active].T @ weights
        active = active[mean >= mean.max() - 2 * beta * math.sqrt(sigma2)]
        reals += len(points) * (bandit.d + 2) + 1
    return reals


def paired_doubling_greedy(bandit, beta):
    """A variant: epochs of 1, 1, 2, 2, .., pivots until the residual is a tenth of sigma2."""
    return duets(bandit, beta, (1, 1, 2, 2, 4, 4, 8, 8, 20), greedy)


ALGORITHMS = {
    "N-KernelUCB": lambda bandit, beta: pooling_ucb(bandit, beta, math.inf),
    "DisKernelUCB": lambda bandit, beta: pooling_ucb(bandit, beta, 10.0),
    "ApproxDisKernelUCB": approx_dis_kernel_ucb,
    "DUETS": duets,
}
CONTENDERS = [(*one, beta) for one in ALGORITHMS.items() for beta in BETAS]
# Its regret varies more than that of the others: it has three times as many seeds.
VARIANT = ("paired-doubling + greedy", paired_doubling_greedy, 0.2)


def summary(values):
    return {"mean": float(np.mean(values)), "stddev": float(np.std(values, ddof=1))}


def main():
    runs, results = int(sys.argv[1]), []
    for function in FUNCTIONS:
        finals = {}
        for seed in range(3 * runs):
            for algorithm, play, beta in [*CONTENDERS, VARIANT] if seed < runs else [VARIANT]:
                bandit = Bandit(function, seed)
                reals = play(bandit, beta)
                finals.setdefault((algorithm, beta), []).append((bandit.regret, reals))
            if (seed + 1) % 50 == 0:
                print(f"{function}: {seed + 1} of {3 * runs}", file=sys.stderr)
        for (algorithm, beta), pairs in finals.items():
            regret, reals = zip(*pairs)
            results.append(
                {
                    "function": function,
                    "algorithm": algorithm,
                    "beta": beta,
                    "runs": len(pairs),
                    "regret": summary(regret),
                    "reals": summary(reals),
                }
            )
    print('{"results": [\n' + ",\n".join(map(json.dumps, results)) + "\n]}")


if __name__ == "__main__":
    main()
