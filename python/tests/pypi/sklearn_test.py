"""The search in the real scikit-learn."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import duets
from duets.sklearn import DuetsSearchCV

X, Y = make_classification(80, random_state=3)
SPACE = {"C": duets.Float(1e-2, 1e2, log=True), "kernel": ["rbf", "linear"]}


def search(**options):
    return DuetsSearchCV(SVC(), SPACE, **{"agents": 3, "horizon": 4, "cv": 3, **options})


def test_it_is_a_search_of_sklearn():
    fitted = search().fit(X, Y)
    assert len(fitted.cv_results_["mean_test_score"]) == 12
    assert fitted.best_score_ == max(fitted.cv_results_["mean_test_score"])
    assert fitted.predict(X).shape == (80,)
    score = cross_val_score(SVC(**fitted.best_params_), X, Y, cv=3).mean()
    assert score == pytest.approx(fitted.best_score_, rel=1e-12)
    low, high = fitted.duets_result_.interval
    assert low <= fitted.duets_result_.mean <= high


def test_it_is_the_study_of_maximize():
    fitted = search().fit(X, Y)
    found = duets.maximize(
        lambda C, kernel: np.average(cross_val_score(SVC(C=C, kernel=kernel), X, Y, cv=3)),
        {"C": SPACE["C"], "kernel": duets.Categorical(SPACE["kernel"])}, agents=3, horizon=4, progress=False)
    assert fitted.duets_result_.run_digest == found.run_digest


def test_processes_change_nothing():
    assert search(n_jobs=2).fit(X, Y).best_params_ == search().fit(X, Y).best_params_


def test_clone_and_pipeline():
    copy = clone(search(settings={"goal": "earn"}, random_state=4))
    assert copy.get_params()["random_state"] == 4 and copy.settings == {"goal": "earn"}
    model = make_pipeline(StandardScaler(), SVC())
    fitted = DuetsSearchCV(model, {"svc__C": SPACE["C"]}, agents=2, horizon=4, cv=2).fit(X, Y)
    assert set(fitted.best_params_) == {"svc__C"}


def test_candidates_that_cannot_be_fitted_are_holes():
    space = {"C": SPACE["C"], "kernel": ["rbf", "nonsense"]}
    with pytest.warns(Warning):
        fitted = DuetsSearchCV(SVC(), space, agents=3, horizon=4, cv=2).fit(X, Y)
    assert fitted.best_params_["kernel"] == "rbf"
    states = list(fitted.duets_result_.trials["state"])
    assert 0 < states.count("hole") < 12


def test_several_metrics_are_refused():
    with pytest.raises(ValueError, match="one metric"):
        search(scoring=["accuracy", "f1"], refit="f1").fit(X, Y)
