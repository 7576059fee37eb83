"""Epochs that close without all agents: by default never; with a quorum and a deadline, or by an operator,
exactly without the late agents, which are back in the next epoch. A simulation with the exported
record of who took part gives the same digests."""

import pathlib
import sys

import fleet

MISBEHAVING = pathlib.Path(__file__).with_name("misbehaving.py")


def in_epoch(f, epoch, waiting_for=None):
    status = f.server.status()
    return status and status["epoch"] == epoch and (
        waiting_for is None or status["waiting_for"] == waiting_for)


def wait_in_epoch(f, epoch, waiting_for):
    fleet.wait(f"epoch {epoch} to wait for {waiting_for}", lambda: in_epoch(f, epoch, waiting_for))


def exported(f, name, *extra):
    result = fleet.duets(f.scratch, "study", "export", name, "--storage", f.server.storage, "-o",
                         "export", *extra)
    fleet.check("it can be exported", result.returncode == 0, result.stderr)
    return f.scratch / "export"


def excluded(status):
    return [e["excluded"] for e in status["closed_epochs"]]


def as_simulated(f, got, directory):
    fleet.same("a simulation with the record of who took part: digests",
               fleet.reference(f.scratch, f.study_file, f.secret, "--participation",
                               directory / "participation.toml"), got)
    fleet.check("one with everybody is another run", f.reference() != got, str(got))
    verified = fleet.duets(f.scratch, "verify", directory, "--secret", f.secret)
    fleet.check("the export is verified", verified.returncode == 0,
                verified.stdout + verified.stderr)


def deadline(scratch):
    """Three of four are enough. Agent 3 is not there in epoch 1; agent 0 dies in epoch 2."""
    study = fleet.study(scratch / "late.toml", "finite", agents=4,
                        extra="[coordinator]\nquorum = 3\ndeadline = 1.0\n")
    with fleet.Fleet(scratch, study, agents=4) as f:
        f.server.start(lease=1)
        f.agents[1].start()
        f.agents[2].start()
        wait_in_epoch(f, 1, [0, 3])
        fleet.check("two are no quorum, whatever the time", in_epoch(f, 1))
        # Two answers, what epoch 2 begins with, and one answer in epoch 2.
        f.agents[0].start(fail_point="append.after:5:kill")
        fleet.same("agent 0 dies", f.agents[0].wait(), -9)
        wait_in_epoch(f, 2, [0, 3])
        fleet.same("epoch 1 closed without agent 3 only", excluded(f.server.status()), [[3]])
        f.agents[3].start()
        for number in (1, 2, 3):
            fleet.check(f"agent {number} ends well", f.agents[number].wait() == 0,
                        f.agents[number].tail())
        # Not before: it would be in time for the last epoch.
        fleet.wait("the study to be over", lambda: (s := f.server.status()) and
                   s["state"] == "finished")
        f.agents[0].start()
        fleet.check("agent 0 learns that the study is over", f.agents[0].wait() == 0,
                    f.agents[0].tail())
        status = f.server.stop()
        got = fleet.digests(status)
        fleet.same("who was left out", excluded(status), [[3], [0], [0]])
        fleet.same("why", [e["why"] for e in status["closed_epochs"]], ["deadline"] * 3)
        fleet.same("epochs without them", [a["epochs_excluded"] for a in status["agent_status"]],
                   [2, 0, 0, 1])
        fleet.contains("the coordinator said so", f.server.err(), "without agent 3")
        fleet.check("the participation is not complete", not status["complete_participation"])
        as_simulated(f, got, exported(f, "late"))


def slow_agent(scratch):
    """A program that takes too long for epoch 1: its agent is told and is back in epoch 2."""
    study = fleet.study(scratch / "slow.toml", "box", agents=3,
                        extra="[coordinator]\nquorum = 2\ndeadline = 1.0\n")
    log = scratch / "asked.log"
    go = [scratch / "go-0", scratch / "go-1", scratch / "go-2"]
    with fleet.Fleet(scratch, study, agents=3) as f:
        gates = {0: f"0-2-0=wait:{go[0]}", 1: f"1-3-0=wait:{go[1]}", 2: f"2-1-0=wait:{go[2]}"}
        for agent in f.agents:
            agent.program = [sys.executable, "-S", "-B", MISBEHAVING, log, gates[agent.number]]
        f.start(lease=1)
        wait_in_epoch(f, 2, [0, 2])
        go[2].touch()
        fleet.wait("epoch 3", lambda: in_epoch(f, 3))
        go[0].touch()
        go[1].touch()
        got = f.finish()
        status = f.last_status
        fleet.same("who was left out first", excluded(status)[:2], [[2], [0]])
        fleet.contains("the slow agent says so", f.agents[2].err(), "epoch 2 began")
        directory = exported(f, "slow", "--trials", *(a.journal for a in f.agents))
        verified = fleet.duets(f.scratch, "verify", directory, "--secret", f.secret, "--trials",
                               *(a.journal for a in f.agents))
        fleet.check("the export is verified, answers included", verified.returncode == 0,
                    verified.stdout + verified.stderr)
        fleet.check("it has digests", got is not None)


def operator(scratch):
    """An operator ends an epoch by hand; the theorem is not claimed then."""
    study = fleet.study(scratch / "closed.toml", "finite", agents=3, duets=['mode = "theory"'])
    study.write_text(study.read_text().replace("beta = 0.5\n", "").replace(
        "lambda = 0.2\n", "lambda = 0.2\nbound = 1.0\nsubgaussian = 0.2\n"))
    with fleet.Fleet(scratch, study, agents=3) as f:
        f.server.start()
        assert f.server.listening(), f.server.tail()
        f.agents[0].start()
        f.agents[1].start()
        wait_in_epoch(f, 1, [2])
        at = ("--server", f.server.address, "--insecure")
        fleet.contains("before, the theorem holds", f.server.status()["guarantee"], "probability")
        wrong = fleet.duets(f.scratch, "study", "close", "closed", "--epoch", 2, *at)
        fleet.same("an epoch that is not open", (wrong.returncode, in_epoch(f, 1)), (2, True))
        fleet.contains("it says which is", wrong.stderr, "the open epoch is 1")
        offline = fleet.duets(f.scratch, "study", "close", "closed", "--epoch", 1, "--storage",
                              f.server.storage)
        fleet.same("without the coordinator it cannot be done", offline.returncode, 2)
        close = fleet.duets(f.scratch, "study", "close", "closed", "--epoch", 1, *at)
        fleet.check("an operator closes the epoch", close.returncode == 0, close.stderr)
        wait_in_epoch(f, 2, [2])
        f.agents[2].start()
        got = f.finish()
        fleet.same("who was left out", excluded(f.last_status), [[2], [], []])
        fleet.same("why", [e["why"] for e in f.last_status["closed_epochs"]],
                   ["operator", "complete", "complete"])
        fleet.contains("the guarantee is withdrawn", f.last_status["guarantee"],
                       "an agent was excluded")
        as_simulated(f, got, exported(f, "closed"))


fleet.main(deadline, slow_agent, operator)
