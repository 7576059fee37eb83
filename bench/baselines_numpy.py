#!/usr/bin/env python3
"""The reference for runs of the study: N-KernelUCB, DisKernelUCB and ApproxDisKernelUCB in NumPy.

`vectorised` keeps the posterior at all arms up to date in O(t M) for a query: V = L^-1 K_{D,arms} has
one row more with each, all agents in one call; at a synchronisation a block of rows, or the model of
the new dictionary. `collapsed` makes one row of all queries of an arm between synchronisations.
`naive` fits everything anew for every query. None has a Python loop over arms; only `naive` has one
over agents.

It is fed with what chance decided (candidates, their values, noise, the arms and coins of the
policies' coin), chooses every arm itself, and has to choose the same 500 as our run did, with the
same regret and the same reals sent, before anything is timed. DUETS is computed by duets_numpy.py.

usage: baselines_numpy.py EXPORT.json SECONDS [naive]     prints one JSON object; the naive forms,
which take half a minute, only when they are asked for
"""

import functools
import json
import sys
import time

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, cholesky, solve_triangular
from scipy.linalg.blas import dtrsm

import duets_numpy
from duets_numpy import FAST, close, kernel, shortest

JITTERS = (0.0, 1e-15, 1e-14, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8)


def root_of(a):
    """The Cholesky factor, with the jitter that a nearly singular Gram matrix needs."""
    for jitter in JITTERS:
        try:
            return cholesky(a + jitter * np.eye(len(a)), lower=True, **FAST)
        except LinAlgError:
            continue
    raise SystemExit("a matrix cannot be factored")


def whiten(lower, rows):
    """L^-1 rows, in place: `rows` is C-ordered, so its transpose is solved from the right."""
    return dtrsm(1.0, lower, rows.T, side=1, lower=1, trans_a=1, overwrite_b=1).T


class Rows:
    """What N agents add to a prior they share: rows, mean and variance of each, at all arms."""

    def __init__(self, instance, noise):
        agents, horizon, arms = instance["agents"], instance["horizon"], len(instance["gram"])
        self.noise, self.agents = noise, np.arange(agents)
        self.rows = np.empty((agents, horizon, arms))
        self.bound = np.empty((agents, arms))

    def restart(self, mean, variance):
        """Nothing of its own yet; mean and variance are the prior's at all arms."""
        shape = self.bound.shape
        self.count = 0
        self.mean, self.variance = np.empty(shape), np.empty(shape)
        self.mean[:], self.variance[:] = mean, variance

    def best(self, beta):
        """The arm of the largest bound, for each agent."""
        if self.count == 0:
            # The prior is the same for all, and so is what they play.
            return np.full(
                len(self.agents), np.argmax(self.mean[0] + beta * np.sqrt(self.variance[0]))
            )
        np.sqrt(self.variance, out=self.bound)
        self.bound *= beta
        self.bound += self.mean
        return self.bound.argmax(axis=1)

    def observe(self, arms, columns, rewards):
        """One query of each agent; `columns` (N x M) are the arms' prior covariances, used up."""
        count, agents = self.count, self.agents
        if count:
            white = self.rows[agents, :count, arms]
            columns -= np.matmul(white[:, None, :], self.rows[:, :count])[:, 0]
        root = np.sqrt(columns[agents, arms] + self.noise)
        surprise = (rewards - self.mean[agents, arms]) / root
        row = np.divide(columns, root[:, None], out=self.rows[:, count])
        self.mean += np.multiply(row, surprise[:, None], out=columns)
        self.variance -= np.multiply(row, row, out=columns)
        np.maximum(self.variance, 0.0, out=self.variance)
        self.count += 1


def n_kernel_ucb(instance, beta, _collapse):
    gram, values, noise = instance["gram"], instance["values"], instance["noise"]
    rows = Rows(instance, instance["lambda"])
    rows.restart(0.0, 1.0)
    played = np.empty((instance["horizon"], instance["agents"]), dtype=np.int64)
    for t in range(instance["horizon"]):
        arms = rows.best(beta) if t else instance["uniform_arms"][0]
        played[t] = arms
        rows.observe(arms, gram[arms], values[arms] + noise[t])
    return played, 0.0


