"""An objective that takes longer than a lease, a long poll, a call and the watch over the connection
together: hours, scaled down to what a test can wait for."""

import pathlib
import sys

import fleet

OBJECTIVE = pathlib.Path(__file__).with_name("objective.py")
SECONDS = 75  # lease 1, long poll 20, call 20, pings 15: 56 in all


def hours(scratch):
    study = fleet.study(scratch / "hours.toml", "box", agents=2, horizon=2,
                        duets=["epochs = [1, 1]"])
    study.write_text(study.read_text().replace("t1 = 2\n", ""))
    with fleet.Fleet(scratch, study, agents=2) as f:
        f.server.start(lease=1)
        for agent, seconds in zip(f.agents, (SECONDS, 0)):
            agent.program = [sys.executable, "-S", "-B", OBJECTIVE, scratch / "asked.log", seconds]
            agent.start()
        fleet.wait("a long query", lambda: (s := f.server.status()) and
                   s["agent_status"][0]["query_seconds"] > 0.8 * SECONDS, every=1)
        status = f.server.status()
        fleet.same("both are live all the while", [a["presence"] for a in status["agent_status"]],
                   ["live", "live"])
        fleet.contains("the other says for whom it waits", f.agents[1].err(), "waiting for agent 0")
        fleet.check("the study completes", f.finish(seconds=4 * SECONDS) is not None)
        fleet.same("without a hole, with everybody",
                   (sum(e["holes"] for e in f.last_status["closed_epochs"]),
                    f.last_status["complete_participation"]), (0, True))
        for agent in f.agents:
            fleet.check(f"{agent.name} saw no trouble", "no answer" not in agent.err(), agent.tail())


fleet.main(hours)
