"""A machine is lost and another one takes over its agent: after the lease, or at once with --take-over. The
old one, if it comes back, gets a message and does no harm. The built-in objective answers a query that is
asked twice with the same value, so the digests are those of an undisturbed run."""

import hashlib
import shutil
import signal
import socket
import subprocess

import fleet

NEW_HOST = "another-machine"
AS_NEW_HOST = ["unshare", "--uts", "sh", "-c", f'hostname {NEW_HOST} && exec "$@"', "sh"]


def elsewhere(f, number):
    """Agent `number` on another machine: an own name and an own, empty journal."""
    agent = fleet.Agent(f.scratch, f.server, number, journal=f.scratch / f"journal-new-{number}")
    agent.name = f"new-{number}"
    return agent


def other_host():
    """(what comes before a command, the name of the machine it then runs on)"""
    try:
        probe = subprocess.run([*AS_NEW_HOST, "true"], capture_output=True, timeout=60)
        if probe.returncode == 0:
            return AS_NEW_HOST, NEW_HOST
    except OSError:
        pass
    print("could not run: a host name of its own; the machine's instead")
    return [], socket.gethostname()


def status_of(f, agent):
    status = f.server.status()
    return status["agent_status"][agent] if status else {"presence": None}


def wait_for_the_third(f):
    """Agents 0 and 1 wait for agent 2: agent 0, and what becomes it on another machine."""
    f.server.start(lease=1)
    f.agents[0].start()
    f.agents[1].start()
    fleet.wait("both to wait", lambda: (s := f.server.status()) and s["waiting_for"] == [2])
    return f.agents[0], elsewhere(f, 0)


def replaced(f, old, new):
    """The old holder ends and says why; the new one is agent 0."""
    fleet.same("the old holder: exit code", old.wait(), 4)
    fleet.contains("it says why", old.err(), "has taken over")
    f.agents[0] = new


# A secret with which agent 0 does not find its best trial in epoch 1, so that a new holder, who does not
# know the old one's trials, reports the same best.
FOUND_LATER = hashlib.sha256(b"found later").digest()


def machine_lost(scratch):
    """kill -9 in the middle of epoch 1, and the journal is gone."""
    study = fleet.study(scratch / "lost.toml", "finite", agents=3)
    before, host = other_host()
    with fleet.Fleet(scratch, study, agents=3) as f:
        f.server.start(lease=3)
        f.agents[1].start()
        f.agents[2].start()
        f.agents[0].start(fail_point="append.after:1:kill")
        fleet.same("agent 0 dies", f.agents[0].wait(), -9)
        shutil.rmtree(f.agents[0].journal)
        new = elsewhere(f, 0)
        new.start(before=before)
        fleet.same("before the lease is over it is refused: exit code", new.wait(), 4)
        fleet.contains("it says who holds it", new.err(), "agent 0 is held by")
        fleet.contains("and what to do", new.err(), "--take-over")
        fleet.wait("the lease to end", lambda: status_of(f, 0)["presence"] == "lost")
        new.start(before=before)
        fleet.check("afterwards it takes part", new.wait() == 0, new.tail())
        f.agents[0] = new
        fleet.same("a lost machine: digests", f.finish(), f.reference())
        agent = f.last_status["agent_status"][0]
        fleet.same("the second holder", (agent["token"], agent["host"]), (2, host))
        fleet.check("no agent was left out", f.last_status["complete_participation"])


def lost_in_epoch_two(scratch):
    """What the lost machine sent in epoch 1 counts; only its best trial of then is not known."""
    study = fleet.study(scratch / "later.toml", "finite", agents=3)
    with fleet.Fleet(scratch, study, agents=3) as f:
        f.server.start(lease=1)
        f.agents[1].start()
        f.agents[2].start()
        f.agents[0].start(fail_point="append.after:5:kill")
        fleet.same("agent 0 dies in epoch 2", f.agents[0].wait(), -9)
        shutil.rmtree(f.agents[0].journal)
        fleet.wait("the lease to end", lambda: status_of(f, 0)["presence"] == "lost")
        f.agents[0] = elsewhere(f, 0).start()
        run, _ = f.finish()
        fleet.same("points, sets and weights are those of the undisturbed run", run, f.reference()[0])
        fleet.check("no agent was left out", f.last_status["complete_participation"])


def taken_over_alive(scratch):
    """--take-over while the old one lives and waits for agent 2."""
    study = fleet.study(scratch / "alive.toml", "box", agents=3)
    before, host = other_host()
    secret = fleet.new_secret(scratch / "secret.key", FOUND_LATER)
    with fleet.Fleet(scratch, study, agents=3, secret=secret) as f:
        old, new = wait_for_the_third(f)
        new.start("--take-over", before=before)
        fleet.wait("the new holder", lambda: status_of(f, 0)["token"] == 2)
        f.agents[2].start()
        replaced(f, old, new)
        fleet.same("digests", f.finish(), f.reference())


def comes_back_late(scratch):
    """A machine that was frozen for longer than its lease wakes up when another one is its agent."""
    study = fleet.study(scratch / "frozen.toml", "finite", agents=3)
    before, host = other_host()
    secret = fleet.new_secret(scratch / "secret.key", FOUND_LATER)
    with fleet.Fleet(scratch, study, agents=3, secret=secret) as f:
        old, new = wait_for_the_third(f)
        old.signal(signal.SIGSTOP)
        fleet.wait("the lease to end", lambda: status_of(f, 0)["presence"] == "lost")
        new.start(before=before)
        fleet.wait("the new holder", lambda: status_of(f, 0)["token"] == 2)
        old.signal(signal.SIGCONT)
        f.agents[2].start()
        replaced(f, old, new)
        fleet.same("digests", f.finish(), f.reference())
        agent = f.last_status["agent_status"][0]
        fleet.same("the new one was not disturbed", (agent["token"], agent["host"]), (2, host))


def journal_needed(scratch):
    """data = "surviving" needs an agent's earlier rewards: without them nobody takes it over."""
    study = fleet.study(scratch / "needed.toml", "finite", agents=2,
                        duets=['upload = "projection"', 'data = "surviving"'])
    with fleet.Fleet(scratch, study, agents=2) as f:
        f.server.start(lease=1)
        f.agents[1].start()
        f.agents[0].start(fail_point="append.after:5:kill")
        fleet.same("agent 0 dies", f.agents[0].wait(), -9)
        fleet.wait("the lease to end", lambda: status_of(f, 0)["presence"] == "lost")
        new = elsewhere(f, 0).start("--take-over")
        fleet.same("without its journal: exit code", new.wait(), 5)
        fleet.contains("it says what is needed", new.err(), "journal")
        new.journal.mkdir(exist_ok=True)
        for file in f.agents[0].journal.iterdir():
            shutil.copy(file, new.journal)
        f.agents[0] = new.start()
        fleet.same("with a copy of it: digests", f.finish(), f.reference())


fleet.main(machine_lost, lost_in_epoch_two, taken_over_alive, comes_back_late, journal_needed)
