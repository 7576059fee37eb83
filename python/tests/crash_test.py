"""kill -9 in the middle of maximize: nothing is measured twice but what was under way, and the run is the same.

crash_long_test.py kills it 50 times.
"""

import random
import subprocess
import sys
import time

import pytest

# Every call is a line of the log, written before it is answered.
WORK = """
import concurrent.futures, os, sys, time, duets
log = os.open(sys.argv[2], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
def f(x, n):
    os.write(log, f"{x!r} {n}\\n".encode())
    time.sleep(0.002)
    return x * (1 - x) + n
executor = concurrent.futures.ThreadPoolExecutor(3) if sys.argv[3] == "threads" else None
found = duets.maximize(f, {"x": duets.Float(0, 1), "n": duets.Int(1, 3)}, agents=6, horizon=int(sys.argv[4]),
                       path=sys.argv[1], executor=executor, progress=False)
print(found.run_digest, found.state_digest, flush=True)
os._exit(0)
"""


def start(path, log, how, horizon):
    return subprocess.Popen([sys.executable, "-B", "-c", WORK, str(path), str(log), how, str(horizon)],
                            stdout=subprocess.PIPE, text=True)


def check(tmp_path, how, kills):
    horizon = 10 * kills
    out, _ = start(tmp_path / "calm", tmp_path / "calm.log", how, horizon).communicate()
    chance = random.Random(19)
    log = tmp_path / "log"
    log.touch()
    for _ in range(kills):
        before = log.stat().st_size
        process = start(tmp_path / "s", log, how, horizon)
        while log.stat().st_size == before and process.poll() is None:
            time.sleep(0.002)
        time.sleep(chance.uniform(0, 0.05))
        process.kill()
        assert process.wait() == -9, "it was over before it was killed"
    again, _ = start(tmp_path / "s", log, how, horizon).communicate()
    assert again == out != ""
    measured = log.read_text().splitlines()
    queries = 6 * horizon
    assert len(set(measured)) == queries == len((tmp_path / "calm.log").read_text().splitlines())
    assert queries <= len(measured) <= queries + kills * (1 if how == "here" else 3)
    if kills >= 50:
        assert queries < len(measured), "no kill came while the function ran"


@pytest.mark.parametrize("how", ["here", "threads"])
def test_killed(tmp_path, how):
    check(tmp_path, how, 4)
