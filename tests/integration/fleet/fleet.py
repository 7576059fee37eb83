"""A fleet for tests: one coordinator and its agents as processes, and what may be expected of them.

    import fleet

    def test(scratch):
        with fleet.Fleet(scratch, fleet.study(scratch / "box.toml", "box")) as f:
            f.start()
            fleet.same("digests", f.finish(), f.reference())

    fleet.main(test)

A test prints a line "ok ..." or "FAILED ..." per expectation and fails with a non-zero exit code when
one failed or the script did. Every wait is for a condition and has a cap. Every process is in a group
of its own, dies with the test, and writes to files in the scratch directory, which is kept (and named)
when something failed. At the end no file that was left behind may hold a secret.

Environment: DUETS_PROGRAM (the program), DUETS_BREAKABLE (the program that obeys a fail point, breakable.cc),
DUETS_SOURCE_DIR (the checkout).
"""

import base64
import ctypes
import hashlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback

PROGRAM = os.environ.get("DUETS_PROGRAM", "duets")
BREAKABLE = os.environ.get("DUETS_BREAKABLE", "duets_breakable")
SOURCE = pathlib.Path(os.environ.get("DUETS_SOURCE_DIR", "."))
CAP = 120  # seconds: how long a condition may take before the test gives up on it
AGENTS = 8

_failures = 0
_processes = []  # every Process that was started


class GaveUp(Exception):
    """A condition did not come true in time."""


# --- Expectations ---------------------------------------------------------------------------------


def check(what, good, detail=""):
    """Prints "ok WHAT", or "FAILED WHAT: DETAIL" and counts it. Returns whether it was good."""
    global _failures
    if good:
        print(f"ok {what}", flush=True)
    else:
        _failures += 1
        print(f"FAILED {what}: {detail}", flush=True)
    return bool(good)


def same(what, got, wanted):
    return check(what, got == wanted, f"{got} instead of {wanted}")


def contains(what, text, part):
    return check(what, part in text, f'"{part}" is not in:\n{text[-2000:]}')


def wait(what, condition, seconds=CAP, every=0.02):
    """Waits until `condition()` is true and returns what it gave; GaveUp after `seconds`."""
    end = time.monotonic() + seconds
    while True:
        result = condition()
        if result:
            return result
        if time.monotonic() > end:
            tails = "\n".join(p.tail() for p in _processes if p.alive())
            raise GaveUp(f"{what}: not within {seconds} s\n{tails}")
        time.sleep(every)


def pause_while(seconds, condition):
    """A time that is part of the test, not a wait for something; shorter when `condition` ends."""
    end = time.monotonic() + seconds
    while condition() and time.monotonic() < end:
        time.sleep(0.01)


def main(*tests):
    """Runs tests, functions of a scratch directory, and ends the script with its exit code."""
    global _failures
    # A time limit ends the script with SIGTERM; what it started must go as well.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    root = pathlib.Path(tempfile.mkdtemp(prefix="duets-fleet-"))
    begun = time.monotonic()
    try:
        for test in tests:
            scratch = root / test.__name__
            scratch.mkdir()
            try:
                test(scratch)
            except Exception:
                _failures += 1
                print(f"FAILED {test.__name__}: the script ended early\n{traceback.format_exc()}")
            finally:
                end_all()
            no_secrets(scratch)
    finally:
        end_all()
        if _failures:
            print(f"{_failures} failed; what was left behind: {root}")
        else:
            shutil.rmtree(root, ignore_errors=True)
    print(f"{time.monotonic() - begun:.1f} s", flush=True)
    sys.exit(1 if _failures else 0)


def end_all():
    """Ends every process that is still there."""
    for process in _processes:
        process.kill()


# --- Processes ------------------------------------------------------------------------------------