class Pool:
    """The posterior of everything synchronised, at all arms."""

    def __init__(self, instance):
        self.gram, self.noise = instance["gram"], instance["lambda"]
        arms = len(self.gram)
        self.rows = np.empty((instance["agents"] * instance["horizon"], arms))
        self.mean, self.variance, self.count = np.zeros(arms), np.ones(arms), 0

    def columns(self, arms):
        """Covariances of these arms with all, given the pool."""
        columns = self.gram[arms]
        if self.count:
            known = self.rows[: self.count]
            columns -= known[:, arms].T @ known
        return columns

    def observe(self, arms, rewards, counts):
        """A block of rows; `counts` queries of each arm, of which `rewards` is the mean."""
        columns = self.columns(arms)
        lower = cholesky(
            columns[:, arms] + np.diag(self.noise / counts), lower=True, overwrite_a=True, **FAST
        )
        surprise = solve_triangular(lower, rewards - self.mean[arms], lower=True, **FAST)
        rows = whiten(lower, columns)
        self.rows[self.count : self.count + len(arms)] = rows
        self.count += len(arms)
        self.mean += surprise @ rows
        self.variance -= np.einsum("ij,ij->j", rows, rows)
        np.maximum(self.variance, 0.0, out=self.variance)


def tallies(arms, rewards):
    """Different arms, mean reward and number of queries of each."""
    arms, inverse, counts = np.unique(arms, return_inverse=True, return_counts=True)
    return arms, np.bincount(inverse, rewards) / counts, counts


def columns_of(source, arms, collapse):
    """Covariances of each agent's arm; once for agents that play the same, when told to."""
    if not collapse:
        return source(arms)
    different, inverse = np.unique(arms, return_inverse=True)
    return source(different)[inverse]


def dis_kernel_ucb(instance, beta, collapse):
    values, noise, horizon = instance["values"], instance["noise"], instance["horizon"]
    num_agents, reals = instance["agents"], instance["dimension"] + 1
    pool, own = Pool(instance), Rows(instance, instance["lambda"])
    own.restart(pool.mean, pool.variance)
    played = np.empty((horizon, num_agents), dtype=np.int64)
    rewards = np.empty((horizon, num_agents))
    since, growth, sent = 0, np.zeros(num_agents), 0.0
    for t in range(horizon):
        arms = own.best(beta) if t else instance["uniform_arms"][0]
        played[t], rewards[t] = arms, values[arms] + noise[t]
        growth += np.log1p(own.variance[own.agents, arms] / pool.noise)
        rounds = t + 1 - since
        if rounds * growth.max() <= instance["dis_threshold"]:
            own.observe(arms, columns_of(pool.columns, arms, collapse), rewards[t])
            continue
        if t + 1 == horizon:  # nothing is sent after the last query
            break
        sent += (1 + num_agents) * rounds * reals
        new, y = played[since : t + 1].ravel(), rewards[since : t + 1].ravel()
        pool.observe(*(tallies(new, y) if collapse else (new, y, np.ones(len(new)))))
        own.restart(pool.mean, pool.variance)
        since, growth = t + 1, np.zeros(num_agents)
    return played, sent


def nystrom(gram, dictionary, data, rewards, noise):
    """W = R^-1 Z at all arms, R^-1 b, and the leverage: the model of a dictionary."""
    z = whiten(root_of(gram[np.ix_(dictionary, dictionary)]), gram[dictionary])
    counts = np.bincount(data, minlength=len(gram))
    seen = np.flatnonzero(counts)
    weighted = z[:, seen] * np.sqrt(counts[seen])
    lower = root_of(weighted @ weighted.T + noise * np.eye(len(dictionary)))
    moment = z[:, seen] @ np.bincount(data, rewards, minlength=len(gram))[seen]
    residual = (1 - np.einsum("ij,ij->j", z, z)) / noise
    w = whiten(lower, z)
    leverage = residual + np.einsum("ij,ij->j", w, w)
    weights = solve_triangular(lower, moment, lower=True, **FAST)
    return w, w.T @ weights, np.clip(leverage, 0.0, 1 / noise)


def kept_arms(instance, sync, played, leverage):
    """The arms that each agent's coins keep: their union, and how many over all agents."""
    arms = played.T
    kept = instance["coins"][sync, :, : len(played)] < leverage[arms]
    uploads = sum(len(np.unique(own[keep])) for own, keep in zip(arms, kept))
    return np.unique(arms[kept]), uploads


