#!/usr/bin/env python3
"""Makes the mistakes of tools/mutations.txt one at a time and sees whether the tests notice.

    tools/mutation.py                 all of them
    tools/mutation.py storage cli-    those whose names begin so

Works on a copy of the checkout in build/long/mutation and builds there what the tests need, in the
test configuration. A mutation must leave some test red. One that leaves all green, no longer
applies or does not compile is reported, and the exit code is then 1.
"""

import os
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TREE = ROOT / "build/long/mutation"
BUILD = TREE / "build/release"
TIMEOUT = 300  # seconds; a mutation may well make a loop endless


@dataclass
class Mutation:
    name: str
    file: str
    program: str
    filter: str
    old: str = ""
    new: str = ""


def read_mutations(path):
    mutations = []
    for line in path.read_text().splitlines(keepends=True):
        head = re.fullmatch(r"\[(\S+)\] (\S+) (\S+) (\S+)\n", line)
        if head:
            mutations.append(Mutation(*head.groups()))
        elif line.startswith("-"):
            mutations[-1].old += line[2:]
        elif line.startswith("+"):
            mutations[-1].new += line[2:]  # "+" alone: the line is left out
        elif line.strip() and not line.startswith("#"):
            sys.exit(f"{path.name}: neither a head, a comment nor an old or new line: {line}")
    return mutations


def copy_tree():
    """Brings the copy up to date; what did not change keeps its time, so that little is rebuilt."""
    listed = subprocess.run(
        ["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        capture_output=True, check=True).stdout.decode().split("\0")
    wanted = {name for name in listed if name and (ROOT / name).is_file()}
    for folder, folders, files in os.walk(TREE):
        if Path(folder) == TREE:
            folders[:] = [name for name in folders if name != "build"]
        for name in files:
            path = Path(folder) / name
            if str(path.relative_to(TREE)) not in wanted:
                path.unlink()
    for name in wanted:
        source, target = ROOT / name, TREE / name
        if not target.is_file() or source.read_bytes() != target.read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)


def run(command, **options):
    return subprocess.run(command, cwd=TREE, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", **options)


def configure(mutations):
    # The files to change are compiled by themselves: a mutation recompiles one file, not twenty.
    alone = sorted({m.file for m in mutations if m.file.endswith(".cc")})
    done = run(["cmake", "--preset", "test", "-DDUETS_PYTHON=OFF", f"-DDUETS_ALONE={';'.join(alone)}"])
    if done.returncode != 0:
        sys.exit(done.stdout)
    # Every source file is also an input of the configuration (cmake/rooms.cmake). Under another
    # name the build file is not made again for every mutation.
    shutil.copy(BUILD / "build.ninja", BUILD / "mutation.ninja")


def build(*programs):
    """Nothing, or why there is no program."""
    done = run(["ninja", "-C", BUILD, "-f", "mutation.ninja", *programs])
    return None if done.returncode == 0 else done.stdout


def run_tests(mutation):
    """Number of tests that ran, names of those that failed, and whether all passed."""
    program = BUILD / "src/duets" / mutation.program.removesuffix("_test") / mutation.program
    try:
        done = run([program, f"--gtest_filter={mutation.filter}", "--gtest_brief=1"],
                   timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        return 1, ["(no end)"], False
    ran = re.search(r"\[==========\] (\d+) tests? from", done.stdout)
    failed = re.findall(r"^\[  FAILED  \] ([\w./]+)", done.stdout, re.M)
    return int(ran.group(1)) if ran else 0, failed or ["(crash)"], done.returncode == 0


def judge(mutation):
    """The outcome and a word about it. The next build also compiles the restored file."""
    path = TREE / mutation.file
    text = path.read_text() if path.is_file() else ""
    found = text.count(mutation.old) if mutation.old else 0
    if found != 1:
        return "does not apply", f"its text is {found} times in {mutation.file}"
    path.write_text(text.replace(mutation.old, mutation.new))
    try:
        problem = build(mutation.program)
        if problem:
            print(problem, flush=True)
            return "does not compile", "see above"
        ran, failed, passed = run_tests(mutation)
    finally:
        path.write_text(text)
    if passed:
        return "SURVIVED", f"{ran} tests stayed green"
    return "caught", failed[0] + (f" and {len(failed) - 1} more" if len(failed) > 1 else "")


def require_green(mutations):
    """Without mistakes everything is green, and every filter selects something."""
    problem = build(*sorted({m.program for m in mutations}))
    if problem:
        sys.exit(problem + "\nthe tests do not compile without mutations")
    seen = set()
    for mutation in mutations:
        if (mutation.program, mutation.filter) in seen:
            continue
        seen.add((mutation.program, mutation.filter))
        ran, failed, passed = run_tests(mutation)
        if ran == 0 or not passed:
            sys.exit(f"{mutation.name}: without the mutation {ran} tests ran, and these fail: "
                     f"{'none' if passed else ', '.join(failed)}")


def main():
    mutations = [m for m in read_mutations(ROOT / "tools/mutations.txt")
                 if not sys.argv[1:] or any(m.name.startswith(p) for p in sys.argv[1:])]
    if not mutations:
        sys.exit("no mutation has such a name")
    TREE.mkdir(parents=True, exist_ok=True)
    copy_tree()
    configure(mutations)
    require_green(mutations)
    outcomes = {}
    for mutation in mutations:
        start = time.monotonic()
        outcome, word = judge(mutation)
        outcomes.setdefault(outcome, []).append(mutation)
        print(f"{outcome:<16} {mutation.name:<42} {time.monotonic() - start:4.0f} s  {word}",
              flush=True)
    print(f"\n{len(mutations)} mutations")
    for outcome, those in sorted(outcomes.items()):
        print(f"{outcome:<16} {len(those):3}")
        if outcome != "caught":
            for mutation in those:
                print(f"    {mutation.name}: {mutation.file}, {mutation.program} "
                      f"{mutation.filter}")
    sys.exit(0 if set(outcomes) == {"caught"} else 1)


if __name__ == "__main__":
    main()
