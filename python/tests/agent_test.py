"""Agents of a fleet: ask and tell, run, crash, mutual TLS, Ctrl-C."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest

import duets

PROGRAM = os.environ["DUETS_PROGRAM"]
AGENTS, HORIZON = 2, 8
STUDY = f"""
[study]
direction = "maximize"
agents = {AGENTS}
horizon = {HORIZON}
seed = 4
[space.x]
low = 0
high = 1
[space.opt]
type = "categorical"
choices = ["a", "b"]
[objective]
infeasible_value = -1
"""


def score(x, opt):
    return x * (1 - x) + (opt == "b")


class Server:
    def __init__(self, folder, *words):
        self.folder = folder
        (folder / "s.toml").write_text(STUDY)
        address = folder / "address"
        # The seed is the study's, so a run in one process has the same coins.
        self.process = subprocess.Popen(
            [PROGRAM, "serve", folder / "s.toml", "--listen", "127.0.0.1:0", "--address-file", address, "--storage",
             folder / "storage", "--seed", "4", *words],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        end = time.monotonic() + 60
        while not (address.exists() and address.read_text().endswith("\n")):
            assert self.process.poll() is None and time.monotonic() < end, self.process.communicate()
            time.sleep(0.02)
        self.address = address.read_text().strip()

    def digest(self):
        """Waits for the end of the study."""
        out, error = self.process.communicate(timeout=60)
        assert self.process.returncode == 0, error
        return out

    def kill(self):
        self.process.kill()
        self.process.communicate()


@pytest.fixture
def server(tmp_path):
    made = Server(tmp_path, "--insecure")
    yield made
    made.kill()


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    file = tmp_path_factory.mktemp("study") / "s.toml"
    file.write_text(STUDY)
    with duets.Study.from_file(file) as study:
        return study.run(score, progress=False).run_digest


def agent(server, number, **options):
    return duets.Agent(server.address, agent=number, insecure=True, journal=server.folder / f"journal-{number}",
                       give_up=30, **options)


def together(*calls):
    errors = []

    def guarded(call):
        try:
            call()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(call,)) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not errors, errors


def test_run_is_the_study_in_one_process(server, expected):
    agents = [agent(server, i) for i in range(AGENTS)]
    assert [a.number for a in agents] == [0, 1]
    together(*(lambda a=a: a.run(score) for a in agents))
    assert all(a.finished for a in agents)
    assert agents[0].ask() is None
    for a in agents:
        a.close()
    assert expected in server.digest()
    with pytest.raises(duets.ProtocolError, match="closed"):
        agents[0].ask()


def test_ask_and_tell(server, expected):
    def work(number):
        with agent(server, number) as a:
            while (query := a.ask()) is not None:
                assert query.agent == number
                if query.epoch == 1 and query.slot == 0:
                    with pytest.raises(duets.InvalidError):
                        a.tell(query, float("nan"))
                    with pytest.raises(TypeError):
                        a.tell(query, "1")
                    assert query.name in [q.name for q in a.ask_all()]
                a.tell(query, score(**query.params))
            assert a.finished

    together(lambda: work(0), lambda: work(1))
    assert expected in server.digest()


CRASHING = """
    import os, sys, duets
    def f(x, opt):
        with open(sys.argv[2], "a") as log:
            log.write(f"{x!r}\\n")
        if sys.argv[3] == "crash" and sum(1 for _ in open(sys.argv[2])) == 2:
            os.kill(os.getpid(), 9)
        return x * (1 - x) + (opt == "b")
    with duets.Agent(sys.argv[1], agent=0, insecure=True, journal=os.path.dirname(sys.argv[2]) + "/j") as a:
        assert a.run(f)
"""


def test_a_crash_loses_nothing(server, expected):
    log = server.folder / "log"

    def crashing(how):
        return subprocess.run([sys.executable, "-B", "-c", textwrap.dedent(CRASHING), server.address, log, how],
                              timeout=60).returncode

    other = threading.Thread(target=lambda: agent(server, 1).run(score))
    other.start()
    assert crashing("crash") == -9
    assert crashing("go on") == 0
    other.join(60)
    calls = log.read_text().splitlines()
    assert len(calls) == HORIZON + 1 and len(set(calls)) == HORIZON
    assert expected in server.digest()


def test_failures_and_infeasible_points(server):
    def f(x, opt):
        if opt == "a":
            raise duets.Infeasible("cold")
        raise OSError("broken")

    with agent(server, 0) as a:
        assert len(a.ask_all()) >= 4
        with pytest.raises(duets.ObjectiveError, match="OSError: broken"):
            a.run(f, max_failures=1)
        a.tell_failure(a.ask(), ValueError("mine"))
        a.tell_infeasible(a.ask(), "hot")


def certificates(folder):
    for words in (["init"], ["server", "--host", "127.0.0.1"], ["agent", "0"], ["agent", "1"]):
        done = subprocess.run([PROGRAM, "certs", *words], capture_output=True, text=True, cwd=folder)
        assert done.returncode == 0, done.stderr
    return folder / "certs"


def test_mutual_tls(tmp_path, expected):
    certs = certificates(tmp_path)
    server = Server(tmp_path, "--certs", str(certs))
    try:
        with pytest.raises(duets.ConnectionError):
            duets.Agent(server.address, agent=0, insecure=True, journal=tmp_path / "j", give_up=2)
        with pytest.raises(duets.InvalidError, match="no certificate"):
            duets.Agent(server.address, agent=7, certs=certs, journal=tmp_path / "j")
        agents = [duets.Agent(server.address, agent=i, certs=certs, journal=tmp_path / f"j{i}", give_up=30)
                  for i in range(AGENTS)]
        together(*(lambda a=a: a.run(score) for a in agents))
        for a in agents:
            a.close()
        assert expected in server.digest()
    finally:
        server.kill()


def test_wrong_addresses(tmp_path):
    with pytest.raises(duets.InvalidError):
        duets.Agent("nonsense", insecure=True, journal=tmp_path / "j")
    with pytest.raises(duets.ConnectionError):
        duets.Agent("127.0.0.1:1", agent=0, insecure=True, journal=tmp_path / "j", give_up=0.3)


def test_ctrl_c_while_it_waits(server):
    # The other agent never answers, so the second epoch never begins.
    script = """
        import sys, duets
        with duets.Agent(sys.argv[1], agent=0, insecure=True, journal=sys.argv[2]) as a:
            count = 0
            def f(x, opt):
                global count
                count += 1
                print(count, flush=True)
                return x
            a.run(f)
    """
    # A shell's background job ignores SIGINT, and so do its children unless they are told otherwise.
    process = subprocess.Popen([sys.executable, "-B", "-c", textwrap.dedent(script), server.address,
                                str(server.folder / "j")], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    with agent(server, 1) as other:
        for _ in range(len(other.ask_all())):
            process.stdout.readline()
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=30)
    assert process.returncode != 0 and "KeyboardInterrupt" in error
