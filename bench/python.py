#!/usr/bin/env python3
"""Measures what the Python package adds to a function that answers at once, beside Optuna's ask and tell, and
adds a table to the page.

usage: python.py DIRECTORY ROUNDS [quick]     PYTHONPATH: the package (bench/run calls it)

One study of 500 queries of a function that imports NumPy. Rows: `maximize` with a journal and without, ask and tell, and
Optuna's ask and tell in memory with its random sampler and with TPE, if Optuna can be imported. A figure is the best of all
rounds; the loop that only calls the function is taken away. Every answer is checked: the values told are those of the trials,
or the row is "WRONG" and the exit code 1.
"""

import os
import sys
import tempfile
import time

import duets
import numpy as np

import page

AGENTS, HORIZON, LIMIT_MS = 10, 50, 1.0
SPACE = {"x": duets.Float(0, 1), "y": duets.Float(0, 1)}


class Function:
    def __init__(self):
        self.values = []

    def __call__(self, x, y):
        self.values.append(1 - float(np.sum((np.array([x, y]) - 0.3) ** 2)))
        return self.values[-1]


# A list of dicts where pandas is not installed.
def values_of(found):
    trials = found.trials
    return [trial["value"] for trial in trials] if isinstance(trials, list) else list(trials["value"])


def maximize(f, horizon, path=None):
    found = duets.maximize(f, SPACE, agents=AGENTS, horizon=horizon, path=path, progress=False)
    return lambda: values_of(found)


def journalled(f, horizon):
    with tempfile.TemporaryDirectory() as scratch:
        return maximize(f, horizon, os.path.join(scratch, "s"))


def ask_tell(f, horizon):
    with duets.Study(SPACE, agents=AGENTS, horizon=horizon) as study:
        while (query := study.ask()) is not None:
            study.tell(query, f(**query.params))
        found = study.result()
        return lambda: values_of(found)


def optuna_with(make):
    def run(f, horizon):
        study = optuna.create_study(direction="maximize", sampler=make())
        for _ in range(AGENTS * horizon):
            trial = study.ask()
            study.tell(trial, f(trial.suggest_float("x", 0, 1), trial.suggest_float("y", 0, 1)))
        return lambda: [trial.value for trial in study.trials]
    return run


def alone(values):
    f = Function()
    begun = time.perf_counter()
    for _ in range(values):
        f(0.25, 0.75)
    return time.perf_counter() - begun


ways = [("duets.maximize", maximize, LIMIT_MS), ("duets.maximize with a journal and results", journalled, LIMIT_MS),
        ("duets.Study, ask and tell", ask_tell, LIMIT_MS)]
try:
    import optuna
except ImportError:
    optuna = None
else:
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    ways += [("Optuna, random sampler", optuna_with(lambda: optuna.samplers.RandomSampler(seed=1)), None),
             ("Optuna, TPE", optuna_with(lambda: optuna.samplers.TPESampler(seed=1)), None)]


def main():
    directory, rounds, quick = sys.argv[1], int(sys.argv[2]), len(sys.argv) > 3
    horizon = 5 if quick else HORIZON
    queries = AGENTS * horizon
    rows, wrong, load = [], False, os.getloadavg()[0]
    base = min(alone(queries) for _ in range(rounds))
    for name, way, limit in ways:
        taken, right = [], True
        for _ in range(rounds):
            f = Function()
            begun = time.perf_counter()
            told = way(f, horizon)
            taken.append(time.perf_counter() - begun)
            right = right and sorted(told()) == sorted(f.values) and len(f.values) == queries
        wrong = wrong or not right
        over = (min(taken) - base) / queries * 1e3
        rows.append((name, f"{over:.3f} ms", f"{limit} ms: {page.verdict(over <= limit)}" if limit else "",
                     "right" if right else "WRONG"))
    page.add_section(
        f"{directory}/report.md", "A Python function",
        page.table(("way", "overhead of a query", "limit", "answers"), rows)
        + f"\n\n{queries} queries, best of {rounds} rounds; Python {sys.version.split()[0]}, "
        + (f"Optuna {optuna.__version__}" if optuna else "without Optuna") + f"; load {load:.1f} before.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
