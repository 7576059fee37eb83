#!/usr/bin/env python3
"""The coordinator's posterior beside those of Eigen, SciPy and scikit-learn, and how it grows.

usage: coordinator.py BUILD_DIRECTORY ROUNDS [quick]     (bench/run calls it, on one core)

Every case is a process of its own: its time is processor time, its memory the most it ever had.
"""

import json
import math
import os
import subprocess
import sys
import tempfile

import numpy as np

import page

FULL = {
    "small": (1000, 2000, 4000, 8000),  # where dense is possible
    "large": (10**5, 10**6, 10**7),
    "growth": (10**5, 3 * 10**5, 10**6, 3 * 10**6, 10**7),
    "growth_rank": 200,
    "sweep": (10**6, 400),
    "agree": (4000, 8000),
}
# To see that everything works; the figures mean nothing.
QUICK = {
    "small": (500, 2500),
    "large": (10**4,),
    "growth": (2 * 10**4, 5 * 10**4, 10**5),
    "growth_rank": 150,
    "sweep": (2 * 10**4, 100),
    "agree": (2500,),
}
PEERS = {"dense": "Eigen, dense", "scipy": "SciPy", "sklearn": "scikit-learn"}
FAMILIES = ("squared-exponential", "matern-5/2", "matern-3/2", "matern-1/2")
PATHS = ("exact", "low rank", "approximate")
QUERIES = 2000
GOALS = {"sklearn": 50, "share": 0.5, "fixed": 1.05, "tied": 1.3, "variance": 0.03}
# What both sides must agree to. The peers compute what Eigen does: only rounding is between them,
# m roundings of 1e-16 times the condition number m / lambda. Our mean is another approximation of
# the same size as the variance's: a share of the posterior's own deviation.
PEER_TOLERANCE, MEAN_TOLERANCE = 1e-8, 0.1
# Points near the corner, where the variance is largest, are few: another sample's largest variance
# was 18 % off at m = 1e4, 4 % at 1e5.
EPOCH_TOLERANCE = 0.3
# M w = u by a route without whitening, whose own rounding is the kernel matrix's condition (1e10)
# times 1e-16.
SWEEP_TOLERANCE = 1e-6


class Cases:
    """Runs cases, keeps the best of each, and what was wrong."""

    def __init__(self, build, scratch):
        self.program = os.path.join(build, "bench", "bench_coordinator")
        self.scratch, self.best, self.wrong = scratch, {}, []

    def file(self, *words):
        return os.path.join(self.scratch, "-".join(map(str, words)))

    def run(self, command, core=None):
        done = subprocess.run(
            list(map(str, command)), env=page.blas_environment(core), stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True,
        )
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(map(str, command))}: {done.stderr.strip()[-400:]}")
        return json.loads(done.stdout)

    def ours(self, *words):
        """A command of bench_coordinator; the best of all its calls so far."""
        print("  " + " ".join(map(str, words)), file=sys.stderr)
        return self.keep(words, self.run([self.program, *words]))

    def once(self, *words):
        """The same, called only if it was not yet."""
        return self.best.get(words) or self.ours(*words)

    def peer(self, name, m, core):
        print(f"  {name} {m}, OpenBLAS {core or 'as installed'}", file=sys.stderr)
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "gp_peers.py")
        command = [sys.executable, script, name, self.file("case", m), self.file(name, m), 0.5]
        result = self.run(command, core)
        result["core"] = core
        return self.keep((name, "branin", m), result)

    def keep(self, key, result):
        best = self.best.get(key)
        if best is None or result.get("seconds", 0) < best.get("seconds", 0):
            self.best[key] = result
        return self.best[key]

    def answer(self, name, m):
        """(means, variances)"""
        return np.fromfile(self.file(name, m)).reshape(2, -1)

    def require(self, what, holds):
        if not holds:
            self.wrong.append(what)
        return "right" if holds else "WRONG"


def seconds(value):
    for unit, size in (("years", 3.156e7), ("days", 86400), ("h", 3600), ("s", 1), ("ms", 1e-3)):
        if value >= size:
            break
    return f"{value / size:.3g} {unit}"