def approx_dis_kernel_ucb(instance, beta, collapse):
    gram, values, noise = instance["gram"], instance["values"], instance["noise"]
    horizon, num_agents, d = instance["horizon"], instance["agents"], instance["dimension"]
    own = Rows(instance, 1.0)  # in units of lambda, where z z^T counts as noise 1
    leverage = np.full(len(gram), 1 / instance["lambda"])
    played = np.empty((horizon, num_agents), dtype=np.int64)
    rewards = np.empty((horizon, num_agents))
    gathered, sent, syncs, dictionary, w = np.zeros(num_agents), 0.0, 0, np.empty(0, int), None
    for t in range(horizon):
        arms = instance["uniform_arms"][t] if w is None else own.best(beta)
        played[t], rewards[t] = arms, values[arms] + noise[t]
        gathered += leverage[arms]
        if gathered.max() <= instance["approx_threshold"]:
            if w is not None:
                own.observe(arms, columns_of(lambda a: w[:, a].T @ w, arms, collapse), rewards[t])
            continue
        if t + 1 == horizon:
            break
        kept, uploads = kept_arms(instance, syncs, played[: t + 1], leverage)
        dictionary = kept if len(kept) else dictionary
        syncs, m = syncs + 1, len(dictionary)
        sent += uploads * d / num_agents + len(kept) * d + 2 * (m * m + m)
        w, mean, leverage = nystrom(
            gram, dictionary, played[: t + 1].ravel(), rewards[: t + 1].ravel(), instance["lambda"]
        )
        own.restart(mean, leverage)
        gathered = np.zeros(num_agents)
    return played, sent


def refit(gram, data, rewards, noise):
    """mean and variance at all arms, formula by formula."""
    factor = cho_factor(gram[np.ix_(data, data)] + noise * np.eye(len(data)), lower=True)
    cross = gram[data]
    variance = 1 - np.sum(cross * cho_solve(factor, cross), axis=0)
    return cross.T @ cho_solve(factor, rewards), np.maximum(variance, 0)


def naive_dis_kernel_ucb(instance, beta, threshold):
    """Every agent fits all it knows before every query; without a threshold, N-KernelUCB."""
    gram, noise = instance["gram"], instance["noise"]
    horizon, num_agents = instance["horizon"], instance["agents"]
    reals = instance["dimension"] + 1
    played = np.empty((horizon, num_agents), dtype=np.int64)
    rewards = np.empty((horizon, num_agents))
    since, growth, sent = 0, np.zeros(num_agents), 0.0
    for t in range(horizon):
        for agent in range(num_agents):
            mean, variance = np.zeros(len(gram)), np.ones(len(gram))
            if t:
                data = np.append(played[:since].ravel(), played[since:t, agent])
                y = np.append(rewards[:since].ravel(), rewards[since:t, agent])
                mean, variance = refit(gram, data, y, instance["lambda"])
            bound = mean + beta * np.sqrt(variance)
            arm = np.argmax(bound) if t else instance["uniform_arms"][0][agent]
            played[t, agent], rewards[t, agent] = arm, instance["values"][arm] + noise[t, agent]
            growth[agent] += np.log1p(variance[arm] / instance["lambda"])
        if t + 1 < horizon and (t + 1 - since) * growth.max() > threshold:
            sent += (1 + num_agents) * (t + 1 - since) * reals
            since, growth = t + 1, np.zeros(num_agents)
    return played, sent


def naive_approx_dis_kernel_ucb(instance, beta):
    """Every agent builds the model of its dictionary, with all its data, before every query."""
    gram, noise = instance["gram"], instance["noise"]
    horizon, num_agents, d = instance["horizon"], instance["agents"], instance["dimension"]
    last = np.full(len(gram), 1 / instance["lambda"])
    played = np.empty((horizon, num_agents), dtype=np.int64)
    rewards = np.empty((horizon, num_agents))
    gathered, sent, syncs, since = np.zeros(num_agents), 0.0, 0, 0
    dictionary = np.empty(0, int)
    for t in range(horizon):
        for agent in range(num_agents):
            arm = instance["uniform_arms"][t][agent]
            if len(dictionary):
                data = np.append(played[:since].ravel(), played[since:t, agent])
                y = np.append(rewards[:since].ravel(), rewards[since:t, agent])
                _, mean, leverage = nystrom(gram, dictionary, data, y, instance["lambda"])
                arm = np.argmax(mean + beta * np.sqrt(leverage))
            played[t, agent], rewards[t, agent] = arm, instance["values"][arm] + noise[t, agent]
        gathered += last[played[t]]
        if t + 1 == horizon or gathered.max() <= instance["approx_threshold"]:
            continue
        kept, uploads = kept_arms(instance, syncs, played[: t + 1], last)
        dictionary = kept if len(kept) else dictionary
        syncs, since, m = syncs + 1, t + 1, len(dictionary)
        sent += uploads * d / num_agents + len(kept) * d + 2 * (m * m + m)
        data, y = played[:since].ravel(), rewards[:since].ravel()
        _, _, last = nystrom(gram, dictionary, data, y, instance["lambda"])
        gathered = np.zeros(num_agents)
    return played, sent


