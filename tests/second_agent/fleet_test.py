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
    "ball-quick": (3, [0, 1, 2], 20, "maximize", BALL3, "", 'preset = "quick"\ngoal = "earn"'),
    "ball-safe": (3, [1, 2], 20, "minimize", BALL6, "", 'preset = "safe"\nt1 = 4'),
    "finite-auto": (3, [0, 1, 2], 24, "maximize", CUBE, "", 'preset = "auto"'),
    "finite-safe": (4, [0, 1, 2, 3], 20, "minimize", FINITE, "", 'preset = "safe"'),
    "finite-theory": (3, [0, 1, 2], 20, "maximize", FINITE, "[noise]\nbound = 1.0\nsubgaussian = 0.5\n",
                      'mode = "theory"\nschedule = "sqrt-ceil"'),
    "points-quick": (3, [2], 24, "maximize", POINTS, "", 'preset = "quick"\nclosing = "best"'),
    "points-greedy": (3, [0, 1, 2], 20, "maximize", POINTS, "[kernel]\nlengthscale = [2.0, 3.0]\n",
                      'inducing = "greedy"\ndata = "surviving"\nschedule = "explicit"\nepochs = [4, 6, 10]'),
    "wild-auto": (3, [0, 1, 2], 24, "maximize", WILD, "", 'preset = "quick"\nraw_rewards = 12'),
    "wild-paper": (3, [0, 1, 2], 24, "maximize", WILD, "", 'numbers = "short"\nupload = "rewards"\nt1 = 6\nside_floor = 0.1'),
    "stages": (3, [0, 1, 2], "40\nearlier_horizons = [10, 24]", "maximize", MIXED, "",
               'preset = "quick"'),
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
    "box-paper": (3, [0, 2], 20, "maximize", BOX2, "", 'preset = "paper"\nclosing = "all"'),
    "box-alternating": (3, [0, 1, 2], 40, "minimize", BOX2, "[kernel]\nlengthscale = 1.0\n",
                        'preset = "paper"\nnumbers = "short"\ninducing = "greedy"\nepochs = [4, 16, 2, 14, 2, 2]'),
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
    def __init__(self, folder, file, words=("--insecure",)):
        address = folder / "address"
        address.unlink(missing_ok=True)
        study = [file, "--seed", str(SEED)] if file else []  # without a file: the studies that are stored
        self.process = subprocess.Popen(
            [PROGRAM, "serve", *study, "--listen", "127.0.0.1:0", "--address-file",
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

    def status_now(self):
        """Of a study on a server that stays."""
        done = subprocess.run([PROGRAM, "status", "--server", self.address, "--insecure", "--format", "json"],
                              capture_output=True, text=True, check=True)
        return json.loads(done.stdout)

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


def test_agents_of_duets_alone(tmp_path, stubs):
    file = write(tmp_path, "mixed-auto", STUDIES["mixed-auto"])
    with Server(tmp_path, file) as server:
        assert [p.wait(60) for p in own_agents(tmp_path, server, range(4))] == [0] * 4
        assert digests(server.status()) == reference(tmp_path, file)[0]


def camel(agent, epoch, points, features):
    """The built-in function at the features, with its noise."""
    lines = "".join(json.dumps({f"x{k + 1}": x for k, x in enumerate(row)}) + "\n" for row in features.tolist())
    done = subprocess.run([PROGRAM, "evaluate", "camel"], input=lines, capture_output=True, text=True, check=True)
    noise = agents.noise(agent.study, agent.number, epoch, len(points)).tolist()
    return [float(value) + e for value, e in zip(done.stdout.split(), noise)]


def write_camel(folder, name, noise, text):
    file = folder / f"{name}.toml"
    file.write_text(f'[study]\ndirection = "minimize"\nagents = 3\nhorizon = 16\nseed = {SEED}\n{text}'
                    f'[objective]\nbuiltin = "camel"\nnoise_kind = "{noise}"\nnoise = 0.5\n')
    return file


@pytest.mark.parametrize("noise", ["gaussian", "bounded"])
def test_built_in_function(tmp_path, stubs, noise):
    file = write_camel(tmp_path, "camel", noise, "")
    assert fleet(tmp_path, file, stubs, 3, [0, 2], camel) == reference(tmp_path, file)[0]


def test_digests_can_differ(tmp_path, stubs):
    """An agent that rounds a single reward otherwise ends with another state digest."""
    def measure(agent, epoch, points, features):
        values = measured(agent, epoch, points, features)
        if (agent.number, epoch) == (1, 2):
            values = [v if v is None else v + 0.5 for v in values]
        return values

    file = write(tmp_path, "mixed-auto", STUDIES["mixed-auto"])
    assert fleet(tmp_path, file, stubs, 4, [0, 1, 2, 3], measure)[1] != reference(tmp_path, file)[0][1]


def test_certificates(tmp_path, stubs):
    certificates = tmp_path / "certs"
    for words in (["init"], ["server", "--host", "127.0.0.1"], ["agent", "0-1"], ["agent", "2"]):
        done = subprocess.run([PROGRAM, "certs", *words, "--dir", certificates], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    file = write(tmp_path, "points-quick", STUDIES["points-quick"])
    with Server(tmp_path, file, ("--certs", certificates, "--lease", "1")) as server:
        two = agents.Calls(server.address, stubs, (certificates, "agents-0-1"))
        one = agents.Calls(server.address, stubs, (certificates, "agent-2"))
        with pytest.raises(grpc.RpcError) as error:
            agents.Agent(one, 1, measured, {})
        assert error.value.code() == grpc.StatusCode.PERMISSION_DENIED
        shared = {}
        agents.until_done([agents.Agent(calls, n, measured, shared) for calls, n in ((two, 0), (two, 1), (one, None))])
        for calls in (one, two):
            calls.channel.close()
        assert digests(server.status()) == reference(tmp_path, file)[0]


# --- Epochs that close without an agent -----------------------------------------------------------


LATE = {
    "box": '[duets]\npreset = "safe"\n',
    "finite": CUBE + '[duets]\npreset = "paper"\nclosing = "all"\nepochs = [2, 3, 6, 5]\n',
    "best": '[duets]\nnumbers = "short"\nepochs = [2, 3, 6, 5]\n',
    "surviving": '[duets]\ndata = "surviving"\nupload = "projection"\nepochs = [2, 3, 3, 4, 4]\n',
}


@pytest.mark.parametrize("name", LATE)
def test_late_agent(tmp_path, stubs, name):
    """An operator closes the second epoch and the third, of two studies also the last one, without agent 1,
    which has its rewards, very good ones; except in the third it sends them then."""
    def measure(agent, epoch, points, features):
        values = camel(agent, epoch, points, features)
        return [v - 100.0 for v in values] if agent.number == 1 and epoch in absent else values

    file = write_camel(tmp_path, name, "gaussian", LATE[name])
    with Server(tmp_path, file) as server:
        calls, shared = agents.Calls(server.address, stubs), {}
        fleet = [agents.Agent(calls, n, measure, shared) for n in range(3)]
        late, J = fleet[1], fleet[1].study.J
        absent = [2, 3, J] if name in ("box", "best") else [2, 3]
        for j in range(1, J + 1):
            for a in fleet:
                assert a.epoch == j
                if j not in absent or a is not late:
                    a.work()
            if j in absent:  # it has measured, but not sent
                late.draw(j)
                late.query(j)
                late.fetch(0)
                message = late.message(j)
                closed = subprocess.run([PROGRAM, "study", "close", name, "--server", server.address, "--insecure",
                                         "--epoch", str(j)], capture_output=True, text=True)
                assert closed.returncode == 0, closed.stderr
                if j != 3:
                    late.send(j, message)
                    assert late.refusals[-1] == (j, "stale")
            for a in fleet:
                if not a.done:
                    a.follow()
        assert late.done and len(late.refusals) == len(absent) - 1
        for a in fleet:
            a.leave()
        calls.channel.close()
        got = digests(server.status())
    absences = tmp_path / "absences.toml"
    absences.write_text("".join(f"[[absence]]\nepoch = {e}\nexcluded = [1]\n" for e in absent))
    assert got == reference(tmp_path, file, "--participation", absences)[0]


# --- Restarts -------------------------------------------------------------------------------------


@pytest.mark.parametrize("sent", [True, False])
def test_restart(tmp_path, stubs, sent):
    """Agent 1 starts again in epoch 3, after or before it has sent; what it was before is locked out."""
    file = write(tmp_path, "ball-quick", STUDIES["ball-quick"])
    with Server(tmp_path, file) as server:
        calls, shared, journal = agents.Calls(server.address, stubs), {}, {}
        fleet = [agents.Agent(calls, n, measured, shared, journal if n == 1 else None) for n in range(3)]
        old = fleet[1]
        for _ in range(2):
            for step in (agents.Agent.work, agents.Agent.follow):
                for a in fleet:
                    step(a)
        assert old.epoch == 3
        if sent:
            old.work()
        else:
            old.draw(3)
            old.query(3)
        with pytest.raises(grpc.RpcError) as error:
            agents.Agent(calls, 1, measured, {}, {})
        assert error.value.code() == grpc.StatusCode.ALREADY_EXISTS

        def nothing(agent, epoch, points, features):
            assert epoch > 3, "a query that was answered is made again"
            return measured(agent, epoch, points, features)

        fleet[1] = agents.Agent(calls, 1, nothing, {}, journal)
        with pytest.raises(grpc.RpcError) as error:
            old.fetch(0)
        assert error.value.code() == grpc.StatusCode.ABORTED
        agents.until_done(fleet)
        calls.channel.close()
        assert digests(server.status()) == reference(tmp_path, file)[0]


def test_extension(tmp_path, stubs):
    """A finished study gets more queries; the agents come back with their answers."""
    study = list(STUDIES["mixed-auto"])
    study[2] = 14
    file = write(tmp_path, "extended", study)
    journals = [{} for _ in range(4)]
    for end in ("first", "last"):
        with Server(tmp_path, file if end == "first" else None) as server:
            calls, shared = agents.Calls(server.address, stubs), {}
            agents.until_done([agents.Agent(calls, n, measured, shared, journals[n]) for n in range(4)])
            calls.channel.close()
            got = digests(server.status() if end == "first" else server.status_now())
        if end == "first":
            assert got == reference(tmp_path, file)[0]
            done = subprocess.run([PROGRAM, "study", "extend", "extended", "--storage", tmp_path / "storage", "--horizon",
                                   "30"], capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
    study[2] = "30\nearlier_horizons = [14]"
    (tmp_path / "again").mkdir()
    assert got == reference(tmp_path / "again", write(tmp_path / "again", "extended", study))[0]


# --- Wrong messages -------------------------------------------------------------------------------


def with_other(changed, do):
    """do(), with other functions in `bits`: [(owner, name, function), ...]."""
    with pytest.MonkeyPatch.context() as patch:
        for owner, name, function in changed:
            patch.setattr(owner, name, function)
        return do()


def zeros_at_the_end(writer):
    out = writer.out + [0] * (-len(writer.out) % 8)
    return bytes(sum(b << i for i, b in enumerate(out[at:at + 8])) for at in range(0, len(out), 8))


def wrong_messages(agent):
    """(what, bytes) of messages that no agent may send in epoch 1."""
    def changed(**fields):
        return agents.messages.encode_upload(agents.messages.record(**{**vars(right), **fields}))

    bits, (right, encoded) = agents.bits, agent.prepared(1)
    yield "a byte too many", encoded + b"\xff"
    yield "a byte too few", encoded[:-1]
    yield "nothing", b""
    yield "other bits at the end", with_other([(bits.Writer, "bytes", zeros_at_the_end)], changed)
    more = [(bits, "cheapest", lambda values, width, old=bits.cheapest: old(values, width) + 1)]
    yield "a longer code", with_other(more, lambda: changed(holes=[0]))
    yield "a hole that is no slot", changed(holes=[agent.study.length(1)])
    yield "an epoch that the study does not have", changed(epoch=agent.study.J + 1)
    yield "an agent that the study does not have", changed(agent=agent.study.N)
    yield "too many values", changed(values=[0.5] * 2000, grid=None)
    if agent.study.short:
        yield "a large exponent of a grid", changed(values=[0.0], grid=(961, 0))
        for odd, e in ((1, 1024), (3, -2000), (2**53 + 1, 0), (1, 10**9)):
            other = [(bits, "odd_and_exponent", lambda x, pair=(odd, e): pair)]
            yield f"the number {odd} * 2^{e}", with_other(other, lambda: changed(values=[1.0], grid=None))
        yield "doubles", changed(short=False)
    else:
        for x in (float("nan"), float("inf")):
            yield f"the number {x}", changed(values=[x] * len(right.values))
        yield "short numbers", changed(short=True)


@pytest.mark.parametrize("name", ["box-quick", "finite-theory"])
def test_wrong_messages_change_nothing(tmp_path, stubs, name):
    file = write(tmp_path, name, STUDIES[name])
    with Server(tmp_path, file) as server:
        calls, shared = agents.Calls(server.address, stubs), {}
        fleet = [agents.Agent(calls, n, measured, shared) for n in range(3)]
        first = fleet[0]
        first.draw(1)
        first.query(1)
        first.fetch(2)
        for what, encoded in wrong_messages(first):
            with pytest.raises(grpc.RpcError) as error:
                first.send(1, encoded)
                pytest.fail(f"taken: {what}: {encoded.hex()}")
            assert error.value.code() == grpc.StatusCode.INVALID_ARGUMENT, (what, error.value)
        right, _ = first.prepared(1)
        for change, reason in (({"points_digest": right.points_digest ^ 1}, "diverged"), ({"epoch": 2}, "foreign"),
                               ({"rewards": not right.rewards}, "shape")):
            wrong = agents.messages.record(**{**vars(right), **change})
            with pytest.raises(agents.Ended, match=reason):
                first.send(1, agents.messages.encode_upload(wrong))
        with pytest.raises(grpc.RpcError) as error:
            first.send(1, agents.messages.encode_upload(agents.messages.record(**{**vars(right), "agent": 1})))
        assert error.value.code() == grpc.StatusCode.PERMISSION_DENIED
        agents.until_done(fleet)
        calls.channel.close()
        assert digests(server.status()) == reference(tmp_path, file)[0]