def memory(bytes_):
    for unit, size in (("TiB", 2**40), ("GiB", 2**30), ("MiB", 2**20)):
        if bytes_ >= size or unit == "MiB":
            return f"{bytes_ / size:.3g} {unit}"


def percent(share):
    return f"{100 * share:.2g} %" if share > 1e-8 else "0 %"


def power(m):
    exponent = round(math.log10(m))
    return f"1e{exponent}" if m == 10**exponent and m >= 10**5 else f"{m:g}".replace("e+0", "e")


# --- against the others, where they can ----------------------------------------------------------


def measure_small(cases, sizes, rounds):
    for number in range(rounds):
        for m in sizes:
            print(f"round {number + 1} of {rounds}: m = {m}", file=sys.stderr)
            cases.ours("export", "branin", m, cases.file("case", m))
            for way in ("ours", "dense"):
                cases.ours(way, "branin", m, cases.file(way, m))
            for name in ("scipy", "sklearn"):
                cores = page.blas_cores()
                if number > 0:
                    cores = [cases.best[(name, "branin", m)]["core"]]
                for core in cores:
                    cases.peer(name, m, core)


def best_of(cases, way, m):
    """Of `ours` and `dense` the file is part of the command."""
    key = (way, "branin", m)
    return cases.best[key if way in ("scipy", "sklearn") else key + (cases.file(way, m),)]


def check_small(cases, m):
    """(difference of a variance at most, relative to the largest variance and at any point; of a
    mean in posterior deviations; answer)"""
    mean, variance = cases.answer("dense", m)
    for name in ("scipy", "sklearn"):
        other = cases.answer(name, m)
        error = max(np.abs(other[0] - mean).max(), np.abs(other[1] - variance).max())
        cases.require(f"{name} and Eigen differ by {error:g} at m = {m}", error <= PEER_TOLERANCE)
    ours = cases.answer("ours", m)
    off = np.abs(ours[1] - variance).max() / variance.max()
    relative = np.abs(ours[1] / variance - 1).max()
    mean_off = (np.abs(ours[0] - mean) / np.sqrt(variance)).max()
    right = off <= GOALS["variance"] and mean_off <= MEAN_TOLERANCE
    answer = cases.require(f"our posterior at m = {m}: {off:g}, {mean_off:g}", right)
    return off, relative, mean_off, answer


def small_tables(cases, sizes):
    times, memories = [], []
    for m in sizes:
        ours = best_of(cases, "ours", m)
        off, relative, mean_off, answer = check_small(cases, m)
        cells = [f"m = {m}", f"{seconds(ours['seconds'])}, rank {ours['rank']:.0f}"]
        kept = [f"m = {m}", memory(ours["peak_kib"] * 1024)]
        for name in PEERS:
            theirs = best_of(cases, name, m)
            ratio = theirs["seconds"] / ours["seconds"]
            cells.append(f"{seconds(theirs['seconds'])}, {ratio:.3g}x")
            kept.append(memory(theirs["peak_kib"] * 1024))
        met = ratio >= GOALS["sklearn"]
        goal = f"{GOALS['sklearn']}x: {page.verdict(met)}" if m == 8000 else ""
        times.append(cells + [goal, f"{percent(off)}, {percent(relative)}", f"{mean_off:.2g}",
                              answer])
        memories.append(kept)
    return times, memories


def cannot(cases, m, known):
    """What the others would need at m, by their own arithmetic and their rate at `known` points."""
    flops = lambda n: n**3 / 3 + QUERIES * n**2  # noqa: E731
    cells = []
    for name in PEERS:
        rate = flops(known) / best_of(cases, name, known)["seconds"]
        cells.append(f"cannot: {memory(8 * m * m)}, {seconds(flops(m) / rate)}")
    return cells


def measure_large(cases, sizes, rank):
    """Our posterior where the others cannot; the variances must be those of many more pivots."""
    rows = []
    for m in sizes:
        ours = cases.ours("ours", "branin", m, cases.file("ours", m))
        fine = cases.ours("sweep", "branin", m, rank)
        off = abs(cases.answer("ours", m)[1].max() / fine["largest"] - 1)
        answer = cases.require(f"variance at m = {m}: off by {off:g}", off <= GOALS["variance"])
        rows.append((m, ours, f"{100 * off:.2g} %", answer))
    return rows


