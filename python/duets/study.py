"""A study in this process: maximize, minimize, Study."""

from __future__ import annotations

import numbers
import os
import pathlib
import re
import tempfile
from typing import Any, Callable, Iterable, Iterator, Mapping, Optional, Sequence, Union

import numpy as np

from . import _core, _running, _settings, spaces
from ._measure import failure_of, number_of
from .errors import InvalidError
from .result import Result

PathLike = Union[str, "os.PathLike[str]"]
_HORIZON = 25  # of a new study


class Query:
    """A point to measure, of one agent. ``params`` are the values by name, ``x`` the same as an array
    (a categorical's by its index)."""

    __slots__ = ("_core", "_parameters")

    def __init__(self, core, parameters: Mapping[str, spaces.Parameter]):
        self._core = core
        self._parameters = parameters

    @property
    def params(self) -> dict[str, Any]:
        values = self._core.values
        return {name: p._value(v) for (name, p), v in zip(self._parameters.items(), values)}

    @property
    def x(self) -> np.ndarray:
        return self._core.values

    @property
    def latent(self) -> np.ndarray:
        """The point in the model's coordinates: the unit cube for a space of parameters."""
        return self._core.latent

    agent = property(lambda self: self._core.agent, doc="The agent that asks, from 0.")
    epoch = property(lambda self: self._core.epoch, doc="The epoch, from 1.")
    slot = property(lambda self: self._core.slot, doc="The place in the epoch, from 0.")
    t = property(lambda self: self._core.t, doc="How many queries the agent has before this one.")
    name = property(lambda self: self._core.name, doc='"AGENT-EPOCH-SLOT", unique in a study.')

    def __repr__(self):
        return f"<duets.Query {self.name} {self.params}>"


class Parameters:
    """How the points of a study reach a function."""

    def __init__(self, definition, parameters: Optional[Mapping[str, spaces.Parameter]], as_array: Optional[bool]):
        names = definition.names
        if parameters is None:
            known = {p.name: spaces._known(p) for p in definition.parameters}
            parameters = {name: known.get(name, spaces.Float(-np.inf, np.inf)) for name in names}
        if as_array is None:
            as_array = names == [f"x{i}" for i in range(1, len(names) + 1)]
        self.by_name = dict(parameters)
        self.as_array = as_array

    def query(self, core: Any) -> Query:
        """As the user sees it."""
        return Query(core, self.by_name)

    def arguments(self, core: Any) -> Any:
        """Keywords, or one array (as_array)."""
        return core.values if self.as_array else Query(core, self.by_name).params


def _core_of(query: Any) -> Any:
    if not isinstance(query, Query):
        raise TypeError(f"query = {query!r}: must be a Query that ask() gave")
    return query._core


def _name_of(path: Optional[pathlib.Path]) -> str:
    name = re.sub(r"[^A-Za-z0-9_.-]", "-", path.name) if path else ""
    return name.lstrip(".") or "study"


