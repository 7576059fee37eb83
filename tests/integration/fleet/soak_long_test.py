"""Ten minutes (DUETS_SOAK_SECONDS) of studies one after the other on one server: memory, handles and
threads of the coordinator and of an agent's process that stays do not grow.

One study is there all the time, with an agent's process that asks a program. The others come and go:
thirty agents in three processes, killed and started again now and then, every third study stopped
before its end, all of them deleted. The bound on memory leaves room for what is kept on purpose (ten epochs of
the resident study and its answers, some hundred KiB) and for caches that fill: pages of the store, free
lists of the allocator. "KiB a sample" between studies (one sample a study) is printed, since a slow leak may
stay below."""

import json
import os
import pathlib
import random
import shutil
import statistics
import sys
import threading
import time

import fleet
import measure

SECONDS = float(os.environ.get("DUETS_SOAK_SECONDS", "600"))
WARM_UP = SECONDS / 10
SAMPLE_EVERY = min(3.0, SECONDS / 60)
# From the first to the last third of the time after the warm-up, median against median.
MEMORY_KIB, HANDLES, THREADS = 1536, 5, 5
OBJECTIVE = pathlib.Path(__file__).resolve().with_name("objective.py")
QUERY_SECONDS = 0.25
RANGES = ("0-9", "10-19", "20-29")


class Watch:
    """What processes are made of, over time."""

    def __init__(self, **processes):
        self.processes, self.begun = processes, time.monotonic()
        self.samples = {name: [] for name in processes}  # (seconds, KiB, handles, threads)

    def look(self):
        for name, process in self.processes.items():
            self.samples[name].append((
                time.monotonic() - self.begun, measure.resident(process.pid),
                len(measure.handles(process.pid)), measure.threads(process.pid)))

    def expect_no_growth(self, when):
        for name, samples in self.samples.items():
            warm = [s for s in samples if s[0] >= WARM_UP]
            if not fleet.check(f"{name}: enough samples {when}", len(warm) >= 6, f"{len(warm)}"):
                continue
            third = len(warm) // 3
            first, last = ([statistics.median(s[i] for s in part) for i in (1, 2, 3)]
                           for part in (warm[:third], warm[-third:]))
            text = (f"memory {measure.mib(first[0])} -> {measure.mib(last[0])}, handles "
                    f"{first[1]:g} -> {last[1]:g}, threads {first[2]:g} -> {last[2]:g}")
            pace = (last[0] - first[0]) / (len(warm) - third)
            print(f"{name} {when}, {len(warm)} samples: {text}; {pace:.1f} KiB a sample", flush=True)
            fleet.check(f"{name}: memory does not grow", last[0] - first[0] <= MEMORY_KIB, text)
            fleet.check(f"{name}: handles do not grow", last[1] - first[1] <= HANDLES, text)
            fleet.check(f"{name}: threads do not grow", last[2] - first[2] <= THREADS, text)


class Sampler(threading.Thread):
    """Looks every few seconds, whatever happens meanwhile."""

    def __init__(self, watch):
        super().__init__(daemon=True)
        self.watch, self.done, self.problem = watch, threading.Event(), None

    def run(self):
        try:
            while not self.done.wait(SAMPLE_EVERY):
                self.watch.look()
        except (OSError, ProcessLookupError) as problem:
            self.problem = problem

    def end(self):
        self.done.set()
        self.join()


def stored(directory):
    """Bytes of the coordinator's store, its log included."""
    return sum(p.stat().st_size for p in directory.glob("duets.db*"))


def operate(server, *arguments):
    """A command of an operator, which must end well."""
    result = fleet.duets(server.scratch, *arguments, "--server", server.address, "--insecure")
    if result.returncode != 0:
        raise RuntimeError(f"{arguments}: exit code {result.returncode}\n{result.stderr}")
    return result.stdout


def state(server, name):
    return json.loads(operate(server, "status", name, "--format", "json"))


