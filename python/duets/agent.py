"""An agent of a fleet, measured by Python."""

from __future__ import annotations

import logging
import os
from typing import Any, Callable, Optional, Union

from . import _core
from ._measure import failure_of, measure, number_of
from .errors import CoordinatorSetBack, NothingLeft
from .study import Parameters, Query

_LEVELS = {"error": logging.ERROR, "warning": logging.WARNING, "info": logging.INFO, "debug": logging.DEBUG}
_log = logging.getLogger("duets.agent")


class Agent:
    """Takes part in a study on a coordinator (``duets serve``), like ``duets agent``.

    Joins when it is made. With mutual TLS by default, with the certificates in the directory ``certs``
    (``duets certs``); ``insecure=True`` is plaintext, on both sides. ``journal`` is a directory: with the same
    one, no reported answer is lost or asked for again after a crash. ``give_up`` is the number of seconds
    without an answer after which calls raise ConnectionError (0: never). Log lines go to the logger
    "duets.agent".

    For one thread at a time.
    """

    def __init__(self, server: str, study: str = "", *, agent: Optional[int] = None,
                 certs: Union[str, "os.PathLike[str]"] = "certs", insecure: bool = False,
                 journal: Union[str, "os.PathLike[str]"] = "duets-agent", take_over: bool = False,
                 give_up: float = 0.0):
        self._core = _core.Agent(server, study, agent, "" if insecure else str(certs), str(journal), take_over, give_up)
        self._join()

    def _join(self):
        try:
            self._core.join()
        finally:
            self._say()
        self._parameters = Parameters(self._core.definition(), None, None)

    def _say(self):
        for level, text in self._core.take_lines():
            _log.log(_LEVELS[level], text)

    def __enter__(self) -> "Agent":
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Leaves the study; the agent's lease ends."""
        self._core.close()
        self._say()

    @property
    def number(self) -> int:
        """The number of the agent, from 0."""
        return self._core.number()

    @property
    def study_file(self) -> str:
        return self._core.definition().toml

    @property
    def finished(self) -> bool:
        """The coordinator has everything of this agent, or the study is over."""
        return self._core.finished()

    @property
    def state(self) -> str:
        """What the agent does now, for people."""
        return self._core.state()

    def ask(self) -> Optional[Query]:
        """The next query; waits for the next epoch when there is none. None when the study is over."""
        try:
            core = self._core.next()
        finally:
            self._say()
        return None if core is None else self._parameters.query(core)

    def ask_all(self) -> list[Query]:
        """All queries of the open epoch without an answer; waits like ask()."""
        try:
            return [self._parameters.query(core) for core in self._core.plan()]
        finally:
            self._say()

    def tell(self, query: Query, value: Any, *, seconds: float = 0.0) -> None:
        """The value: one number. It is in the journal when this returns."""
        self._report(query, _core.Value(number_of(value)), seconds)

    def tell_failure(self, query: Query, why: Union[str, BaseException], *, seconds: float = 0.0) -> None:
        """The query failed and will never have a value: a hole."""
        answer = failure_of(why).answer() if isinstance(why, BaseException) else _core.Failure(str(why), "")
        self._report(query, answer, seconds)

    def tell_infeasible(self, query: Query, why: str = "infeasible", *, seconds: float = 0.0) -> None:
        """The point cannot be measured: it counts as ``infeasible_value``. ObjectiveError without one."""
        self._report(query, _core.Infeasible(str(why)), seconds)

    def _report(self, query, answer, seconds):
        try:
            self._core.report(query._core, answer, seconds)
        finally:
            self._say()

    def run(self, function: Callable, *, max_failures: int = 10) -> bool:
        """Measures with the function, called as by :func:`duets.maximize`, until the study is over. True then.
        ``max_failures`` in a row end it with ObjectiveError (0: never). Ctrl-C raises KeyboardInterrupt; the
        same agent then continues with the query that was under way."""
        self._core.begin_watch(max_failures)
        while True:
            try:
                while (query := self.ask()) is not None:
                    outcome = measure(function, self._parameters.arguments(query._core), not self._parameters.as_array)
                    self._core.take(query._core, outcome.answer(), outcome.seconds)
                return self.finished
            except CoordinatorSetBack as error:
                _log.warning("%s; joining again", error)
            try:
                self._join()
            except NothingLeft:
                return True
            self._core.begin_watch(max_failures)
