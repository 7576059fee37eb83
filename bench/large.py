#!/usr/bin/env python3
"""Whole runs of studies/large, as a user starts them.

usage: large.py BUILD_DIRECTORY [quick]     DUETS_PROGRAM: the program (bench/run calls it)

quick: a hundredth of the horizon.

All cores; wall-clock and processor time, and the most memory of the process. A run is right when it
has all queries and the function at the point it recommends is within 0.01 of its maximum.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import page

ROOT = pathlib.Path(__file__).resolve().parents[1]
PROGRAM = os.environ["DUETS_PROGRAM"]
# What the functions attain (docs/glossary.md has the functions).
MAXIMA = {"branin": 1.0473939, "hartmann4": 3.7298406}
TOLERANCE = 0.01
SECONDS, BYTES = 300, 2**30


def run(study, scratch):
    """(seconds, processor seconds, peak bytes, the printed result) of `duets run`."""
    command = [PROGRAM, "run", study, "-o", scratch / study.stem / "result", "-q", "--format", "json"]
    begun = time.monotonic()
    with open(scratch / "errors", "w+", encoding="utf-8") as errors:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = status
        if status != 0:
            errors.seek(0)
            raise RuntimeError(f"{study.name}: {errors.read().strip()[-400:]}")
    processor = usage.ru_utime + usage.ru_stime
    return time.monotonic() - begun, processor, usage.ru_maxrss * 1024, json.loads(output)


def prepared(study, scratch, quick):
    """The study as it is, or a copy with a hundredth of the horizon."""
    if not quick:
        return study
    text, horizon = study.read_text(), re.search(r"^horizon = (\d+)", study.read_text(), re.M)
    copy = scratch / study.name
    copy.write_text(text.replace(horizon.group(), f"horizon = {int(horizon.group(1)) // 100}"))
    return copy


def row(study, scratch, quick):
    """(whether the answer is right, the cells)"""
    path = prepared(study, scratch, quick)
    (scratch / study.stem).mkdir()
    seconds, processor, peak, result = run(path, scratch)
    found, best = result["recommendation"]["true_value"], MAXIMA[study.stem]
    right = best - found <= (1.0 if quick else TOLERANCE)
    return right, (
        f"{study.stem}, N = {result['agents']}, T = {result['horizon']}", f"{seconds:.1f} s",
        f"{processor:.1f} s", f"{SECONDS} s: {page.verdict(seconds <= SECONDS)}", f"{peak / 2**20:.0f} MiB",
        f"1 GiB: {page.verdict(peak < BYTES)}", f"{result['cumulative_regret']:.4g}",
        f"{found:.4f} of {best:.4f}", "right" if right else "WRONG",
    )


def main():
    build, quick = sys.argv[1], "quick" in sys.argv[2:]
    load = os.getloadavg()[0]  # without us
    rows, wrong = [], False
    for study in sorted((ROOT / "studies/large").glob("*.toml")):
        print(f"  {study.name}", file=sys.stderr)
        with tempfile.TemporaryDirectory(prefix="duets-bench-") as scratch:
            right, cells = row(study, pathlib.Path(scratch), quick)
        rows.append(cells)
        wrong = wrong or not right
    head = ("study", "time", "processor time", "goal", "most memory", "goal", "regret",
            "value at the recommendation", "answer")
    text = (f"{page.table(head, rows)}\n\n`duets run`, results written, once, {os.cpu_count()} cores, "
            f"load {load:.1f} before.\n")
    page.add_section(os.path.join(build, "report.md"), "Whole runs of ten million queries", text)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
