"""DUETS as a sampler for Optuna.

    study = optuna.create_study(direction="maximize", sampler=DuetsSampler(space, agents=4, horizon=10))
    study.optimize(objective, n_trials=40)
"""

from __future__ import annotations

import math
import threading
from typing import Any, Mapping, Optional

import optuna
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

from . import spaces
from .errors import InvalidError
from .result import Result
from .study import Query, Study

_QUERY = "duets:query"


def _of(distribution) -> Optional[spaces.Parameter]:
    if isinstance(distribution, FloatDistribution):
        if distribution.step is not None:
            return None
        return spaces.Float(distribution.low, distribution.high, distribution.log)
    if isinstance(distribution, IntDistribution):
        return spaces.Int(distribution.low, distribution.high, distribution.log, distribution.step)
    return spaces.Categorical(distribution.choices)


class DuetsSampler(optuna.samplers.BaseSampler):
    """Points of a DUETS study. ``space`` are the parameters that the objective suggests, as for
    :func:`duets.maximize`, or as Optuna's distributions; ``options`` are those of :class:`duets.Study`. The
    direction is the Optuna study's.

    A pruned trial, a failed one and one without a finite value (or with an absurd one, 1e308) are holes. Parameters that are not in the
    space, trials after the ``agents * horizon`` of the study, and trials that begin while all queries of an epoch are
    under way, are sampled by ``after``: by default at random, with the seed of the study.

    For trials of one process, in any number of threads. The search space of an objective is fixed: a parameter in
    ``space`` must be suggested with the same bounds; ValueError where a value does not fit.
    """

    def __init__(self, space: Mapping[str, Any], *, after: Optional[optuna.samplers.BaseSampler] = None, **options: Any):
        self._space = {}
        for name, given in space.items():
            parameter = _of(given) if isinstance(given, optuna.distributions.BaseDistribution) else \
                spaces._parameter(name, given)
            if parameter is None:
                raise ValueError(f"space[{name!r}] = {given!r}: a float with a step; use an Int and scale it")
            self._space[name] = parameter
        self._options = options
        self._after = after or optuna.samplers.RandomSampler(seed=options.get("seed", 1))
        self._study: Optional[Study] = None
        self._beginning = threading.Lock()
        self._asked: dict[int, Query] = {}

    def _begin(self, study: optuna.Study) -> Study:
        if len(study.directions) != 1:
            raise ValueError("DuetsSampler is for studies with one objective")
        with self._beginning:
            if self._study is None:
                minimizes = study.direction == optuna.study.StudyDirection.MINIMIZE
                self._study = Study(self._space, direction="minimize" if minimizes else "maximize", **self._options)
            return self._study

    def result(self) -> Result:
        """The result so far: recommendation, interval, epochs."""
        if self._study is None:
            raise RuntimeError("no trial has begun")
        return self._study.result()

    def infer_relative_search_space(self, study, trial):
        own = self._begin(study)
        query = own.ask()
        if query is None:
            return {}
        self._asked[trial.number] = query
        distributions = {}
        for name, parameter in self._space.items():
            if isinstance(parameter, spaces.Float):
                distributions[name] = FloatDistribution(parameter.low, parameter.high, log=parameter.log)
            elif isinstance(parameter, spaces.Int):
                distributions[name] = IntDistribution(parameter.low, parameter.high, log=parameter.log,
                                                      step=parameter.step)
            else:
                distributions[name] = CategoricalDistribution(parameter.choices)
        return distributions

    def sample_relative(self, study, trial, search_space):
        query = self._asked.get(trial.number)
        if query is None:
            return {}
        study._storage.set_trial_system_attr(trial._trial_id, _QUERY, query.name)
        return query.params

    def sample_independent(self, study, trial, param_name, param_distribution):
        if trial.number in self._asked and param_name in self._space:
            raise ValueError(f"the parameter {param_name!r} is suggested as {param_distribution}, but space has "
                             f"{self._space[param_name]}")
        return self._after.sample_independent(study, trial, param_name, param_distribution)

    def after_trial(self, study, trial, state, values):
        query = self._asked.pop(trial.number, None)
        if query is None:
            return
        why = state.name.lower()
        if state == optuna.trial.TrialState.COMPLETE and values and math.isfinite(values[0]):
            try:
                return self._study.tell(query, values[0])
            except InvalidError as error:  # an absurd value, such as 1e308
                why = str(error)
        self._study.tell_failure(query, f"trial {trial.number}: {why}")

    def reseed_rng(self):
        self._after.reseed_rng()