def _die_with_parent():
    PR_SET_PDEATHSIG = 1
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class Process:
    """A process in a group of its own. Output: NAME.START.out and .err, arguments: .args."""

    def __init__(self, scratch, name):
        self.scratch, self.name, self.starts, self.popen = scratch, name, 0, None

    def launch(self, arguments, environment=None, cwd=None):
        assert not self.alive(), f"{self.name} is running"
        self.starts += 1
        extra = {k: v for k, v in (environment or {}).items() if v is not None}
        with open(self.path("out"), "wb") as out, open(self.path("err"), "wb") as err:
            self.popen = subprocess.Popen(
                [str(a) for a in arguments], stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                cwd=cwd or self.scratch, env={**os.environ, **extra}, start_new_session=True,
                preexec_fn=_die_with_parent)
        _processes.append(self) if self not in _processes else None
        self.note_arguments()
        return self

    def path(self, ending):
        return self.scratch / f"{self.name}.{self.starts}.{ending}"

    def note_arguments(self):
        """What anybody on the machine can see of it, for no_secrets()."""
        try:
            self.path("args").write_bytes(
                pathlib.Path(f"/proc/{self.popen.pid}/cmdline").read_bytes())
        except OSError:
            pass

    @property
    def pid(self):
        return self.popen.pid

    def alive(self):
        return self.popen is not None and self.popen.poll() is None

    @property
    def code(self):
        """The exit code; -9 after SIGKILL; None while it runs."""
        return self.popen.poll()

    def out(self):
        return self.path("out").read_text(errors="replace")

    def err(self):
        return self.path("err").read_text(errors="replace")

    def all_err(self):
        """Standard error of all its starts."""
        return "".join((self.scratch / f"{self.name}.{i}.err").read_text(errors="replace")
                       for i in range(1, self.starts + 1))

    def tail(self):
        return f"--- {self.name}, code {self.code}, {self.path('err')}:\n{self.err()[-800:]}"

    def wait(self, seconds=CAP):
        """Waits for its end and returns the exit code."""
        wait(f"end of {self.name}", lambda: not self.alive(), seconds)
        return self.code

    def signal(self, number=signal.SIGINT):
        if self.alive():
            self.popen.send_signal(number)

    def kill(self):
        """SIGKILL to the whole group, and waits until it is gone."""
        if self.popen is None:
            return
        try:
            os.killpg(self.popen.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.popen.wait()


def is_process(pid):
    """Whether there is a process of this number that has not ended."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def duets(scratch, *arguments, seconds=CAP, **environment):
    """One command that ends by itself: a CompletedProcess with text."""
    return subprocess.run(
        [PROGRAM, *map(str, arguments)], cwd=scratch, env={**os.environ, **environment},
        stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
        timeout=seconds)


class Server(Process):
    """`duets serve`. The port is the system's choice at the first start, and stays."""

    def __init__(self, scratch, study_file, secret, storage=None, name="server", seed=None):
        super().__init__(scratch, name)
        self.study_file, self.secret, self.seed = study_file, secret, seed
        self.storage = storage or scratch / f"{name}-storage"
        self.address = None

    def arguments(self, *extra, keep=True, lease=60, program=PROGRAM):
        coins = ["--secret", self.secret] if self.seed is None else ["--seed", self.seed]
        arguments = [program, "serve", self.study_file, "--listen", self.address or "127.0.0.1:0",
                     "--address-file", self.address_file, "--storage", self.storage, *coins,
                     "--lease", lease, "--format", "json"]
        return [*arguments, *(["--keep"] if keep else []), *extra]

    @property
    def address_file(self):
        return self.scratch / f"{self.name}.address"

    def start(self, *extra, fail_point=None, keep=True, lease=60, insecure=True, before=()):
        """Starts it and waits until it listens or is gone. `before`: a command that runs it."""
        self.address_file.unlink(missing_ok=True)
        arguments = self.arguments(*(["--insecure"] if insecure else []), *extra, keep=keep,
                                   lease=lease, program=BREAKABLE if fail_point else PROGRAM)
        self.launch([*before, *arguments], {"DUETS_FAIL_POINT": fail_point})
        wait(f"{self.name} to listen", lambda: self.listening() or not self.alive())
        if self.listening():
            self.address = self.address_file.read_text().strip()
        self.note_arguments()
        return self

    def listening(self):
        return self.address_file.exists() and self.address_file.read_text().endswith("\n")

    def status(self, *extra):
        """What `duets status` says, or None when it cannot be had now."""
        if not self.alive() or not self.address:
            return None
        result = duets(self.scratch, "status", "--server", self.address, "--insecure", "--format",
                       "json", *extra)
        return json.loads(result.stdout) if result.returncode == 0 else None

    def stop(self):
        """Ends it as an operator would and returns the final status it prints."""
        self.signal(signal.SIGINT)
        self.wait()
        return final_status(self)


class Agent(Process):
    """`duets agent`: agent `number`, or the agents of a range "A-B"."""

    def __init__(self, scratch, server, number, program=(), journal=None):
        super().__init__(scratch, f"agent-{number}")
        self.server, self.number, self.program = server, number, list(program)
        self.journal = journal or scratch / f"journal-{number}"

    def start(self, *extra, fail_point=None, insecure=True, numbered=True, before=()):
        which = ["--agents" if "-" in str(self.number) else "--agent", self.number]
        arguments = [*before, BREAKABLE if fail_point else PROGRAM, "agent", "--server", self.server.address,
                     *(which if numbered else []), "--journal", self.journal,
                     *(["--insecure"] if insecure else []), *extra]
        if self.program:
            arguments += ["--", *self.program]
        self.launch(arguments, {"DUETS_FAIL_POINT": fail_point})
        return self

    def journal_file(self):
        """The file of its journal, once it is there."""
        return next(iter(sorted(self.journal.glob("*.db"))), None)


class Fleet:
    """A server and one process per agent, with a study and a secret of their own, or a seed."""

    def __init__(self, scratch, study_file, agents=AGENTS, program=(), secret=None, name=None,
                 seed=None):
        self.scratch = scratch / name if name else scratch
        self.scratch.mkdir(exist_ok=True)
        self.study_file = study_file
        self.secret = secret or new_secret(self.scratch / "secret.key")
        self.server = Server(self.scratch, study_file, self.secret, seed=seed)
        self.agents = [Agent(self.scratch, self.server, i, program) for i in range(agents)]
        self.last_status = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()

    def kill(self):
        for process in [*self.agents, self.server]:
            process.kill()

    def start(self, **server_options):
        self.server.start(**server_options)
        assert self.server.address, self.server.tail()
        self.start_agents()
        return self

    def start_agents(self):
        for agent in self.agents:
            agent.start()

    def finish(self, seconds=CAP):
        """Waits for the agents, which must end well, then for the server: the run's digests."""
        for agent in self.agents:
            code = agent.wait(seconds)
            if code != 0:
                check(f"{agent.name} ends well", False, agent.tail())
        self.last_status = self.server.stop()
        return digests(self.last_status)

    def reference(self):
        return reference(self.scratch, self.study_file, self.secret)


# --- Studies, secrets and digests -----------------------------------------------------------------


def study(path, domain="box", agents=AGENTS, horizon=12, t1=2, duets=(), objective=(), extra=""):
    """Writes a small study, epochs of 2, 4 and 6 queries unless told otherwise, and returns its path.

    `duets` and `objective` are more lines of those sections ("data = \\"surviving\\""); an objective
    that names a command replaces the built-in one. With a line "epochs = [..]", t1 must be None.
    """
    space = {"box": 'domain = "box"\ndimension = 2',
             "finite": 'domain = "finite"\nshape = "cube"\ndimension = 2\ncandidates = 300'}[domain]
    has_command = any(line.startswith("command") for line in objective)
    lines = ["[study]", f'name = "{path.stem}"', 'direction = "maximize"', f"agents = {agents}",
             f"horizon = {horizon}", "seed = 5", "", "[space]", space, "", "[kernel]",
             'name = "squared-exponential"', "lengthscale = 0.2", "", "[noise]", "lambda = 0.2", "",
             "[duets]", *([f"t1 = {t1}"] if t1 else []), "beta = 0.5", *duets, "", "[objective]",
             *([] if has_command else ['builtin = "branin"', "noise = 0.2"]), *objective, "", extra]
    path.write_text("\n".join(lines) + "\n")
    return path


def new_secret(path, key=None):
    """Writes a secret file that only its owner may read, and returns its path."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write((key or os.urandom(32)).hex() + "\n")
    return path


def final_status(server):
    """What a server printed when it ended, or None."""
    return json.loads(server.out()) if server.out().strip() else None


def digests(document):
    """(run_digest, state_digest) of a status or a manifest."""
    return (document["run_digest"], document["state_digest"]) if document else None


def reference(scratch, study_file, secret, *extra):
    """The digests of `duets run` with the secret of a deployment."""
    directory = pathlib.Path(tempfile.mkdtemp(prefix="run-", dir=scratch)) / "result"
    result = duets(scratch, "run", study_file, "--secret", secret, "-o", directory, "-q", *extra)
    if result.returncode != 0:
        raise RuntimeError(f"duets run: exit code {result.returncode}\n{result.stderr}")
    return digests(json.loads((directory / "manifest.json").read_text()))


def contents(directory):
    """{file: digest of its bytes} of a directory, but for what only a running process means: the
    lock with its number, SQLite's index of the -wal, which is made anew each time, and a -wal with
    nothing in it."""
    files = [p for p in sorted(directory.rglob("*")) if p.is_file()]
    return {str(p.relative_to(directory)): hashlib.sha256(p.read_bytes()).hexdigest()
            for p in files if not p.name.endswith(("-lock", "-shm"))
            and not (p.name.endswith("-wal") and p.stat().st_size == 0)}


def coins(secret, agents=64):
    """Every key that follows from a study's secret (docs/formats/coins.md), by name."""
    def derive(context, number):
        return hashlib.blake2b(key=secret, digest_size=32, person=context.encode().ljust(16, b"\0"),
                               salt=number.to_bytes(8, "little").ljust(16, b"\0")).digest()
    keys = {f"coin of agent {i}": derive("duetsagt", i) for i in range(agents)}
    return {"secret": secret, "public coin": derive("duetspub", 0),
            "problem coin": derive("duetsprb", 0), **keys}


def is_secret_file(path):
    """A key file: 64 hexadecimal digits, readable by its owner only."""
    if not path.suffix == ".key" or path.stat().st_size > 100:
        return False
    text = path.read_text(errors="replace").strip()
    return len(text) == 64 and path.stat().st_mode & 0o077 == 0


def forms(secret):
    """{bytes: name} of a study's secret and coins, as they might stand in a file."""
    found = {}
    for name, key in coins(secret).items():
        for form in (key, key.hex().encode(), key.hex().upper().encode(),
                     base64.b64encode(key).rstrip(b"="),
                     base64.urlsafe_b64encode(key).rstrip(b"=")):
            found[form] = name
    return found


def leaks(scratch):
    """[(file, what)] of secrets outside their files, as hex, base64 or bytes.

    A secret that lies in a folder of the scratch directory is looked for in that folder and beside
    it: many fleets in one test are not looked through for each other's secrets."""
    files = [p for p in sorted(scratch.rglob("*")) if p.is_file() and not p.is_symlink()]

    def folder(path):
        parts = path.relative_to(scratch).parts
        return parts[0] if len(parts) > 1 else ""

    needles = {}
    for path in files:
        if is_secret_file(path):
            secret = bytes.fromhex(path.read_text().strip())
            needles.setdefault(folder(path), {}).update(forms(secret))
    everywhere = needles.get("", {})
    anything = {form: name for some in needles.values() for form, name in some.items()}
    found = []
    for path in files:
        if is_secret_file(path):
            continue
        own = folder(path)
        wanted = {**everywhere, **needles.get(own, {})} if own else anything
        data = path.read_bytes()
        found += [(path, name) for form, name in wanted.items() if form in data]
    return found


def no_secrets(scratch):
    """Nothing that a test left behind, argument lists included, holds a secret or a coin."""
    found = leaks(scratch)
    check(f"{scratch.name}: no secret outside its file", not found,
          "\n".join(f"{name} in {path}" for path, name in found[:10]))