class Study:
    """A study with all of its agents in this process, by ask and tell or with :meth:`run`.

    ``space`` is a dict of parameters by name, or a list (or an array of rows ``(low, high)``) for
    functions of one array. ``settings`` are keys of a study file (``duets config keys``), such as
    ``goal="earn"``, ``preset="safe"``, ``infeasible_value=-1.0``, or whole tables:
    ``kernel={"name": "matern-5/2"}``.

    With ``path="results/x"`` every answer is stored in ``results/x.journal`` when it is told, and the same
    study made again continues, after Ctrl-C, a crash or ``kill -9``. Without a path nothing is kept.

    Each agent makes ``horizon`` queries: 25, or as many as the study at ``path`` has. A study that is over goes on when it
    is made again with a larger ``horizon``. It ends early when, after two epochs in a row, no point is expected to be better
    by ``until_gain``, if that is positive.

    Any number of queries may be under way, and their order does not change the run. All methods may be
    called from several threads; a child process (fork) cannot use the study.
    """

    def __init__(
        self,
        space: Any,
        *,
        direction: str = "maximize",
        agents: int = 8,
        horizon: Optional[int] = None,
        seed: int = 1,
        name: Optional[str] = None,
        path: Optional[PathLike] = None,
        overwrite: bool = False,
        threads: int = 0,
        until_gain: float = 0.0,
        **settings: Any,
    ):
        parameters, as_array = spaces._read(space)
        tables = _settings.settings_of(
            {"direction": direction, "agents": agents, "horizon": _HORIZON if horizon is None else horizon, "seed": seed,
             **settings})
        own_path = pathlib.Path(path) if path is not None else None
        tables["study"]["name"] = _name_of(own_path) if name is None else name
        tables["duets"].setdefault("preset", "auto")
        text = _settings.toml_of(tables, parameters)
        self._begin(text, parameters, as_array, own_path, overwrite, threads, None, until_gain,
                    keeps_horizon=horizon is None)

    @classmethod
    def from_file(cls, file: PathLike, *, seed: Optional[int] = None, path: Optional[PathLike] = None,
                  overwrite: bool = False, threads: int = 0, until_gain: float = 0.0) -> "Study":
        """The study of a study file. Its objective is not used: you measure."""
        study = cls.__new__(cls)
        text = pathlib.Path(file).read_text()
        study._begin(text, None, None, pathlib.Path(path) if path is not None else None, overwrite, threads, seed,
                     until_gain, pathlib.Path(file))
        return study

    def _begin(self, text, parameters, as_array, path, overwrite, threads, seed, until_gain, file=None,
               keeps_horizon=False):
        self._local = None
        self._scratch = None
        name, folder = (str(file), str(file.parent)) if file else ("study", "")
        definition = _core.parse_study(text, name, folder, seed)
        self._parameters = Parameters(definition, parameters, as_array)
        self._path = path
        if isinstance(threads, bool) or not isinstance(threads, (int, np.integer)) or not 0 <= threads <= 1024:
            raise InvalidError(f"threads = {threads!r}: must be a whole number from 0 (all) to 1024")
        if isinstance(until_gain, bool) or not isinstance(until_gain, numbers.Real):
            raise TypeError(f"until_gain = {until_gain!r}: must be a number")
        if path is None:
            self._scratch = tempfile.TemporaryDirectory(prefix="duets-", ignore_cleanup_errors=True)
            journal = os.path.join(self._scratch.name, "journal")
        else:
            journal = str(path) + ".journal"
            path.parent.mkdir(parents=True, exist_ok=True)
            _core.prepare_place(str(path), bool(overwrite), definition, float(until_gain))
        secret = _core.seed_secret(definition.seed)
        self._name = definition.name
        self._local = _core.Local(definition, journal, secret, int(threads), float(until_gain), keeps_horizon)

    def __enter__(self) -> "Study":
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Lets another process continue. The study can then only be made again."""
        if self._local is not None:
            self._local.close()
        if self._scratch is not None:
            self._scratch.cleanup()

    # What it is.

    @property
    def _definition(self):
        """With the horizons and early ends so far."""
        return self._local.definition()

    @property
    def name(self) -> str:
        return self._name

    @property
    def direction(self) -> str:
        """"maximize" or "minimize"."""
        return self._definition.direction

    @property
    def agents(self) -> int:
        return self._definition.agents

    @property
    def horizon(self) -> int:
        """Queries of each agent."""
        return self._definition.horizon

    @property
    def epoch_lengths(self) -> list[int]:
        """The queries of each agent in each epoch."""
        return self._definition.lengths

    @property
    def study_file(self) -> str:
        """The text of the study file, with every key written out."""
        return self._definition.toml

    def warnings(self) -> list[str]:
        """What ``duets config check`` warns of."""
        return self._definition.warnings()

    # How far it is.

    @property
    def finished(self) -> bool:
        return self._local.finished()

    @property
    def epoch(self) -> int:
        """The open epoch, from 1; the last one when the study is over."""
        return self._local.epoch()

    @property
    def num_told(self) -> int:
        """How many queries have an answer."""
        return self._local.num_told()

    @property
    def run_digest(self) -> str:
        """Of what was queried and decided so far."""
        return self._local.run_digest()

    @property
    def failures(self) -> list[tuple[str, str]]:
        """The queries without a value, by name, with the reason and the end of the traceback."""
        return [(query.name, why) for query, why in self._local.failures()]

    # Ask and tell.

    def ask(self, agent: Optional[int] = None) -> Optional[Query]:
        """The next query, of one agent or of the one with most left. None when the study is over, or when
        all that are left of the open epoch are under way."""
        if agent is not None:
            _running.whole_number("agent", agent, 0)
        core = self._local.ask(agent)
        return None if core is None else self._parameters.query(core)

    def ask_all(self, agent: Optional[int] = None) -> list[Query]:
        """All queries of the open epoch that have no answer and are not under way."""
        return list(iter(lambda: self.ask(agent), None))

    def give_back(self, query: Query) -> None:
        """The query is not under way any more, and will be asked for again."""
        self._local.give_back(_core_of(query))

    def tell(self, query: Query, value: Any, *, seconds: float = 0.0) -> None:
        """The value that was measured: one number. TypeError for anything else, InvalidError for a number that
        cannot be a reward (NaN, infinite) and for a second answer; then nothing is changed."""
        self.tell_all([(query, value)], seconds=seconds)

    def tell_all(self, answers: Iterable[tuple[Query, Any]], *, seconds: float = 0.0) -> None:
        """Several values, stored together."""
        self._local.tell([_core.Told(_core_of(query), _core.Value(number_of(value)), seconds)
                          for query, value in answers])

    def tell_failure(self, query: Query, why: Union[str, BaseException], *, seconds: float = 0.0) -> None:
        """The query failed and will never have a value: a hole. An exception's traceback is kept."""
        answer = failure_of(why).answer() if isinstance(why, BaseException) else _core.Failure(str(why), "")
        self._local.tell([_core.Told(_core_of(query), answer, seconds)])

    def tell_infeasible(self, query: Query, why: str = "infeasible", *, seconds: float = 0.0) -> None:
        """The point cannot be measured: it counts as ``infeasible_value``. ObjectiveError without one."""
        self._local.tell([_core.Told(_core_of(query), _core.Infeasible(str(why)), seconds)])

    def end(self) -> None:
        """Ends the study early, with a recommendation: queries of the open epoch that have no answer become holes.
        InvalidError while no query has a value."""
        self._local.end()

    # All at once.

    def run(
        self,
        function: Callable,
        *,
        executor: Any = None,
        max_failures: int = 10,
        max_pending: Optional[int] = None,
        seconds: Optional[float] = None,
        progress: bool = True,
    ) -> Result:
        """Measures with the function until the study is over, and returns the result.

        The function gets the parameters as keywords (or one array, for a space without names) and returns
        one number. Without an executor it is called here, one query after the other; with one
        (``concurrent.futures`` or anything with its ``submit``) all queries of an epoch are submitted at
        once, or at most ``max_pending``. An exception, and an answer that is not one finite number, is a
        hole; ``max_failures`` in a row end the run with ObjectiveError (0: never).

        Ctrl-C raises KeyboardInterrupt; calls that are running in an executor are finished and told first
        (a second Ctrl-C abandons them). The study can then be run again and goes on.

        After ``seconds`` the study ends early (:meth:`end`), as soon as there is a value and running calls are
        finished.
        """
        _running.run(self, function, executor, max_failures, max_pending, seconds, progress)
        return self.result()

    def result(self) -> Result:
        """The result so far. With a path it is also written, as `duets run` does, when the study is over."""
        recorded = self._local.recorded()
        if self._path is not None and self.finished:
            recorded.write(str(self._path), True)
        return Result(recorded.text, self._parameters.by_name, self._path)

    def __repr__(self):
        return f"<duets.Study {self.name!r}>"


