#!/usr/bin/env python3
"""tools/standalone.py BUILD: reads every source file of a build directory by itself, without translating it.

Exit code 1 when a file does not compile alone. Generated files of protobuf are left out."""

import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys


def check(entry):
    command = re.sub(r" -o \S+ -c ", " -fsyntax-only ", entry["command"])
    done = subprocess.run(command, shell=True, cwd=entry["directory"], capture_output=True, text=True)
    return entry["file"], done.returncode, done.stderr


def main():
    entries = json.loads((pathlib.Path(sys.argv[1]) / "compile_commands.json").read_text())
    entries = [e for e in entries if not e["file"].endswith(".pb.cc")]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for file, code, text in pool.map(check, entries):
            if code != 0:
                failed += 1
                print(f"FAILED {file}\n{text}", flush=True)
    print(f"{len(entries) - failed} files compile by themselves, {failed} do not")
    sys.exit(1 if failed or not entries else 0)


main()