# --- growth, share of the peak, agreement --------------------------------------------------------


def exponent(sizes, values):
    return np.polyfit(np.log(sizes), np.log(values), 1)[0]


def growth_text(cases, sizes, rank, peak):
    rows, times = [], {"sweep": [], "supremum": [], "epoch": []}
    for m in sizes:
        sweep = cases.once("sweep", "branin", m, rank)
        sup, epoch = (cases.ours(name, "branin", m) for name in ("supremum", "epoch"))
        # The supremum is over the region, the sweep's largest over 2000 points of it; the epoch has
        # other points of the same distribution.
        right = (sweep["error"] <= SWEEP_TOLERANCE and sup["largest"] >= 0.97 * sweep["largest"]
                 and abs(epoch["largest"] / sup["largest"] - 1) <= EPOCH_TOLERANCE)
        share = 2 * sweep["rank"] ** 2 * m / sweep["seconds"] / peak
        rows.append((
            power(m), seconds(sweep["seconds"]), f"{100 * share:.0f} %", seconds(sup["seconds"]),
            f"{sup['rank']:.0f}", f"{sup['residual']:.1e}", f"{sup['largest']:.2e}",
            memory(sup["peak_kib"] * 1024), seconds(epoch["seconds"]), f"{epoch['rank']:.0f}",
            memory(epoch["peak_kib"] * 1024),
            cases.require(f"growth at m = {m}: {sweep}, {sup}, {epoch}", right),
        ))
        for name, found in (("sweep", sweep), ("supremum", sup), ("epoch", epoch)):
            times[name].append(found["seconds"])
    lines = []
    for name, title, goal in (("sweep", "fixed rank", "fixed"), ("supremum", "variance", "tied"),
                              ("epoch", "whole epoch", "tied")):
        slope = exponent(sizes, times[name])
        met = page.verdict(slope <= GOALS[goal])
        lines.append(f"{title} {slope:.3f} (goal at most {GOALS[goal]}: {met})")
    head = ("N T_j", f"sweep, rank {rank}", "of peak", "variance", "rank", "residual",
            "largest variance", "memory", "whole epoch", "rank", "memory", "answer")
    return f"{page.table(head, rows)}\n\nFitted exponents: {', '.join(lines)}.\n"


def sweep_text(cases, m, rank, rounds, peak):
    for _ in range(rounds):
        sweep = cases.ours("sweep", "hartmann4", m, rank)
    rate = 2 * sweep["rank"] ** 2 * m / sweep["seconds"]
    share = rate / peak
    answer = cases.require(f"sweep: error {sweep['error']:g}", sweep["error"] <= SWEEP_TOLERANCE)
    row = (f"sweep, m = {power(m)}, r = {sweep['rank']:.0f}, d = 4", seconds(sweep["seconds"]),
           f"{rate / 1e9:.3g} GF/s", f"{peak / 1e9:.3g} GF/s", f"{100 * share:.0f} %",
           f"50 %: {page.verdict(share >= GOALS['share'])}", memory(sweep["peak_kib"] * 1024),
           answer)
    head = ("measured", "time", "duets", "FMA peak", "share", "goal", "memory", "answer")
    return page.table(head, [row])


def agree_text(cases, sizes):
    rows = []
    for family in FAMILIES:
        for region in ("whole", "trimmed"):
            for m in sizes:
                found = cases.ours("agree", "branin", m, family, region)
                rows.append((
                    family, region, m, PATHS[int(found["path"])],
                    f"{found['rank']:.0f}", f"{found['residual']:.1e}", f"{found['largest']:.2e}",
                    percent(found["error_of_largest"]), percent(found["error"]),
                    page.verdict(found["error_of_largest"] <= GOALS["variance"]),
                    page.verdict(found["error"] <= GOALS["variance"]),
                ))
    head = ("kernel", "region", "m", "path", "rank", "residual", "largest variance",
            "largest is off", "any is off", "largest 3 %", "any 3 %")
    return page.table(head, rows)


# --- the page ------------------------------------------------------------------------------------


