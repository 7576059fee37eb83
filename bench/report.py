#!/usr/bin/env python3
"""Runs the small benchmarks and the NumPy reference in turns, and prints one table of ratios.

usage: report.py BUILD_DIRECTORY ROUNDS primitives|runs     (bench/run calls it, on one core)

Every figure is the best of all rounds, both sides in the same rounds. A wrong answer makes the row
"WRONG" and the exit code 1; a goal that is missed is said, and is not an error.
"""

import itertools
import json
import math
import os
import subprocess
import sys

import page

PROGRAMS = {
    "primitives": ("membership", "coins", "sampler"),
    "runs": ("posterior", "paper_run", "study_run"),
}
# NumPy's programs, what feeds each, and for how many seconds a case is repeated.
REFERENCES = {
    "primitives": (),
    "runs": (("duets_numpy.py", "export", "0.5"), ("baselines_numpy.py", "study_export", "0.1")),
}
# The study's slice: what shares an instance, and how often everything is run.
STUDY_FUNCTIONS, STUDY_SEEDS, STUDY_BETAS = ("branin", "h2"), 3, 3
STUDY_ALGORITHMS = (
    ("n-kernel-ucb", "N-KernelUCB", ("vectorised", "naive")),
    ("dis-kernel-ucb", "DisKernelUCB", ("vectorised", "collapsed", "naive")),
    ("approx-dis-kernel-ucb", "ApproxDisKernelUCB", ("vectorised", "naive")),
    ("duets", "DUETS", ("plain", "tuned")),
)