class Visit:
    """One of the studies that come and go."""

    def __init__(self, server, number, chance):
        self.server, self.chance, self.name = server, chance, f"visit-{number}"
        self.stopped = number % 3 == 2  # under way: its last agents never come
        self.scratch = server.scratch / self.name
        self.scratch.mkdir()
        self.study = fleet.study(self.scratch / f"{self.name}.toml", "finite", agents=30,
                                 horizon=16)
        self.agents = [fleet.Agent(self.scratch, server, which)
                       for which in (RANGES[:2] if self.stopped else RANGES)]
        self.kills = 0

    def run(self):
        operate(self.server, "study", "create", self.study)
        for agent in self.agents:
            self.start(agent)
        if self.stopped:
            fleet.wait("all that are there to wait for the others", lambda: state(
                self.server, self.name)["waiting_for"] == list(range(20, 30)))
            operate(self.server, "study", "stop", self.name)
            for agent in self.agents:
                agent.wait()
        else:
            self.disturb()
            for agent in self.agents:
                if agent.wait() != 0:
                    fleet.check(f"{self.name}: {agent.name} ends well", False, agent.tail())
            status = state(self.server, self.name)
            key = self.server.storage / "secrets" / f"{self.name}.key"
            if fleet.digests(status) != fleet.reference(self.scratch, self.study, key):
                fleet.check(f"{self.name}: digests as simulated", False, str(status))
        operate(self.server, "study", "delete", self.name, "--yes")
        shutil.rmtree(self.scratch)

    def start(self, agent):
        agent.start("--study", self.name, "-q")

    def disturb(self):
        """Agents die and come back, and somebody looks, until all of them are through."""
        while any(agent.alive() for agent in self.agents):
            state(self.server, self.name)
            agent = self.chance.choice(self.agents)
            if agent.alive() and self.kills < 2 and self.chance.random() < 0.5:
                agent.kill()
                self.start(agent)
                self.kills += 1


def soak(scratch):
    # It outlasts the test twice, in few epochs: each adds to what a study has to remember.
    epochs = [4] + 20 * [int(SECONDS / 10 / QUERY_SECONDS) + 1]
    study = fleet.study(scratch / "resident.toml", "finite", agents=2, horizon=sum(epochs), t1=None,
                        duets=[f"epochs = {epochs}"],
                        objective=['command = ["replaced"]'])
    server = fleet.Server(scratch, study, fleet.new_secret(scratch / "secret.key")).start()
    assert server.address, server.tail()
    program = [sys.executable, "-B", OBJECTIVE, scratch / "objective.log", QUERY_SECONDS]
    resident = fleet.Agent(scratch, server, "0-1", program).start("--study", "resident")
    fleet.wait("the first epoch of the resident study", lambda: state(server, "resident")["epoch"] > 1)

    all_the_time, quiet = (Watch(coordinator=server, agent=resident) for _ in range(2))
    sampler, chance, sizes, kills, number = Sampler(all_the_time), random.Random(7), [], 0, 0
    sampler.start()
    end = time.monotonic() + SECONDS
    while time.monotonic() < end and server.alive() and resident.alive():
        visit = Visit(server, number, chance)
        visit.run()
        number, kills = number + 1, kills + visit.kills
        quiet.look()
        sizes.append(stored(server.storage))
    sampler.end()
    fleet.check("everything could be sampled", sampler.problem is None, str(sampler.problem))
    for process in (server, resident):
        fleet.check(f"{process.name} is still there", process.alive(), process.tail())
    status = state(server, "resident")
    print(f"{SECONDS:g} s: {number} studies of 30 agents, {kills} kills; the resident study closed "
          f"{len(status['closed_epochs'])} epochs")
    print(f"store after the first, the middle and the last study: {sizes[0]}, "
          f"{sizes[len(sizes) // 2]}, {sizes[-1]} bytes; log of the coordinator: "
          f"{server.path('err').stat().st_size} bytes")
    all_the_time.expect_no_growth("all the time")
    quiet.expect_no_growth("between studies")
    fleet.same("nothing but the resident study is left", sorted(
        p.name for p in (server.storage / "secrets").iterdir()), ["resident.key"])
    operate(server, "study", "stop", "resident")
    resident.wait()
    server.stop()


fleet.main(soak)
