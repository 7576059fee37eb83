"""Fleets of agents in Python, alone and beside those of duets: both digests must be those of `duets run`.

Environment: DUETS_PROGRAM (the program), DUETS_SOURCE_DIR (the checkout).
"""

import importlib
import json
import os
import pathlib
import re
import subprocess
import sys
import time

import grpc
import pytest

import agent as agents
import objective

PROGRAM = os.environ["DUETS_PROGRAM"]
SOURCE = pathlib.Path(os.environ["DUETS_SOURCE_DIR"])
SEED = 3

MIXED = """
[space.rate]
low = 0.001
high = 10.0
log = true
[space.width]
type = "int"
low = 2
high = 30
step = 4
[space.layers]
type = "int"
low = 1
high = 60
log = true
[space.colour]
type = "categorical"
choices = ["red", "green", "blue"]
"""
BOX2 = "[space.x]\nlow = -2.0\nhigh = 5.0\n[space.y]\nlow = 0.0\nhigh = 1.0\n"
BOX4 = "".join(f"[space.p{k}]\nlow = 0.0\nhigh = 3.0\n" for k in range(4))
BALL3 = '[space]\ndomain = "ball"\ndimension = 3\n'
FINITE = '[space]\ndomain = "finite"\nshape = "sphere"\ncandidates = 120\ndimension = 3\nradius = 2.0\n'
BALL6 = '[space]\ndomain = "ball"\ndimension = 6\nradius = 1.5\n'
CUBE = '[space]\ndomain = "finite"\ncandidates = 150\ndimension = 2\n'
WILD = "[space.wild]\nlow = 0.9\nhigh = 1.0\n" + BOX2
POINTS = '[space]\ndomain = "finite"\npoints = [' + ", ".join(
    f"[{k % 7}, {(k * k) % 11}.5]" for k in range(60)) + "]\n"

# name: (agents, those in Python, horizon and earlier ones, direction, space, [kernel] and [noise], [duets])
STUDIES = {
    "mixed-auto": (4, [0, 1, 3], 24, "minimize", MIXED, "", 'preset = "auto"'),
    "mixed-safe": (3, [0, 1, 2], 20, "maximize", MIXED, "", 'preset = "safe"'),
    "mixed-paper": (3, [0, 2], 20, "maximize", MIXED, "[kernel]\nlengthscale = [0.3, 0.4, 0.5, 0.6]\n",
                    'preset = "paper"\nclosing = "projection"\n'),
    "box-quick": (3, [0, 1, 2], 24, "maximize", BOX2, "", 'preset = "quick"\ngoal = "earn"'),
    "box-walk": (3, [0, 1, 2], 20, "minimize", BOX4, "", 'preset = "quick"\ngoal = "earn"\nside_floor = 0.001'),
    "box-appendix": (3, [1], 24, "maximize", BOX2, '[kernel]\nname = "matern-1/2"\nlengthscale = 0.5\n',
                     'schedule = "appendix"\nclosing = "all"\nnumbers = "short"\nupload = "rewards"'),
    "ball-auto": (3, [0, 1, 2], 24, "maximize", BALL3, "", 'preset = "auto"'),
    "ball-surviving": (3, [0, 1], 30, "maximize", BALL3, '[kernel]\nname = "matern-3/2"\n',
                       'beta = 0.2\ndata = "surviving"\nclosing = "all"\nschedule = "warm-up"\nt1 = 1'),
    "finite-safe": (4, [0, 1, 2, 3], 20, "minimize", FINITE, "", 'preset = "safe"'),
    "finite-theory": (3, [0, 1, 2], 20, "maximize", FINITE, "[noise]\nbound = 1.0\nsubgaussian = 0.5\n",
                      'mode = "theory"\nschedule = "sqrt-ceil"'),
    "points-quick": (3, [2], 24, "maximize", POINTS, "", 'preset = "quick"\nclosing = "best"'),
    "points-greedy": (3, [0, 1, 2], 20, "maximize", POINTS, "[kernel]\nlengthscale = [2.0, 3.0]\n",
                      'inducing = "greedy"\ndata = "surviving"\nschedule = "explicit"\nepochs = [4, 6, 10]'),
    "wild-auto": (3, [0, 1, 2], 24, "maximize", WILD, "", 'preset = "quick"\nraw_rewards = 12'),
    "wild-paper": (3, [0, 1, 2], 24, "maximize", WILD, "", 'numbers = "short"\nupload = "rewards"\nt1 = 6\nside_floor = 0.1'),
    "stages": (3, [0, 1, 2], "40\nearlier_horizons = [10, 24]", "maximize", MIXED, "",
               'preset = "auto"'),
    "stages-best": (3, [0, 2], "40\nearlier_horizons = [10, 24]", "maximize", CUBE, "",
                    'closing = "best"\nrate = "count"\nschedule = "doubling"'),
    "recall-public": (3, [0, 1], 40, "maximize", BOX2, "",
                      'preset = "quick"\nparameters = "fixed"\nupload = "projection"'),
    "wild-learned": (2, [0, 1], 80, "maximize",
                     "[space.wild]\nlow = 5.9\nhigh = 6.0\n[space.x]\nlow = -1.0\nhigh = 1.0\n", "",
                     'preset = "quick"\ngoal = "earn"\nraw_rewards = 8\nclosing = "projection"'),
    "mixed-starts": (3, [0, 1, 2], 16, "maximize", MIXED + BOX4, "[kernel]\nlengthscale = 0.5\n",
                     'preset = "paper"\nbeta = 0.0001\nepochs = [6, 10]'),
    "ball-walk": (3, [0, 1, 2], 20, "minimize", BALL6, "[kernel]\nlengthscale = 2.0\n",
                  'preset = "paper"\nbeta = 0.1\nside_floor = 0.01\nclosing = "projection"'),
    "box-relevant": (3, [0, 1, 2], 30, "minimize", BOX2, "", 'preset = "auto"\ngoal = "earn"'),
}


