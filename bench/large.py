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
import sys
import tempfile

import page
import program

ROOT = pathlib.Path(__file__).resolve().parents[1]
# What the functions attain (docs/glossary.md has the functions).
MAXIMA = {"branin": 1.0473939, "hartmann4": 3.7298406}
TOLERANCE = 0.01
SECONDS, BYTES = 300, 2**30


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
    call = program.call("run", path, "-o", scratch / "result", "-q", "--format", "json")
    result = json.loads(call.output)
    found, best = result["recommendation"]["true_value"], MAXIMA[study.stem]
    right = best - found <= (1.0 if quick else TOLERANCE)
    return right, (
        f"{study.stem}, N = {result['agents']}, T = {result['horizon']}", f"{call.seconds:.1f} s",
        f"{call.processor:.1f} s", f"{SECONDS} s: {page.verdict(call.seconds <= SECONDS)}",
        f"{call.peak / 2**20:.0f} MiB", f"1 GiB: {page.verdict(call.peak < BYTES)}",
        f"{result['cumulative_regret']:.4g}",
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