def maximize(
    function: Callable,
    space: Any,
    *,
    agents: int = 8,
    horizon: Optional[int] = None,
    seed: int = 1,
    path: Optional[PathLike] = None,
    overwrite: bool = False,
    executor: Any = None,
    max_failures: int = 10,
    max_pending: Optional[int] = None,
    seconds: Optional[float] = None,
    progress: bool = True,
    **settings: Any,
) -> Result:
    """Finds where ``function`` is largest, with ``agents * horizon`` noisy measurements.

    >>> import duets
    >>> best = duets.maximize(lambda x: -(x - 0.3) ** 2, {"x": duets.Float(0, 1)}, horizon=5, progress=False)
    >>> abs(best.recommendation["x"] - 0.3) < 0.1
    True

    See :class:`Study` for ``space``, ``horizon`` (25), ``path`` and ``settings``, and :meth:`Study.run` for the function, the
    executor and failures.
    """
    with Study(space, agents=agents, horizon=horizon, seed=seed, path=path, overwrite=overwrite, **settings) as study:
        return study.run(function, executor=executor, max_failures=max_failures, max_pending=max_pending,
                         seconds=seconds, progress=progress)


def minimize(function: Callable, space: Any, **options: Any) -> Result:
    """Like :func:`maximize`, where small values are good."""
    return maximize(function, space, direction="minimize", **options)
