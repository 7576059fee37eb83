"""Simulation = deployment: a coordinator and eight agents as processes give the digests of `duets run`
with the same study and secret."""

import fleet

STUDIES = {
    "finite": dict(domain="finite"),
    "box": dict(domain="box"),
    "surviving": dict(domain="finite", duets=['upload = "projection"', 'data = "surviving"']),
    "surviving-box": dict(domain="box", duets=['upload = "projection"', 'data = "surviving"']),
    "closing": dict(domain="box", duets=['closing = "projection"']),
    "rewards": dict(domain="finite", duets=['upload = "rewards"']),
    "minimised": dict(domain="box", objective=["offset = 20", "scale = 50"]),
}


def same_digests(scratch):
    for name, options in STUDIES.items():
        study = fleet.study(scratch / f"{name}.toml", **options)
        if name == "minimised":
            study.write_text(study.read_text().replace('"maximize"', '"minimize"'))
        with fleet.Fleet(scratch, study, name=f"fleet-{name}") as f:
            f.start(keep=False)
            for agent in f.agents:
                fleet.same(f"{name}: {agent.name} ends well", agent.wait(), 0)
            fleet.same(f"{name}: the coordinator ends well by itself", f.server.wait(), 0)
            fleet.same(f"{name}: digests as simulated", fleet.digests(fleet.final_status(f.server)),
                       f.reference())


def one_process(scratch):
    """Where agents live changes nothing: two processes of four agents, and an exchanged order."""
    study = fleet.study(scratch / "shared.toml", "finite")
    with fleet.Fleet(scratch, study, agents=0) as f:
        f.server.start()
        f.agents = [fleet.Agent(f.scratch, f.server, which) for which in ("4-7", "0-3")]
        f.start_agents()
        fleet.same("eight agents in two processes", f.finish(), f.reference())


def unnamed_agents(scratch):
    """Agents that name no number get one each."""
    study = fleet.study(scratch / "unnamed.toml", "box")
    with fleet.Fleet(scratch, study) as f:
        f.server.start()
        for agent in f.agents:
            agent.start(numbered=False)
        fleet.same("agents without a number", f.finish(), f.reference())


fleet.main(same_digests, one_process, unnamed_agents)
