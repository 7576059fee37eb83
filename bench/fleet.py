#!/usr/bin/env python3
"""Measures a coordinator and its agents as processes on this machine, and prints one table of ratios.

usage: fleet.py ROUNDS [REPORT]     DUETS_PROGRAM: the program (bench/run calls it); REPORT is added to

Fleets of 10, 100 and 1000 agents in ten processes, plaintext over the loopback device, with a built-in
objective that takes no time. The references run in the same rounds: the same study and secret as a
simulation in one process (`duets run`), and single transactions of SQLite with the same safety. A
figure is the best of all rounds, in wall-clock time. Digests that differ from the simulation's make a
row "WRONG" and the exit code 1.
"""

import json
import os
import pathlib
import shutil
import sqlite3
import sys
import tempfile
import time

# The processes are those of the tests.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests/integration/fleet"))
import fleet  # noqa: E402
import measure  # noqa: E402

SIZES, PROCESSES, HORIZON, SECONDS = (10, 100, 1000), 10, 20, 600
COMMITS, COMMIT_BYTES = 500, 512  # of SQLite alone; an upload is about as long


def sqlite_commits(scratch):
    """Transactions a second of one writer with a log and full synchronisation, an append in each."""
    path = scratch / "reference.db"
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE entries (sequence INTEGER PRIMARY KEY, bytes BLOB)")
    begun = time.monotonic()
    for i in range(COMMITS):
        connection.execute("INSERT INTO entries VALUES (?, ?)", (i, os.urandom(COMMIT_BYTES)))
    seconds = time.monotonic() - begun
    count = connection.execute("SELECT count(*) FROM entries").fetchone()[0]
    connection.close()
    assert count == COMMITS
    return COMMITS / seconds


def commits_of(path):
    """How many transactions a store of duets has seen."""
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    count = connection.execute("SELECT commits FROM store").fetchone()[0]
    connection.close()
    return count


def simulate(scratch, study, secret):
    """(seconds, peak KiB, digests) of `duets run`, its start and its result files included."""
    process = fleet.Process(scratch, "simulation")
    begun = time.monotonic()
    process.launch([fleet.PROGRAM, "run", study, "--secret", secret, "-o", scratch / "simulated",
                    "-q"])
    _, code, usage = os.wait4(process.pid, 0)
    seconds = time.monotonic() - begun
    process.popen.returncode = code
    if code != 0:
        raise RuntimeError(process.tail())
    manifest = json.loads((scratch / "simulated" / "manifest.json").read_text())
    return seconds, usage.ru_maxrss, fleet.digests(manifest)


def deploy(scratch, study, secret, agents):
    """One fleet: its figures, by name, and its digests."""
    server = fleet.Server(scratch, study, secret).start(keep=False)
    share = agents // PROCESSES
    hosts = [fleet.Agent(scratch, server, i if share == 1 else f"{i}-{i + share - 1}")
             for i in range(0, agents, share)]
    peaks = [measure.Peak(process) for process in (server, *hosts)]
    begun, joined = time.monotonic(), None
    for host in hosts:
        host.start("-q")
    while any(process.alive() for process in (server, *hosts)):
        if time.monotonic() - begun > SECONDS:
            raise RuntimeError("the fleet does not get on\n" + server.tail())
        if joined is None and server.err().count(" joined from ") == agents:
            joined = time.monotonic() - begun
        for peak in peaks:
            peak.look()
        time.sleep(0.005)
    seconds = time.monotonic() - begun
    for process in (server, *hosts):
        if process.code != 0:
            raise RuntimeError(process.tail())
    status = fleet.final_status(server)
    stores = [server.storage / "duets.db", *scratch.glob("journal-*/*.db")]
    figures = {
        "study": seconds,
        "joins": agents / (joined or seconds),
        "calls": status["traffic"]["calls"] / seconds,
        "commits": sum(map(commits_of, stores)) / seconds,
        "epoch": status["closed_epochs"][1]["seconds"],  # the first has the joining in it
        "epochs": len(status["closed_epochs"]),
        "server": peaks[0].kib,
        "host": max(peak.kib for peak in peaks[1:]),
    }
    return figures, fleet.digests(status)


