"""An objective for tests that misbehaves on some queries: misbehaving.py LOG TRIAL=WHAT.. ; the others
it answers as objective.py does. WHAT: hang, crash, garbage, nan, huge, bare-nan, dict, object, twice, nothing,
infeasible; or chatter and number, which answer between lines of log and with a bare number; or wait:FILE,
which answers when FILE is there. "*" as TRIAL means all. "asked TRIAL PID" goes to LOG."""

import json
import math
import os
import sys
import time

log = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
todo = dict(word.split("=", 1) for word in sys.argv[2:])


def say(text):
    print(text, flush=True)


for line in sys.stdin:
    query = json.loads(line)
    trial = query["trial"]
    os.write(log, f"asked {trial} {os.getpid()}\n".encode())
    what = todo.get(trial, todo.get("*", ""))
    if what == "hang":
        time.sleep(100000)
    elif what == "crash":
        print(f"about to crash in {trial}", file=sys.stderr, flush=True)
        os.abort()
    elif what == "garbage":
        say("<html>502 Bad Gateway</html>")
    elif what == "nan":
        say('{"value": NaN}')
    elif what == "huge":
        say('{"value": 1e308}')
    elif what == "bare-nan":
        say("nan")
    elif what == "dict":
        say(str({"value": 1.0}))
    elif what == "object":
        say('{"loss": 0.5}')
    elif what == "twice":
        os.write(1, b"0.5\n0.75\n")
    elif what == "nothing":
        sys.exit(0)
    elif what == "infeasible":
        say('{"infeasible": "too hot"}')
    else:
        while what.startswith("wait:") and not os.path.exists(what[5:]):
            time.sleep(0.02)
        ripple = sum(map(int, trial.split("-"))) % 7
        value = math.cos(3 * sum(query["params"].values())) + 0.05 * ripple
        if what in ("chatter", "number"):
            print("loading model ...\nepoch 3\naccuracy: 0.93\n{'loss': 0.5}\n" + "=" * 2000000)
        say(repr(value) if what == "number" else json.dumps({"value": value}))
        if what == "chatter":
            say("done")
