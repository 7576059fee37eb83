"""An objective for tests: objective.py LOG [SECONDS]. Answers every query with a value that depends on
its parameters and trial only, after SECONDS, and writes a line to LOG when a query is asked and
another when its answer is out: "asked TRIAL PID", "answered TRIAL PID"."""

import json
import math
import os
import sys
import time

log = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 0


def note(what, trial):
    os.write(log, f"{what} {trial} {os.getpid()}\n".encode())


for line in sys.stdin:
    query = json.loads(line)
    trial = query["trial"]
    note("asked", trial)
    time.sleep(seconds)
    ripple = sum(map(int, trial.split("-"))) % 7
    value = math.cos(3 * sum(query["params"].values())) + 0.05 * ripple
    print(json.dumps({"value": value}), flush=True)
    note("answered", trial)
