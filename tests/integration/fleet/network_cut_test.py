"""The network between coordinator and agents is cut, with and without the system noticing: nothing hangs,
all processes log what they wait for, agents keep measuring, and the study completes like an undisturbed one."""

import json
import pathlib
import signal
import subprocess
import sys
import time

import fleet
import network

OBJECTIVE = pathlib.Path(__file__).with_name("objective.py")


class Apart:
    """A fleet whose processes are on machines of their own."""

    def __init__(self, scratch, study, agents, secret, program=()):
        self.net = network.network(scratch, agents)
        self.server = fleet.Server(scratch, study, secret)
        self.server.address = self.net.listen
        self.server.start(lease=2, before=self.net.before_server())
        assert self.server.listening(), self.server.tail()
        self.agents = [fleet.Agent(scratch, self.seen_by(i), i, program) for i in range(agents)]

    def seen_by(self, agent):
        seen = fleet.Server(self.server.scratch, None, None)
        seen.address = self.net.address(agent, self.server.address)
        return seen

    def start(self, *agents):
        for agent in agents:
            self.agents[agent].start(before=self.net.before_agent(agent))

    def status(self):
        address = "127.0.0.1:" + self.server.address.rsplit(":", 1)[1]
        result = subprocess.run(
            [*self.net.before_server(), fleet.PROGRAM, "status", "--server", address, "--insecure",
             "--format", "json"], capture_output=True, text=True, timeout=60)
        return json.loads(result.stdout) if result.returncode == 0 else None

    def finish(self):
        for agent in self.agents:
            if agent.wait() != 0:
                fleet.check(f"{agent.name} ends well", False, agent.tail())
        return self.server.stop()


def answered(log, trial):
    return log.exists() and f"answered {trial} " in log.read_text()


def stops_at_once(what, agent):
    """SIGTERM ends an agent soon, whatever it waits for."""
    begun = time.monotonic()
    agent.signal(signal.SIGTERM)
    fleet.same(f"{what}: SIGTERM ends {agent.name} well", agent.wait(), 0)
    took = time.monotonic() - begun
    fleet.check(f"{what}: within seconds", took < 20, f"{took:.1f} s")
    print(f"   {took:.1f} s after SIGTERM")


def cut_in_an_epoch(scratch):
    """All agents are cut off in the middle of an epoch; their programs go on to the epoch's end."""
    study = fleet.study(scratch / "cut.toml", "box", agents=3)
    secret = fleet.new_secret(scratch / "secret.key")
    log = scratch / "asked.log"
    program = [sys.executable, "-S", "-B", OBJECTIVE, log, 0.3]
    with fleet.Fleet(scratch, study, agents=3, secret=secret, name="undisturbed",
                     program=[*program[:-2], scratch / "quiet.log", 0]) as f:
        quiet = f.start().finish()
    f = Apart(scratch, study, 3, secret, program)
    f.start(0, 1, 2)
    fleet.wait("epoch 2", lambda: all(answered(log, f"{i}-2-0") for i in range(3)))
    for agent, way in enumerate(["silent", "down", "silent"]):
        f.net.cut(agent, way)
    fleet.check("the cut is in the middle of the epoch",
                not any(answered(log, f"{i}-2-3") for i in range(3)), log.read_text())
    fleet.wait("the rest of the epoch", lambda: all(answered(log, f"{i}-2-3") for i in range(3)))
    fleet.check("agents that are cut off go on measuring", True)
    fleet.wait("the coordinator to miss them", lambda: (s := f.status()) and all(
        a["presence"] == "lost" for a in s["agent_status"]))
    fleet.same("the status names for whom the coordinator waits", f.status()["waiting_for"],
               [0, 1, 2])
    for agent in f.agents:
        fleet.wait(f"{agent.name} to say so", lambda a=agent: "no answer from the coordinator" in
                   a.err())
        fleet.contains(f"{agent.name} says what it was about", agent.err(),
                       "sending the results of epoch 2")
    stops_at_once("cut off, silently", f.agents[0])
    stops_at_once("cut off, link down", f.agents[1])
    for agent in range(3):
        f.net.heal(agent)
    f.start(0, 1)
    status = f.finish()
    fleet.same("a cut in an epoch: digests", fleet.digests(status), quiet)
    fleet.check("no agent was left out", status["complete_participation"])
    fleet.contains("the agent that stayed says that it is back", f.agents[2].err(), "is back after")


def cut_while_waiting(scratch):
    """Two agents wait for the third when their links are cut; what they wait for happens meanwhile."""
    study = fleet.study(scratch / "poll.toml", "finite", agents=3)
    secret = fleet.new_secret(scratch / "secret.key")
    f = Apart(scratch, study, 3, secret)
    f.start(0, 1)
    for agent in f.agents[:2]:
        fleet.wait(f"{agent.name} to wait", lambda a=agent: "of epoch 1 delivered" in a.err())
    f.net.cut(0, "silent")
    f.net.cut(1, "down")
    f.start(2)
    fleet.wait("epoch 2 to begin without them knowing", lambda: (s := f.status()) and
               s["epoch"] == 2 and s["waiting_for"] == [0, 1])
    fleet.pause_while(3, f.agents[0].alive)
    fleet.check("both are still there", f.agents[0].alive() and f.agents[1].alive())
    f.net.heal(1)
    stops_at_once("in a silent long poll", f.agents[0])
    f.start(0)
    fleet.wait("agent 0 to notice", lambda: "joining study" in f.agents[0].err())
    fleet.check("an agent that cannot join says so", True)
    stops_at_once("before it has joined", f.agents[0])
    f.net.heal(0)
    f.start(0)
    status = f.finish()
    fleet.same("a cut during a long poll: digests", fleet.digests(status),
               fleet.reference(scratch, study, secret))
    fleet.check("no agent was left out", status["complete_participation"])


fleet.main(cut_in_an_epoch, cut_while_waiting)
