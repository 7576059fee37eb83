"""kill -9 of the coordinator at every boundary of persisted records: the run goes on with the same
digests, and agents that keep running notice nothing but a pause. (NVFlare #242: a crash of the
coordinator lost the run.)"""

import crashes
import fleet


def after_every_commit(scratch):
    """Each coordinator commits once and dies with what it was about to send."""
    crashes.every_boundary(scratch, "after", "append.after:1:kill", domain="finite", agents=8,
                           horizon=6)


def before_every_commit(scratch):
    """Each coordinator commits once and dies before the next commit: what it took is lost."""
    crashes.every_boundary(scratch, "before", "append.before:2:kill", domain="box", agents=8,
                           horizon=6)


def before_the_first_commit(scratch):
    """Dies before anything of the run is stored; then the run begins as if nothing had been."""
    crashes.one_boundary(scratch, "first", "append.before:1:kill", domain="finite")


fleet.main(before_the_first_commit, after_every_commit, before_every_commit)
