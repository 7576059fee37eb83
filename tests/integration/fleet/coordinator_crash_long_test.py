"""The whole grid: on several studies, one kill of the coordinator before and after every commit."""

import signal

import crashes
import fleet

STUDIES = {
    "finite": dict(domain="finite"),
    "box": dict(domain="box"),
    "surviving": dict(domain="finite", duets=['upload = "projection"', 'data = "surviving"']),
    "closing": dict(domain="box", duets=['closing = "projection"']),
    "rewards": dict(domain="box", duets=['upload = "rewards"']),
}


def one_kill_a_run(scratch):
    """A fleet for every boundary, with three agents, so that all orders of arrival come about."""
    for name, options in STUDIES.items():
        for where in ("before", "after"):
            count = 1
            while crashes.one_boundary(scratch, f"{name}-{where}-{count}",
                                       f"append.{where}:{count}:kill", agents=3, **options):
                count += 1
            fleet.check(f"{name}: every boundary, {where} the commit", count > 9,
                        f"only {count - 1} boundaries")


def all_kills_in_one_run(scratch):
    crashes.every_boundary(*(
        crashes.Run(scratch, f"{name}-{where}-all", point, **options)
        for name, options in STUDIES.items()
        for where, point in (("after", "append.after:1:kill"), ("before", "append.before:2:kill"))),
        seconds=3000)


def after_the_end(scratch):
    """Dies with the last commit and comes back. An agent may pause for ten seconds before it tries
    again: the coordinator stays until those it had have heard of the end."""
    study = fleet.study(scratch / "end.toml", "finite")
    with fleet.Fleet(scratch, study) as f:
        f.server.start(fail_point="append.after:25:kill", keep=False)
        f.start_agents()
        fleet.same("it dies with the last commit", f.server.wait(), -9)
        f.agents[0].signal(signal.SIGSTOP)
        f.server.start(keep=False)
        fleet.pause_while(9, f.server.alive)
        f.agents[0].signal(signal.SIGCONT)
        for agent in f.agents:
            fleet.same(f"{agent.name} hears of the end", agent.wait(), 0)
        fleet.same("the coordinator ends by itself", f.server.wait(), 0)
        fleet.same("digests", fleet.digests(fleet.final_status(f.server)), f.reference())


fleet.main(after_the_end, all_kills_in_one_run, one_kill_a_run)
