"""Shared by the tests of a coordinator that is killed by fail points."""

import fleet


class Run:
    """A fleet whose coordinator is killed again and again: it commits once, or not much more."""

    def __init__(self, scratch, name, fail_point, **study_options):
        self.name, self.fail_point, self.kills, self.over = name, fail_point, 0, False
        self.num_agents = study_options.setdefault("agents", fleet.AGENTS)
        study = fleet.study(scratch / f"{name}.toml", **study_options)
        self.fleet = fleet.Fleet(scratch, study, agents=self.num_agents, name=f"fleet-{name}")

    def start(self):
        """A coordinator may die before anybody learns its address: then it is started again, as its
        operator would."""
        server = self.fleet.server.start(fail_point=self.fail_point)
        while not server.address:
            self.count_kill()
            server.start(fail_point=self.fail_point)
        self.fleet.start_agents()

    def count_kill(self):
        if self.fleet.server.code != -9:
            raise RuntimeError(f"the coordinator ended by itself\n{self.fleet.server.tail()}")
        self.kills += 1
        if self.kills > 1000:
            raise RuntimeError("the run does not get on")

    def step(self):
        """Starts the coordinator again when it is dead. Returns whether the agents have ended."""
        server = self.fleet.server
        if not server.alive():
            self.count_kill()
            server.start(fail_point=self.fail_point)
        self.over = not any(agent.alive() for agent in self.fleet.agents)
        return self.over


def every_boundary(*runs, seconds=600):
    """Side by side, since agents that come back wait most of the time: each coordinator commits once
    and is killed, so that a run passes all boundaries."""
    for run in runs:
        run.start()
    fleet.wait("the end of all runs", lambda: all([run.over or run.step() for run in runs]), seconds)
    for run in runs:
        got = run.fleet.finish()
        # One commit opens the run, one takes each message of each epoch.
        epochs = len(run.fleet.last_status["closed_epochs"])
        commits = 1 + epochs * run.num_agents
        # Who dies before the second commit lives after the last.
        wanted = commits if ".after:" in run.fail_point else commits - 1
        fleet.same(f"{run.name}: kills at all of {commits} commits", run.kills, wanted)
        fleet.same(f"{run.name}: digests after {run.kills} kills", got, run.fleet.reference())


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