class Measurements:
    """The best time of everything, in nanoseconds, and what was wrong."""

    def __init__(self):
        self.best, self.wrong, self.counters = {}, {}, {}

    def add(self, name, nanoseconds):
        self.best[name] = min(self.best.get(name, nanoseconds), nanoseconds)

    def run_program(self, build, program):
        """One of ours: repetitions of its cases in random order, so that both sides share luck."""
        output = subprocess.run(
            [
                os.path.join(build, "bench", "bench_" + program),
                "--benchmark_format=json",
                "--benchmark_min_time=0.1",
                "--benchmark_repetitions=5",
                "--benchmark_enable_random_interleaving=true",
            ],
            check=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ).stdout
        unit = {"ns": 1, "us": 1e3, "ms": 1e6}
        for row in json.loads(output)["benchmarks"]:
            name = row["run_name"]
            if row.get("error_occurred"):
                self.wrong[name] = row["error_message"]
            elif row["run_type"] == "iteration":
                self.add(name, row["cpu_time"] * unit[row["time_unit"]])
                self.counters[name] = row

    def run_numpy(self, build, reference, core, more=()):
        """A reference, with the processor kernels that OpenBLAS would choose, or with better."""
        program, export, seconds = reference
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), program)
        done = subprocess.run(
            [sys.executable, script, os.path.join(build, export + ".json"), seconds, *more],
            env=page.blas_environment(core),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        if done.returncode != 0:
            self.wrong[program] = done.stderr.strip().splitlines()[-1]
            return
        for name, value in json.loads(done.stdout).items():
            if name.endswith("_error"):
                self.counters[name] = max(value, self.counters.get(name, 0.0))
            else:
                self.add("numpy/" + name, value * 1e6)


    def share_instances(self):
        """Times of a study's run with its share of the instance, which all betas and algorithms
        use; and NumPy's time for the slice: the sum of the best forms. What is missing stays so."""
        share = 1 / (len(STUDY_ALGORITHMS) * STUDY_BETAS)
        runs = STUDY_SEEDS * STUDY_BETAS
        missing, slices = math.inf, 0.0
        for function in STUDY_FUNCTIONS:
            where = f"study/{function}"
            ours = self.best.get(f"{where}/instance", missing)
            theirs = self.best.get(f"numpy/{where}/instance", missing)
            slices += STUDY_SEEDS * theirs
            for key, _, forms in STUDY_ALGORITHMS:
                name = f"{where}/{key}"
                times = {form: self.best.get(f"numpy/{name}/{form}", missing) for form in forms}
                self.best[f"{name}/run"] = self.best.get(name, missing) / runs + share * ours
                for form, time in times.items():
                    self.best[f"numpy/{name}/{form}/run"] = time + share * theirs
                slices += runs * min(times.values())
        self.best["numpy/study/slice"] = slices


class Table:
    def __init__(self, measured):
        self.measured, self.rows = measured, []

    def add(self, what, ours, reference, unit, per, goal=None, needs=()):
        """`per`: how many things one measured call does, on our side and on the other."""
        measured = self.measured
        names = (ours, reference) + tuple(needs)
        wrong = [measured.wrong[name] for name in names if name in measured.wrong]
        times = [measured.best.get(name, math.inf) for name in (ours, reference)]
        if wrong or math.inf in times:
            self.rows.append((what, "", "", "", "", "WRONG: " + (wrong or ["not measured"])[0]))
            return
        scale = {"ns": 1, "us": 1e3, "ms": 1e6}[unit]
        a, b = times[0] / per[0] / scale, times[1] / per[1] / scale
        met = "" if goal is None else f"{goal}x: " + ("met" if b / a >= goal else "missed")
        self.rows.append((what, f"{a:.3g} {unit}", f"{b:.3g} {unit}", f"{b / a:.2f}x", met, "right"))

    def text(self):
        return page.table(("measured", "duets", "reference", "ratio", "goal", "answer"), self.rows)


def fill_primitives(table):
    for kernel, title in (("se", "squared exponential"), ("matern52", "Matern 5/2")):
        for way, name, goal in (("libm", "scalar libm", 5), ("gemm", "matrix product, FMA", None)):
            for d in (2, 10):
                table.add(
                    f"membership test, s=100, d={d}, {title} / {name}",
                    f"membership/{kernel}/ours/{d}", f"membership/{kernel}/{way}/{d}", "ns",
                    (4096, 4096), goal=goal,
                )
    for method, d in (("rejection", 2), ("rejection", 10), ("walk", 2), ("walk", 10), ("cover", 2)):
        name = f"sampler/{method}"
        table.add(
            f"uniform draw by {method}, d={d} / its membership tests alone",
            f"{name}/ours/{d}", f"{name}/tests/{d}", "us", (512, 512),
        )
    table.add(
        "uniform draw from a cover, d=2 / by walk, same region",
        "sampler/cover/ours/2", "sampler/walk/ours/2", "us", (512, 512),
    )
    for count in (1, 8, 2048):
        table.add(
            f"uniform number, {count} at an address / std::mt19937_64",
            f"coins/ours/{count}", f"coins/mt19937_64/{count}", "ns", (count, count),
        )


def fill_runs(table):
    for beta, goal in ((0.2, 15), (1, 8)):
        ours = f"paper_run/beta_{beta:g}"
        for way in ("plain", "tuned"):
            table.add(
                f"paper-size run, beta={beta:g} / NumPy, {way}",
                ours, f"numpy/{ours}/{way}", "ms", (10, 1),
                goal=goal if way == "plain" else None, needs=("duets_numpy.py",),
            )
    fill_study(table)
    for way in ("exact", "sparse"):
        table.add(
            f"posterior, m=2000, variance at 2000, {way} / NumPy",
            f"posterior_{way}", f"numpy/posterior_{way}", "ms", (1, 1), needs=("duets_numpy.py",),
        )


def fill_study(table):
    for function in STUDY_FUNCTIONS:
        for key, name, forms in STUDY_ALGORITHMS:
            ours = f"study/{function}/{key}"
            for form in forms:
                table.add(
                    f"study run, {name}, {function} / NumPy, {form}",
                    f"{ours}/run", f"numpy/{ours}/{form}/run", "ms", (1, 1),
                    goal=5 if form == "vectorised" else None,
                    needs=(ours, f"study/{function}/instance", "baselines_numpy.py"),
                )
    for function in STUDY_FUNCTIONS:
        name = f"study/{function}/instance"
        table.add(
            f"study instance, {function} / NumPy, the kernel matrix alone",
            name, f"numpy/{name}", "ms", (1, 1), needs=("baselines_numpy.py",),
        )
    runs = len(STUDY_FUNCTIONS) * len(STUDY_ALGORITHMS) * STUDY_SEEDS * STUDY_BETAS
    table.add(
        f"study slice of {runs} runs / NumPy, the best form of each",
        "study/slice", "numpy/study/slice", "ms", (1, 1), needs=("baselines_numpy.py",),
    )


def primitives_text(measured, rounds):
    table = Table(measured)
    fill_primitives(table)
    return f"{table.text()}\n\nBest of {rounds} rounds, processor time.\n"


def runs_text(measured, rounds):
    measured.share_instances()
    table = Table(measured)
    fill_runs(table)
    errors = ", ".join(
        f"{name.removesuffix('_error')} {value:.0e}"
        for name, value in measured.counters.items()
        if name.endswith("_error")
    )
    kernels = ", ".join(core or "as installed" for core in page.blas_cores())
    return (
        f"{table.text()}\n\nBest of {rounds} rounds, processor time. NumPy's figure is the best of "
        f"OpenBLAS kernels {kernels}.\n"
        "A study's run: mean of 3 betas and 3 seeds, with a twelfth of its instance; naive: one\n"
        "run at beta = 1, once.\n"
        f"Largest difference from NumPy's answers: {errors}; survivors of every cut and arms "
        "played the same.\n"
    )


def main():
    build, rounds, part = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    for _, export, _ in REFERENCES[part]:
        with open(os.path.join(build, export + ".json"), "wb") as file:
            program = os.path.join(build, "bench", "bench_" + export)
            subprocess.run([program], check=True, stdout=file)
    measured, cores = Measurements(), page.blas_cores()
    for number in range(1, rounds + 1):
        for program in PROGRAMS[part]:
            print(f"round {number} of {rounds}: {program}", file=sys.stderr)
            measured.run_program(build, program)
        for reference, core in itertools.product(REFERENCES[part], cores):
            print(f"round {number} of {rounds}: {reference[0]}, OpenBLAS {core or 'as installed'}",
                  file=sys.stderr)
            # Once is enough for what takes seconds, with the best kernels.
            more = ("naive",) if number == 1 and core == cores[-1] else ()
            measured.run_numpy(build, reference, core, more)
    title, text = {
        "primitives": ("Evaluator, coins and sampler", primitives_text),
        "runs": ("Runs of the paper's size", runs_text),
    }[part]
    page.add_section(os.path.join(build, "report.md"), title, text(measured, rounds))
    return 1 if measured.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