class Best:
    """The best of all rounds: the least time and memory, the most of a rate."""

    RATES = ("joins", "calls", "commits", "sqlite")

    def __init__(self):
        self.values, self.wrong = {}, {}

    def add(self, agents, **values):
        for name, value in values.items():
            choose = max if name in self.RATES else min
            key = (agents, name)
            self.values[key] = choose(self.values.get(key, value), value)

    def get(self, agents, name):
        return self.values[(agents, name)]


def measure_once(best, agents, root):
    scratch = pathlib.Path(tempfile.mkdtemp(prefix=f"{agents}-", dir=root))
    study = fleet.study(scratch / "bench.toml", "finite", agents=agents, horizon=HORIZON,
                        duets=['upload = "projection"'])
    secret = fleet.new_secret(scratch / "secret.key")
    best.add(agents, sqlite=sqlite_commits(scratch))
    seconds, memory, wanted = simulate(scratch, study, secret)
    figures, got = deploy(scratch, study, secret, agents)
    if got != wanted:
        best.wrong[agents] = f"digests {got} instead of {wanted}"
    best.add(agents, simulation=seconds, simulation_memory=memory, **figures)
    shutil.rmtree(scratch)


def rows(best, agents):
    """(measured, duets, reference, ratio): how many times better than the reference."""
    get = lambda name: best.get(agents, name)  # noqa: E731
    one_epoch = get("simulation") / get("epochs")
    yield ("study / simulation", f"{get('study'):.2f} s", f"{get('simulation'):.2f} s",
           get("simulation") / get("study"))
    yield ("epoch 2, six queries an agent / an epoch of the simulation", f"{get('epoch') * 1e3:.0f} ms",
           f"{one_epoch * 1e3:.0f} ms", one_epoch / get("epoch"))
    for name, title in (("joins", "joins"), ("calls", "calls"),
                        ("commits", "transactions of all stores")):
        yield (f"{title} a second / SQLite's transactions", f"{get(name):.0f}",
               f"{get('sqlite'):.0f}", get(name) / get("sqlite"))
    for name, title in (("server", "coordinator"), ("host", f"process of {agents // PROCESSES}")):
        yield (f"memory, {title} / simulation", measure.mib(get(name)),
               measure.mib(get("simulation_memory")), get("simulation_memory") / get(name))


def table(best):
    head = ("agents", "measured", "duets", "reference", "ratio", "answer")
    lines = [head, tuple("---" for _ in head)]
    for agents in SIZES:
        answer = "WRONG: " + best.wrong[agents] if agents in best.wrong else "right"
        lines += [(str(agents), *row[:3], f"{row[3]:.2g}x", answer) for row in rows(best, agents)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    return "\n".join("| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths)) + " |"
                     for line in lines)


def main():
    rounds, report = int(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else None
    load = os.getloadavg()[0]  # without us
    best, root = Best(), pathlib.Path(tempfile.mkdtemp(prefix="duets-bench-"))
    try:
        for number in range(1, rounds + 1):
            for agents in SIZES:
                print(f"round {number} of {rounds}: a fleet of {agents}", file=sys.stderr)
                measure_once(best, agents, root)
    finally:
        fleet.end_all()
        shutil.rmtree(root, ignore_errors=True)
    text = (f"{table(best)}\n\nBest of {rounds} rounds, wall-clock time, {os.cpu_count()} cores, load "
            f"{load:.1f} before; {HORIZON} queries an agent, {PROCESSES} processes of agents. "
            "Memory: the most at any time.\n")
    print(text)
    if report:
        with open(report, "a", encoding="utf-8") as file:
            file.write("\n## Fleets\n\n" + text)
    return 1 if best.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
