"""A coordinator that ends cleanly, stopped by its operator or because too few agents are present: the agents
that wait for it continue when it is back."""

import fleet


def restarts(scratch):
    """A coordinator that its operator stops and starts again: agents wait and go on."""
    study = fleet.study(scratch / "restarted.toml", "box", agents=5)
    with fleet.Fleet(scratch, study, agents=5) as f:
        f.server.start()
        waiting = f.agents[:4]
        for agent in waiting:
            agent.start()
        fleet.wait("all to wait", lambda: (s := f.server.status()) and s["waiting_for"] == [4])
        for times in range(1, 5):
            f.server.stop()
            f.server.start()
            fleet.wait("all to be back", lambda: all(
                a.err().count("is back after") >= times or not a.alive() for a in waiting))
        for agent in waiting:
            fleet.check(f"{agent.name} is still there", agent.alive(), agent.tail())
            if not agent.alive():
                agent.start()
        f.agents[4].start()
        fleet.same("stopped and started: digests", f.finish(), f.reference())


def gives_up(scratch):
    """By default everybody is waited for; --give-up ends that, and the same command goes on."""
    study = fleet.study(scratch / "patient.toml", "finite", agents=3)
    with fleet.Fleet(scratch, study, agents=3) as f:
        f.server.start("--give-up", 2)
        f.agents[0].start()
        f.agents[1].start()
        fleet.same("too few agents: exit code", f.server.wait(), 7)
        fleet.contains("it says how many", f.server.err(), "only 2 of the 3 agents")
        f.server.start()
        fleet.wait("it to wait for agent 2", lambda: (s := f.server.status()) and
                   s["waiting_for"] == [2])
        f.agents[2].start()
        fleet.same("afterwards: digests", f.finish(), f.reference())
        fleet.check("no agent was left out", f.last_status["complete_participation"])


fleet.main(restarts, gives_up)
