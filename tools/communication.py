#!/usr/bin/env python3
"""The table of docs/communication.md: bytes of messages over all links, beside ask and tell.

    tools/communication.py                  # the table, as Markdown
    tools/communication.py --horizons 50 --seeds 301-303 --presets auto

Runs every function with numbers = "short" and "double" on the same seeds, so that regret and
recommendation are paired. Asking and telling every query costs 8 N T (d + 1) bytes.
"""
import argparse
import concurrent.futures
import json
import math
import os
import pathlib
import random
import subprocess
import tempfile

PROGRAM = os.environ.get("DUETS", pathlib.Path(__file__).resolve().parent.parent / "duets")
AGENTS = 10
FUNCTIONS = {2: ["branin", "camel"], 3: ["hartmann3", "griewank3"], 4: ["hartmann4", "levy4"],
             6: ["hartmann6", "camel6"]}
PRESETS = ["auto", "quick", "safe", "paper"]
GOALS = {50: 5, 200: 15, 1000: 60}


def study_text(function, dimension, preset, numbers, horizon, seed):
    lines = ["[study]", 'direction = "maximize"', f"agents = {AGENTS}", f"horizon = {horizon}",
             f"seed = {seed}", "[space]", 'domain = "box"', f"dimension = {dimension}", "[objective]",
             f'builtin = "{function}"', "noise = 0.2", "[duets]", f'preset = "{preset}"']
    if preset == "paper":
        lines += ["beta = 0.2"]
    else:
        lines += [f'numbers = "{numbers}"']
    if preset == "paper":
        lines += ["[kernel]", 'name = "squared-exponential"', "lengthscale = 0.2"]
    return "\n".join(lines) + "\n"


def run(task):
    with tempfile.TemporaryDirectory() as folder:
        study = pathlib.Path(folder) / "s.toml"
        study.write_text(study_text(*task))
        out = subprocess.run([PROGRAM, "run", study, "--output", str(pathlib.Path(folder) / "r"),
                              "--format", "json", "--quiet", "--threads", "1"],
                             capture_output=True, text=True, check=False)
        if out.returncode != 0:
            raise SystemExit(f"{task}: {out.stderr}")
    found = json.loads(out.stdout)
    return {"bytes": found["communication"]["bytes"],
            "reals": found["communication"]["links"] + found["communication"]["closing"],
            "regret": found["cumulative_regret"],
            "answer": found["best_possible"] - found["recommendation"]["true_value"]}


def mean(values):
    return math.fsum(values) / len(values)


def ratio(pairs, key, seed=1):
    """Mean over runs of short divided by that of double, a geometric mean over functions, with a
    bootstrap interval over seeds."""
    def of(draw):
        logs = [math.log(mean([short[i][key] for i in draw]) /
                         mean([double[i][key] for i in draw])) for short, double in pairs]
        return math.exp(mean(logs))
    count = len(pairs[0][0])
    random.seed(seed)
    draws = sorted(of([random.randrange(count) for _ in range(count)]) for _ in range(1000))
    return f"{of(range(count)):.2f} [{draws[25]:.2f}, {draws[974]:.2f}]"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--horizons", default="50,200,1000")
    parser.add_argument("--seeds", default="3001-3020")
    parser.add_argument("--presets", default=",".join(PRESETS))
    parser.add_argument("--dimensions", default="2,3,4,6")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    args = parser.parse_args()
    first, last = (int(word) for word in args.seeds.split("-"))
    seeds = range(first, last + 1)
    print("| T | d | preset | bytes, ask and tell | double | short | share of ask and tell (goal) "
          "| regret, short to double | recommendation |")
    print("|---|---|---|---|---|---|---|---|---|")
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for horizon in (int(word) for word in args.horizons.split(",")):
            for dimension in (int(word) for word in args.dimensions.split(",")):
                for preset in args.presets.split(","):
                    print(line(pool, horizon, dimension, preset, seeds), flush=True)


def line(pool, horizon, dimension, preset, seeds):
    def runs(function, numbers):
        tasks = [(function, dimension, preset, numbers, horizon, seed) for seed in seeds]
        return list(pool.map(run, tasks))
    double = [runs(function, "double") for function in FUNCTIONS[dimension]]
    plain = 8 * AGENTS * horizon * (dimension + 1)
    of_double = mean([one["bytes"] for all in double for one in all])
    goal = f"1/{GOALS[horizon]}" if horizon in GOALS else "-"
    if preset == "paper":
        share = of_double / plain
        return (f"| {horizon} | {dimension} | {preset} | {plain} | {of_double:.0f} | - "
                f"| {share:.3f} ({goal}) | - | - |")
    short = [runs(function, "short") for function in FUNCTIONS[dimension]]
    of_short = mean([one["bytes"] for all in short for one in all])
    pairs = list(zip(short, double))
    return (f"| {horizon} | {dimension} | {preset} | {plain} | {of_double:.0f} | {of_short:.0f} "
            f"| {of_short / plain:.3f} ({goal}) | {ratio(pairs, 'regret')} "
            f"| {ratio(pairs, 'answer')} |")


if __name__ == "__main__":
    main()
