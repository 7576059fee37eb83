#!/usr/bin/env python3
"""Measures what `duets run` adds to a program that stays and answers at once, and adds a table to the
page.

usage: local.py DIRECTORY ROUNDS [quick]     DUETS_PROGRAM: the program (bench/run calls it)

One study of 500 queries, with one program at a time and with one per core. The reference writes the
same lines to the same program and reads its answers, in a loop and without a journal. What duets
takes beyond that, divided by the queries, is its overhead: queries, journal, the computation of
the epochs, start and report. A figure is the best of all rounds; processor time, program included,
depends less on other work. The reference's answers are those of the run, or the row
is "WRONG" and the exit code 1.
"""

import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import page
import program

AGENTS, HORIZON, LIMIT_MS = 10, 50, 3.0
MEASURE = """
import json, sys
import numpy as np
for line in sys.stdin:
    p = json.loads(line)["params"]
    print(1 - float(np.sum((np.array([p["x1"], p["x2"]]) - [0.3, 0.7]) ** 2)), flush=True)
"""
STUDY = """
[study]
direction = "maximize"
agents = {agents}
horizon = {horizon}
[space]
domain = "box"
dimension = 2
[objective]
command = {command}
"""


def run(scratch, study, parallel):
    """(seconds, processor time, rows of trials.csv) of a new run."""
    output = pathlib.Path(tempfile.mkdtemp(dir=scratch)) / "result"
    call = program.call("run", study, "-o", output, "-q", "--parallel", parallel)
    with open(output / "trials.csv", encoding="utf-8") as file:
        return call.seconds, call.processor, list(csv.DictReader(file))


def loop(command, rows):
    """(seconds, answers) of the program without duets."""
    begun = time.monotonic()
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                               bufsize=1)
    answers = []
    for row in rows:
        params = {"x1": float(row["x1"]), "x2": float(row["x2"])}
        process.stdin.write(json.dumps({"trial": "0-1-0", "params": params}) + "\n")
        answers.append(float(process.stdout.readline()))
    process.stdin.close()
    process.wait()
    return time.monotonic() - begun, answers


def main():
    directory, rounds, quick = sys.argv[1], int(sys.argv[2]), len(sys.argv) > 3
    horizon = 5 if quick else HORIZON
    queries = AGENTS * horizon
    rows, wrong, load = [], False, os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as scratch:
        command = [sys.executable, "-c", MEASURE]
        study = pathlib.Path(scratch) / "local.toml"
        study.write_text(STUDY.format(agents=AGENTS, horizon=horizon, command=json.dumps(command)))
        for parallel in (1, 2):
            taken, processor, alone, right = [], [], [], True
            for _ in range(rounds):
                seconds, busy, trials = run(scratch, study, parallel)
                taken.append(seconds)
                processor.append(busy)
                seconds, answers = loop(command, trials)
                alone.append(seconds)
                right = right and answers == [float(t["value"]) for t in trials]
            wrong = wrong or not right
            over = (min(taken) - min(alone)) / queries * 1e3
            rows.append((parallel, f"{min(taken) / queries * 1e3:.2f} ms",
                         f"{min(processor) / queries * 1e3:.2f} ms",
                         f"{min(alone) / queries * 1e3:.2f} ms", f"{over:.2f} ms",
                         f"{LIMIT_MS} ms: {page.verdict(over <= LIMIT_MS)}",
                         "right" if right else "WRONG"))
    page.add_section(
        f"{directory}/report.md", "A program on one machine",
        page.table(("programs", "a query", "processor", "the program alone", "overhead", "limit",
                    "answers"), rows)
        + f"\n\n{queries} queries, best of {rounds} rounds, wall-clock time; load {load:.1f} before.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