def figure(build, cases, plan):
    """cost.svg: time against m. Dashed: the others' arithmetic beyond what they were run at."""
    known = plan["small"][-1]
    lines = ["line\tduets\t-"]
    for m in plan["small"] + plan["large"]:
        lines.append(f"{m}\t{best_of(cases, 'ours', m)['seconds']:.9g}")
    for name, title in PEERS.items():
        lines.append(f"line\t{title}\t-")
        lines += [f"{m}\t{best_of(cases, name, m)['seconds']:.9g}" for m in plan["small"]]
    lines.append("line\tscikit-learn, by its arithmetic\tdashed")
    last = best_of(cases, "sklearn", known)["seconds"]
    lines += [f"{m}\t{last * (m / known) ** 3:.9g}" for m in (known,) + plan["large"]]
    svg = subprocess.run([os.path.join(build, "bench", "bench_figure")], input="\n".join(lines),
                         stdout=subprocess.PIPE, check=True, text=True).stdout
    with open(os.path.join(build, "cost.svg"), "w", encoding="utf-8") as file:
        file.write(svg)


def measure(cases, plan, rounds):
    peak = max(cases.ours("peak")["flops"] for _ in range(3))
    measure_small(cases, plan["small"], rounds)
    large = measure_large(cases, plan["large"], plan["growth_rank"])
    times, memories = small_tables(cases, plan["small"])
    known = plan["small"][-1]
    for m, ours, off, answer in large:
        times.append([f"m = {power(m)}", f"{seconds(ours['seconds'])}, rank {ours['rank']:.0f}",
                      *cannot(cases, m, known), "", off, "", answer])
        memories.append([f"m = {power(m)}", memory(ours["peak_kib"] * 1024)] + 3 * ["cannot"])
    peers = list(PEERS.values())
    head = ["mean and variance", "duets", *peers, "goal", "variance off", "mean off", "answer"]
    sweep = sweep_text(cases, *plan["sweep"], rounds, peak)
    growth = growth_text(cases, plan["growth"], plan["growth_rank"], peak)
    peak = max(peak, cases.ours("peak")["flops"])
    return f"""{page.table(head, times)}

Mean and variance at {QUERIES} points; squared exponential, length scale 0.2, lambda 0.2, uniform in
the unit square; one thread, processor time, best of {rounds} rounds. SciPy and scikit-learn: the best of
OpenBLAS kernels {', '.join(core or 'as installed' for core in page.blas_cores())}; scikit-learn with
`optimizer=None`. "Cannot": 8 m^2 bytes for the matrix alone (this machine has
{memory(page.memory_bytes())}), m^3/3 + {QUERIES} m^2 operations at the rate shown at m = {known}.
Variance off: the largest difference from Eigen's, as a share of the largest variance and of the
variance at that point (beyond m = {known}: of the largest variance, from that of
{plan['growth_rank']} pivots). Mean off: in posterior deviations. All have the data in memory.

{page.table(["most memory", "duets", *peers], memories)}

![time against m](cost.svg)

### The sweep

{sweep}

2 r^2 operations a point (triangular solve and Gram matrix) are counted, kernel values and the
replay of the points are not. The peak is of one core: independent fused multiply-adds in registers.

### Growth

{growth}
An untrimmed epoch of the study above. Sweep: one pass at a fixed rank. Variance: its supremum at
the tolerance tied to it, as the coordinator finds it. Both replay the points from coins and never
hold them. Whole epoch: 1000 agents, from the first draw to the cut, agents and objective included.

### Variances against dense ones

{agree_text(cases, plan["agree"])}
"""


def main():
    build, rounds = sys.argv[1], int(sys.argv[2])
    plan = QUICK if "quick" in sys.argv[3:] else FULL
    with tempfile.TemporaryDirectory(prefix="duets-bench-") as scratch:
        cases = Cases(build, scratch)
        text = measure(cases, plan, rounds)
        figure(build, cases, plan)
    if cases.wrong:
        text += "\nWRONG: " + "; ".join(cases.wrong) + "\n"
    page.add_section(os.path.join(build, "report.md"), "Coordinator", text)
    return 1 if cases.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