@pytest.fixture(scope="session")
def stubs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stubs")
    subprocess.run(["protoc", f"--python_out={folder}", "-I", SOURCE / "proto/duets/v1", "duets.proto"], check=True)
    sys.path.insert(0, str(folder))
    return importlib.import_module("duets_pb2")


def write(folder, name, study):
    N, _, horizon, direction, space, model, duets = study
    command = json.dumps([sys.executable, "-S", str(pathlib.Path(objective.__file__).resolve())])
    file = folder / f"{name}.toml"
    file.write_text(f'[study]\ndirection = "{direction}"\nagents = {N}\nhorizon = {horizon}\nseed = {SEED}\n'
                    f"{space}{model}[duets]\n{duets}\n[objective]\ncommand = {command}\noffset = 0.25\nscale = 2.0\n")
    return file


def digests(status):
    return status["run_digest"], status["state_digest"]


def reference(folder, file, *words):
    """(digests, methods of sampling) of `duets run`."""
    done = subprocess.run([PROGRAM, "run", file, "-o", folder / "run", "--format", "json", "-q", *words],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    return digests(result), result["samplers"]


class Server:
    def __init__(self, folder, file, *words):
        address = folder / "address"
        self.process = subprocess.Popen(
            [PROGRAM, "serve", file, "--seed", str(SEED), "--insecure", "--listen", "127.0.0.1:0", "--address-file",
             address, "--storage", folder / "storage", "--format", "json", "-q", *words],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        end = time.monotonic() + 60
        while not (address.exists() and address.read_text().endswith("\n")):
            assert self.process.poll() is None and time.monotonic() < end, self.process.communicate()
            time.sleep(0.01)
        self.address = address.read_text().strip()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()

    def status(self):
        """Of the finished study."""
        out, error = self.process.communicate(timeout=60)
        assert self.process.returncode == 0, error
        return json.loads(out)


def own_agents(folder, server, numbers):
    """Agents of duets, each a process."""
    return [subprocess.Popen([PROGRAM, "agent", "--insecure", "--server", server.address, "--agent", str(n), "--journal",
                              folder / f"journal-{n}", "-q"]) for n in numbers]


def measured(agent, epoch, points, features):
    return [objective.measure(f"{agent.number}-{epoch}-{slot}", agent.study.domain.values(point))
            for slot, point in enumerate(points.tolist())]


def fleet(folder, file, stubs, N, numbers, measure=measured):
    """The digests of a fleet with these agents in Python and the others of duets."""
    with Server(folder, file) as server:
        others = own_agents(folder, server, [n for n in range(N) if n not in numbers])
        try:
            agents.run(server.address, stubs, numbers, measure)
            assert [p.wait(60) for p in others] == [0] * len(others)
        finally:
            for p in others:
                p.kill()
        return digests(server.status())


@pytest.mark.parametrize("name", STUDIES)
def test_same_digests(tmp_path, stubs, name):
    N, numbers, *_ = STUDIES[name]
    file = write(tmp_path, name, STUDIES[name])
    wanted, samplers = reference(tmp_path, file)
    print(samplers)
    assert fleet(tmp_path, file, stubs, N, numbers) == wanted
