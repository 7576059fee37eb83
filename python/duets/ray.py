"""An executor on a Ray cluster.

    with RayExecutor(num_cpus=1) as executor:
        duets.maximize(score, space, executor=executor)
"""

from __future__ import annotations

import concurrent.futures
from typing import Any, Callable, Optional

import ray


def _call(function, arguments, keywords):
    return function(*arguments, **keywords)


class RayExecutor(concurrent.futures.ThreadPoolExecutor):
    """Calls are Ray tasks, at most ``max_workers`` at a time: as many as the cluster has CPUs by default. ``options``
    are those of a task, such as ``num_gpus=1`` or ``max_retries=0``. Where Ray has not been started, this does it
    with ``ray.init()``. The package duets must be installed on every node.

    Ray makes a call again (up to ``max_retries`` times, 3 by default) when its worker dies; after that the query
    is a hole.
    """

    def __init__(self, max_workers: Optional[int] = None, **options: Any):
        if not ray.is_initialized():
            ray.init()
        super().__init__(max_workers or max(1, int(ray.cluster_resources().get("CPU", 1))), "duets-ray")
        self._task = ray.remote(_call)
        if options:
            self._task = self._task.options(**options)

    def submit(self, function: Callable, /, *arguments: Any, **keywords: Any) -> concurrent.futures.Future:
        """A thread waits for the task, so that the future knows whether the call has begun."""
        return super().submit(self._wait, function, arguments, keywords)

    def _wait(self, function, arguments, keywords):
        return ray.get(self._task.remote(function, arguments, keywords))
