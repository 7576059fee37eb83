"""Shared by the tests of a coordinator that is killed by fail points."""

import fleet


def restart_until_finished(f, fail_point):
    """Starts the coordinator again, each time with the fail point, until the agents have ended well
    and it lives. Returns how often it was killed."""
    kills = 0
    while True:
        fleet.wait("the coordinator's death or the agents' end",
                   lambda: not f.server.alive() or not any(a.alive() for a in f.agents))
        if f.server.alive():
            return kills
        if f.server.code != -9:
            raise RuntimeError(f"the coordinator ended by itself\n{f.server.tail()}")
        kills += 1
        if kills > 1000:
            raise RuntimeError("the run does not get on")
        f.server.start(fail_point=fail_point)


def start_agents_once_it_listens(f, fail_point):
    """A coordinator may die before anybody learns its address: then it is started again, as its
    operator would."""
    f.server.start(fail_point=fail_point)
    deaths = 0
    while not f.server.address:
        deaths += 1
        f.server.start(fail_point=fail_point if deaths < 5 else None)
    f.start_agents()
    return deaths


def every_boundary(scratch, name, fail_point, **study_options):
    """One fleet; every coordinator commits once and is killed. All boundaries are passed."""
    options = dict(study_options)
    agents = options.setdefault("agents", fleet.AGENTS)
    study = fleet.study(scratch / f"{name}.toml", **options)
    with fleet.Fleet(scratch, study, agents=agents, name=f"fleet-{name}") as f:
        kills = start_agents_once_it_listens(f, fail_point) + restart_until_finished(f, fail_point)
        got = f.finish()
        epochs = len(f.last_status["closed_epochs"])
        # One commit opens the run, one takes each message of each epoch.
        commits = 1 + epochs * agents
        fleet.check(f"{name}: killed at (nearly) each of {commits} commits", kills >= commits - 2,
                    f"only {kills} kills")
        fleet.same(f"{name}: digests after {kills} kills", got, f.reference())


def one_boundary(scratch, name, fail_point, **study_options):
    """One fleet, one kill, then no more. Returns whether the coordinator was killed."""
    study = fleet.study(scratch / f"{name}.toml", **study_options)
    with fleet.Fleet(scratch, study, agents=study_options.get("agents", fleet.AGENTS),
                     name=f"fleet-{name}") as f:
        f.server.start(fail_point=fail_point)
        if not f.server.address:
            f.server.start()
        f.start_agents()
        fleet.wait("the coordinator's death or the agents' end",
                   lambda: not f.server.alive() or not any(a.alive() for a in f.agents))
        killed = not f.server.alive() or f.server.starts > 1
        if not f.server.alive():
            f.server.start()
        fleet.same(f"{name}: digests after {fail_point}", f.finish(), f.reference())
        return killed
