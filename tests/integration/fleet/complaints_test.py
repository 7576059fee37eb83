"""What users of similar systems complain about (README.md has the whole list), one test each."""

import os
import pathlib
import signal
import socket
import sys

import fleet

OBJECTIVE = pathlib.Path(__file__).resolve().with_name("objective.py")


def presence(f, agent):
    status = f.server.status()
    return status["agent_status"][agent]["presence"] if status else None


def live_worker_is_not_killed(scratch):
    """optuna #4234, NVFlare #2484: a heartbeat that stays away kills a live worker. Here it shows as
    "lost" and takes part all the same when it is back."""
    study = fleet.study(scratch / "frozen.toml", "finite")
    with fleet.Fleet(scratch, study) as f:
        f.server.start(lease=1)
        frozen = f.agents[0].start()
        fleet.wait("agent 0 to join", lambda: presence(f, 0) == "live")
        frozen.signal(signal.SIGSTOP)
        for agent in f.agents[1:]:
            agent.start()
        fleet.wait("the others to wait for it", lambda: (s := f.server.status()) and
                   s["waiting_for"] == [0])
        fleet.wait("the coordinator to miss it", lambda: presence(f, 0) == "lost")
        frozen.signal(signal.SIGCONT)
        fleet.same("frozen for longer than its lease: digests", f.finish(), f.reference())
        fleet.check("nobody was excluded", f.last_status["complete_participation"])


def dead_worker_is_shown(scratch):
    """optuna #485, #1641, #3215: what a dead worker had stays "running" for ever. flower #4147, openfl
    #981: a round hangs and nobody says for whom. Here status, coordinator and agents name it."""
    study = fleet.study(scratch / "dead.toml", "box")
    with fleet.Fleet(scratch, study) as f:
        f.server.start(lease=1)
        for agent in f.agents[:7]:
            agent.start()
        fleet.wait("the others' uploads", lambda: (s := f.server.status()) and
                   s["waiting_for"] == [7])
        fleet.check("the status names the one that is missing", True)
        status = f.server.status()
        fleet.check("and since when", status["epoch_seconds"] > 0, str(status["epoch_seconds"]))
        fleet.wait("an agent to say it", lambda: "waiting for agent 7 in epoch 1" in
                   f.agents[0].err())
        fleet.check("an agent that waits says for whom", True)
        f.agents[7].start(fail_point="append.after:2:kill")
        fleet.same("agent 7 dies", f.agents[7].wait(), -9)
        fleet.wait("the coordinator to miss it", lambda: presence(f, 7) == "lost")
        fleet.contains("the coordinator says who is gone", f.server.err(), "agent 7")
        f.agents[7].start()
        fleet.same("a worker that died: digests", f.finish(), f.reference())


def long_objective(scratch):
    """flower #2515, #4300: the stream dies while the objective takes long. Here no call is open."""
    study = fleet.study(scratch / "slow.toml", "box", agents=2, horizon=3, t1=None,
                        duets=["epochs = [1, 2]"])
    program = [sys.executable, "-S", "-B", OBJECTIVE, scratch / "asked.log", 4]
    with fleet.Fleet(scratch, study, agents=2, program=program) as f:
        f.start(lease=1)
        fleet.wait("a query that takes longer than the lease", lambda: (s := f.server.status()) and
                   any(a["query_seconds"] > 2 and a["presence"] == "live"
                       for a in s["agent_status"]))
        fleet.check("its agent is live all the while, and the status shows how long", True)
        fleet.check("an objective of four leases: the run ends", f.finish() is not None)
        fleet.same("without a hole", sum(e["holes"] for e in f.last_status["closed_epochs"]), 0)


def watching_harms_nobody(scratch):
    """optuna-dashboard #545: looking at a study crashed it. Here watchers come, go, are killed, and
    strangers send garbage."""
    study = fleet.study(scratch / "watched.toml", "finite")
    with fleet.Fleet(scratch, study) as f:
        f.server.start()
        host, port = f.server.address.rsplit(":", 1)
        strangers = []
        for i in range(20):
            stranger = socket.create_connection((host, int(port)), timeout=10)
            stranger.sendall(os.urandom(1 + 100 * i) if i % 2 else b"GET / HTTP/1.1\r\n\r\n")
            strangers.append(stranger)
        f.start_agents()
        for i in range(6):
            watcher = fleet.Process(f.scratch, f"watcher-{i}").launch(
                [fleet.PROGRAM, "status", "--server", f.server.address, "--insecure"])
            if i % 2:
                watcher.kill()
            else:
                fleet.same(f"watcher {i}", watcher.wait(), 0)
        fleet.same("watched: digests", f.finish(), f.reference())
        for stranger in strangers:
            stranger.close()


def logs_stay_small(scratch):
    """ray #15695: logs fill the disk. Here waiting, watching and a coordinator that is away for a
    while are worth a line, not a line per try."""
    study = fleet.study(scratch / "logs.toml", "box")
    with fleet.Fleet(scratch, study) as f:
        f.server.start()
        for agent in f.agents[:7]:
            agent.start()
        fleet.wait("the others' uploads", lambda: (s := f.server.status()) and
                   s["waiting_for"] == [7])
        said = len(f.server.err())
        for _ in range(10):
            f.server.status()
        fleet.same("looking at the status leaves nothing in the log", len(f.server.err()), said)
        f.server.kill()
        fleet.wait("the agents to notice", lambda: all("no answer" in a.err() for a in f.agents[:7]))
        fleet.pause_while(3, f.agents[0].alive)
        f.server.start()
        f.agents[7].start()
        fleet.same("digests", f.finish(), f.reference())
        for process in [f.server, *f.agents]:
            fleet.check(f"{process.name} says little", len(process.all_err().splitlines()) < 60,
                        process.tail())


fleet.main(live_worker_is_not_killed, dead_worker_is_shown, long_objective, watching_harms_nobody,
           logs_stay_small)