FAST_FORMS = {
    "n-kernel-ucb": n_kernel_ucb,
    "dis-kernel-ucb": dis_kernel_ucb,
    "approx-dis-kernel-ucb": approx_dis_kernel_ucb,
}


def naive(instance, algorithm, beta):
    if algorithm == "n-kernel-ucb":
        return naive_dis_kernel_ucb(instance, beta, np.inf)
    if algorithm == "dis-kernel-ucb":
        return naive_dis_kernel_ucb(instance, beta, instance["dis_threshold"])
    return naive_approx_dis_kernel_ucb(instance, beta)


def check(instance, run, form, answer):
    """Arms, regret and reals sent are ours; a near tie that parts both sides is found here."""
    played, sent = answer
    function, seed = instance["function"], instance["seed"]
    name = f"{run['algorithm']}, {form}, {function}, beta {run['beta']:g}, seed {seed}"
    parted = np.argwhere(played != run["arms"])
    if len(parted):
        raise SystemExit(f"{name}: another arm at t = {parted[0][0]}, agent {parted[0][1]}")
    regret = played.size * instance["values"].max() - instance["values"][played].sum()
    close(f"{name}, reals sent", sent, run["paper"], 1e-9 * max(1.0, run["paper"]))
    return close(f"{name}, regret", regret, run["regret"], 1e-6)


def read_instances(path):
    with open(path, encoding="utf-8") as file:
        instances = json.load(file)
    for instance in instances:
        agents, horizon = instance["agents"], instance["horizon"]
        instance["candidates"] = np.array(instance["candidates"]).reshape(-1, instance["dimension"])
        instance["values"] = np.array(instance["values"])
        instance["noise"] = np.array(instance["noise"]).reshape(horizon, agents)
        instance["uniform_arms"] = np.array(instance["uniform_arms"]).reshape(horizon, agents)
        instance["coins"] = np.array(instance["coins"]).reshape(-1, agents, horizon)
        for run in instance["runs"]:
            run["arms"] = np.array(run["arms"]).reshape(horizon, agents)
        for run in instance["duets"]:
            run["candidates"] = instance["candidates"]
            run["function"] = lambda _, values=instance["values"]: values
            duets_numpy.read_epochs(run)
    return instances


class Times:
    """Milliseconds by name: each instance's and beta's own best, then their mean."""

    def __init__(self):
        self.lists = {}

    def add(self, name, seconds):
        self.lists.setdefault(name, []).append(1e3 * seconds)

    def means(self):
        return {name: sum(times) / len(times) for name, times in self.lists.items()}


def measure_instance(instance, seconds, times):
    """All of one instance; its Gram matrix once. Returns the largest difference in regret."""
    where, points = "study/" + instance["function"], instance["candidates"]
    times.add(
        f"{where}/instance",
        shortest(lambda: kernel(points, points, instance["lengthscale"]), seconds),
    )
    instance["gram"] = kernel(points, points, instance["lengthscale"])
    worst = 0.0
    for run in instance["runs"]:
        algorithm, beta = run["algorithm"], run["beta"]
        forms = ("vectorised", "collapsed") if algorithm == "dis-kernel-ucb" else ("vectorised",)
        for form in forms:
            body = functools.partial(FAST_FORMS[algorithm], instance, beta, form == "collapsed")
            worst = max(worst, check(instance, run, form, body()))
            times.add(f"{where}/{algorithm}/{form}", shortest(body, seconds))
    for run in instance["duets"]:
        for way in (duets_numpy.plain, duets_numpy.tuned):
            worst = max(worst, duets_numpy.check_run(run, way))
            body = functools.partial(duets_numpy.run, run, way)
            times.add(f"{where}/duets/{way.__name__}", shortest(body, seconds))
    return worst


def measure_naive(instance, times):
    """Once for each algorithm, at the middle beta: what takes seconds needs no repetition."""
    for run in instance["runs"]:
        if run["beta"] != 1:
            continue
        start = time.process_time()
        answer = naive(instance, run["algorithm"], run["beta"])
        spent = time.process_time() - start
        check(instance, run, "naive", answer)
        times.add(f"study/{instance['function']}/{run['algorithm']}/naive", spent)


def main():
    instances, seconds = read_instances(sys.argv[1]), float(sys.argv[2])
    times, worst, done = Times(), 0.0, set()
    for instance in instances:
        worst = max(worst, measure_instance(instance, seconds, times))
        if "naive" in sys.argv[3:] and instance["function"] not in done:
            measure_naive(instance, times)
        done.add(instance["function"])
        del instance["gram"]
    print(json.dumps({"study_regret_error": worst, **times.means()}))


if __name__ == "__main__":
    main()
