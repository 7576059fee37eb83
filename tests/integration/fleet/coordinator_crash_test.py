"""kill -9 of the coordinator at every boundary of persisted records: the run continues with the same
digests, and running agents notice only a pause. (NVFlare #242: a crash of the
coordinator lost the run.)"""

import crashes
import fleet

SMALL = dict(horizon=5, t1=None, duets=["epochs = [2, 3]"])


def every_commit(scratch):
    """After: each coordinator commits once and dies with what it was about to send. Before: it
    commits once and dies before the next commit, so that what it took is lost."""
    crashes.every_boundary(
        crashes.Run(scratch, "after", "append.after:1:kill", domain="finite", **SMALL),
        crashes.Run(scratch, "before", "append.before:2:kill", domain="box", **SMALL))


def before_the_first_commit(scratch):
    """Dies before anything of the run is stored; then the run begins as if nothing had been."""
    killed = crashes.one_boundary(scratch, "first", "append.before:1:kill", domain="finite")
    fleet.check("the first commit has a boundary before it", killed)


fleet.main(before_the_first_commit, every_commit)
