#!/usr/bin/env python3
"""What the presets that tune themselves cost in processor time.

usage: presets.py BUILD_DIRECTORY ROUNDS [quick]     DUETS_PROGRAM: the program (bench/run calls it, on one core)

quick: one seed.

Runs of 500 queries on boxes, one thread, with `preset = "auto"`, with `goal = "earn"` as well, and with the
reference: the settings of `auto` before decisions 0032 and 0033, by the same program. The settings take
turns, so that a machine that becomes slower does so for all. A time is the best of all rounds, at least two,
summed over seeds. A row is right when every round has the same run digests, and all regrets are finite.
"""

import json
import math
import os
import pathlib
import statistics
import sys
import tempfile

import page
import program

FUNCTIONS = {"camel": 2, "hartmann4": 4, "hartmann6": 6}  # dimensions
SEEDS = range(1, 6)
GOAL = 1.3  # times the reference

STUDY = """
[study]
direction = "maximize"
agents = 10
horizon = 50

[objective]
noise = 0.2
"""
# Every key that auto set then, so that the reference stays as it is when a preset changes. What the preset still
# gives is the first guess of the length scale, which was the same.
REFERENCE = """
[kernel]
name = "squared-exponential"

[duets]
preset = "auto"
goal = "earn"
beta = 0.2
schedule = "paired-doubling"
t1 = 1
inducing = "public"
upload = "auto"
data = "surviving"
closing = "best"
volume_floor = 1e-5
side_floor = 0.0
epoch_floor = 1.0
cut = "width"
parameters = "learned"
relevance = true
family = false
raw_rewards = 32
coins = "stratified"
"""
SETTINGS = {
    "reference": REFERENCE,
    "auto": '[duets]\npreset = "auto"\n',
    "earn": '[duets]\npreset = "auto"\ngoal = "earn"\n',
}


class Runs:
    """Runs of one function with the same settings: the best time, the digests and the regret of every seed."""

    def __init__(self):
        self.best, self.digests, self.regrets = {}, {}, {}

    def add(self, seed, processor, result):
        self.best[seed] = min(self.best.get(seed, processor), processor)
        self.digests.setdefault(seed, set()).add(result["run_digest"])
        self.regrets[seed] = result["cumulative_regret"]

    def processor(self):
        return sum(self.best.values())

    def wrong(self):
        """What is wrong, or nothing."""
        if any(len(digests) > 1 for digests in self.digests.values()):
            return "rounds differ"
        if not all(regret is not None and math.isfinite(regret) for regret in self.regrets.values()):
            return "regret is not finite"
        return ""


def run(function, settings, seed):
    """(processor seconds, the printed result) of `duets run`."""
    with tempfile.TemporaryDirectory(prefix="duets-bench-") as scratch:
        study = pathlib.Path(scratch) / "study.toml"
        study.write_text(f'{STUDY}builtin = "{function}"\n{SETTINGS[settings]}')
        call = program.call("run", study, "--seed", seed, "--threads", 1,
                            "-o", study.with_name("result"), "-q", "--format", "json")
    return call.processor, json.loads(call.output)


def measure(rounds, seeds):
    """{(function, settings): Runs}"""
    measured = {(function, settings): Runs() for function in FUNCTIONS for settings in SETTINGS}
    for number in range(1, rounds + 1):
        for function in FUNCTIONS:
            print(f"round {number} of {rounds}: {function}", file=sys.stderr)
            for seed in seeds:
                for settings in SETTINGS:
                    measured[function, settings].add(seed, *run(function, settings, seed))
    return measured


def cells(function, settings, runs, reference):
    """(the row, its ratio or None)"""
    name = (f"{function}, d = {FUNCTIONS[function]}", settings)
    wrong = runs.wrong() or reference.wrong()
    if wrong:
        return (*name, "", "", "", "", "WRONG: " + wrong), None
    ratio = runs.processor() / reference.processor()
    row = (*name, f"{runs.processor():.2f} s", f"{ratio:.2f}", goal(settings, ratio),
           f"{statistics.mean(runs.regrets.values()):.4g}", "right")
    return row, ratio


def goal(settings, ratio):
    return "" if settings == "reference" else f"at most {GOAL}: {page.verdict(ratio <= GOAL)}"


def rows(measured):
    """The table's rows: all runs, then the geometric means of the ratios."""
    found, ratios = [], {settings: [] for settings in SETTINGS}
    for (function, settings), runs in measured.items():
        row, ratio = cells(function, settings, runs, measured[function, "reference"])
        found.append(row)
        ratios[settings].append(ratio)
    for settings in ("auto", "earn"):
        if None not in ratios[settings]:
            mean = statistics.geometric_mean(ratios[settings])
            found.append(("geometric mean", settings, "", f"{mean:.2f}", goal(settings, mean), "", ""))
    return found


def main():
    build, rounds = sys.argv[1], max(2, int(sys.argv[2]))
    seeds = SEEDS[:1] if "quick" in sys.argv[3:] else SEEDS
    load = os.getloadavg()[0]  # without us
    start = min(program.call("version").processor for _ in range(rounds))
    measured = measure(rounds, seeds)
    head = ("function", "settings", "processor time", "ratio", "goal", "mean regret", "answer")
    text = (
        f"{page.table(head, rows(measured))}\n\n`duets run`, N = 10, T = 50, one thread, results written; best of "
        f"{rounds} rounds, summed over the\nseeds {', '.join(map(str, seeds))}; load {load:.1f} before. The reference is `auto` before decisions "
        f"0032 and 0033. Every run includes the start of\nthe program: {1e3 * start:.0f} ms with `duets version`.\n"
    )
    page.add_section(os.path.join(build, "report.md"), "Presets that tune themselves", text)
    return 1 if any(runs.wrong() for runs in measured.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
