"""The whole grid: on several studies, one kill of the coordinator before and after every commit."""

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


fleet.main(all_kills_in_one_run, one_kill_a_run)
