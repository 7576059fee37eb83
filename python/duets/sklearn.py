"""DUETS as a hyperparameter search of scikit-learn.

    search = DuetsSearchCV(SVC(), {"C": duets.Float(1e-2, 1e2, log=True), "kernel": ["rbf", "linear"]})
    search.fit(X, y)
"""

from __future__ import annotations

from typing import Any, Mapping

import numpy as np
from sklearn.model_selection._search import BaseSearchCV

from . import spaces
from .errors import InvalidError
from .study import Study


class DuetsSearchCV(BaseSearchCV):
    """Searches parameters of an estimator by cross-validation, with ``agents * horizon`` candidates: all of an
    epoch are measured together, on ``n_jobs`` processes.

    ``space`` has a Float, an Int, a Categorical or a list of choices for each parameter. ``settings`` are
    further options of :class:`duets.Study`, such as ``{"goal": "earn"}``. All others are those of scikit-learn's
    ``GridSearchCV``, with one metric. ``best_params_`` is the candidate with the best mean score; DUETS' own
    answer, with its interval, is ``duets_result_``. A candidate whose score is not finite is a hole.
    """

    def __init__(self, estimator, space: Mapping[str, Any], *, agents: int = 4, horizon: int = 10, random_state: int = 1,
                 settings: Any = None, scoring=None, n_jobs=None, refit=True, cv=None, verbose=0,
                 pre_dispatch="2*n_jobs", error_score=np.nan, return_train_score=False):
        self.space = space
        self.agents = agents
        self.horizon = horizon
        self.random_state = random_state
        self.settings = settings
        super().__init__(estimator=estimator, scoring=scoring, n_jobs=n_jobs, refit=refit, cv=cv, verbose=verbose,
                         pre_dispatch=pre_dispatch, error_score=error_score, return_train_score=return_train_score)

    def _run_search(self, evaluate_candidates):
        if not (self.scoring is None or isinstance(self.scoring, str) or callable(self.scoring)):
            raise ValueError("DuetsSearchCV takes one metric: a name or a function")
        space = {name: spaces.Categorical(given) if isinstance(given, (list, np.ndarray)) else given
                 for name, given in self.space.items()}
        with Study(space, agents=self.agents, horizon=self.horizon, seed=self.random_state,
                   **(self.settings or {})) as study:
            while not study.finished:
                queries = study.ask_all()
                scores = evaluate_candidates([query.params for query in queries])["mean_test_score"]
                scores = np.asarray(scores)[-len(queries):]
                for query, score in zip(queries, scores):
                    try:
                        study.tell(query, score)
                    except InvalidError as error:  # not finite, or absurd
                        study.tell_failure(query, str(error))
            self.duets_result_ = study.result()
