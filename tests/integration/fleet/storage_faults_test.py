"""A full disk and a read-only one: the run waits and says why, nothing is sent before it is stored,
and it ends with the same digests. (vizier #1187, optuna #815: storage that never committed.)"""

import os
import pathlib
import shutil
import sys

import disks
import fleet


def wait_until_it_complains(f):
    return fleet.wait("the coordinator to say that it cannot write",
                      lambda: "trying again every second" in f.server.err())


def look_at_the_trouble(f, name):
    """What an operator and the agents see while the disk takes nothing."""
    status = fleet.wait("the status to show it", lambda: (s := f.server.status()) and
                        s["problem"] and s)
    fleet.check(f"{name}: the status shows the problem", "duets.db" in status["problem"] or
                "DUETS_FAIL_POINT" in status["problem"], status["problem"])
    fleet.check(f"{name}: the coordinator lives", f.server.alive(), f.server.tail())
    fleet.check(f"{name}: the agents live", all(a.alive() for a in f.agents),
                "\n".join(a.tail() for a in f.agents if not a.alive()))


def full_disk(scratch):
    study = fleet.study(scratch / "full.toml", "finite")
    why = disks.why_not(scratch)
    if why:
        print(f"could not run: a disk of our own ({why}); with failing writes instead")
        return
    with fleet.Fleet(scratch, study) as f:
        f.server.storage.mkdir()
        f.server.start(before=disks.small(f.server.storage, "2m"))
        storage = disks.seen_by(f.server, f.server.storage)
        fleet.check("the storage is on the small disk",
                    (storage / "duets.db").exists() and not any(f.server.storage.iterdir()))
        f.agents[0].start()
        fleet.wait("the first upload", lambda: (s := f.server.status()) and
                   any(a["uploaded"] for a in s["agent_status"]))
        filler = disks.fill(storage)
        for agent in f.agents[1:]:
            agent.start()
        fleet.wait("somebody to say that the disk is full", lambda: any(
            "duets.db" in p.err() and "full" in p.err() for p in [f.server, *f.agents]))
        fleet.check("full disk: the coordinator lives", f.server.alive(), f.server.tail())
        fleet.check("full disk: the agents live", all(a.alive() for a in f.agents[1:]))
        filler.unlink()
        for agent in f.agents:
            fleet.same(f"full disk: {agent.name} ends well", agent.wait(), 0)
        shutil.copytree(storage, scratch / "copy", ignore=shutil.ignore_patterns("*-shm"))
        fleet.same("full disk: digests of the undisturbed run", f.finish(), f.reference())


def full_while_uploading(scratch):
    """The disk is full when answers come in: they wait in the agents' journals."""
    if disks.why_not(scratch):
        return
    study = fleet.study(scratch / "uploads.toml", "box", agents=3)
    script = fleet.SOURCE / "tests/integration/fleet/objective.py"
    program = [sys.executable, "-S", "-B", script, scratch / "asked.log", 0.05]
    with fleet.Fleet(scratch, study, agents=3, program=program, name="undisturbed") as f:
        secret, quiet = f.secret, f.start().finish()
    with fleet.Fleet(scratch, study, agents=3, program=program, secret=secret, name="full") as f:
        f.server.storage.mkdir()
        f.start(before=disks.small(f.server.storage, "2m"))
        fleet.wait("epoch 2", lambda: "epoch 2 of" in f.server.err())
        storage = disks.seen_by(f.server, f.server.storage)
        filler = disks.fill(storage)
        wait_until_it_complains(f)
        look_at_the_trouble(f, "full while uploading")
        filler.unlink()
        got = f.finish()
        fleet.contains("full while uploading: it says that it goes on", f.server.err(),
                       "the storage can be written again")
        fleet.same("full while uploading: digests of the undisturbed run", got, quiet)


def failing_writes(scratch):
    """The same from a fail point: four commits in a row are refused."""
    study = fleet.study(scratch / "failing.toml", "finite")
    with fleet.Fleet(scratch, study) as f:
        f.start(fail_point="append.before:3-6:fail")
        wait_until_it_complains(f)
        got = f.finish()
        fleet.contains("failing writes: it says that it goes on", f.server.err(),
                       "the storage can be written again")
        fleet.same("failing writes: digests of the undisturbed run", got, f.reference())


def the_program_has_no_fail_points(scratch):
    """Nobody can break a deployed program with a variable: it does not know of it."""
    name = "DUETS_FAIL_POINT"
    fleet.check("the breakable program knows the variable",
                name.encode() in pathlib.Path(fleet.BREAKABLE).read_bytes())
    fleet.check("the program does not", name.encode() not in pathlib.Path(fleet.PROGRAM).read_bytes())
    study = fleet.study(scratch / "deaf.toml", "finite", agents=2)
    os.environ[name] = "append.before:1:kill"
    try:
        with fleet.Fleet(scratch, study, agents=2) as f:
            fleet.same("the variable changes nothing", f.start().finish(), f.reference())
    finally:
        del os.environ[name]


def read_only_disk(scratch):
    why = disks.why_not(scratch)
    if why:
        print(f"could not run: a read-only disk ({why})")
        return
    study = fleet.study(scratch / "read.toml", "finite")
    with fleet.Fleet(scratch, study) as f:
        f.server.storage.mkdir(mode=0o700)
        f.server.start(before=disks.read_only(f.server.storage))
        refused(f, "read-only at first", "server-storage")
        fleet.same("read-only at first: nothing is there", list(f.server.storage.iterdir()), [])
        f.server.start(fail_point="append.after:12:kill")
        f.start_agents()
        fleet.same("the coordinator dies in between", f.server.wait(), -9)
        before = fleet.contents(f.server.storage)
        f.server.start(before=disks.read_only(f.server.storage))
        refused(f, "read-only later", "duets.db")
        fleet.same("read-only later: nothing changed", fleet.contents(f.server.storage), before)
        f.server.start()
        fleet.same("read-only later: digests once it can be written", f.finish(), f.reference())


def refused(f, name, file):
    fleet.same(f"{name}: exit code", f.server.wait(), 6)
    fleet.contains(f"{name}: the file is named", f.server.err(), file)


def one_writer(scratch):
    """A second coordinator on the same storage is refused and harms nobody."""
    study = fleet.study(scratch / "twice.toml", "box")
    with fleet.Fleet(scratch, study) as f:
        f.start()
        second = fleet.Server(scratch, study, f.secret, storage=f.server.storage, name="second")
        second.start()
        fleet.same("a second coordinator: exit code", second.wait(), 6)
        fleet.contains("a second coordinator: names the first one", second.err(),
                       f"process {f.server.pid} ")
        fleet.same("a second coordinator: digests", f.finish(), f.reference())


fleet.main(failing_writes, the_program_has_no_fail_points, full_disk, full_while_uploading,
           read_only_disk, one_writer)
