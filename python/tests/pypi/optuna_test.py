"""The sampler in the real Optuna."""

import optuna
import pytest

import duets
from duets.optuna import DuetsSampler

optuna.logging.set_verbosity(optuna.logging.WARNING)
SPACE = {"x": duets.Float(0, 1), "n": duets.Int(1, 4), "c": duets.Categorical(["a", "b"])}
OPTIONS = dict(agents=3, horizon=8, seed=5)


def measure(x, n, c):
    return x * (1 - x) - 0.125 * n + (c == "b")


def objective(trial):
    return measure(trial.suggest_float("x", 0, 1), trial.suggest_int("n", 1, 4), trial.suggest_categorical("c", ["a", "b"]))


def optimize(sampler, direction="maximize", f=objective, n_trials=24, **options):
    study = optuna.create_study(direction=direction, sampler=sampler)
    study.optimize(f, n_trials=n_trials, **options)
    return study


def expected(**options):
    return duets.maximize(measure, SPACE, progress=False, **OPTIONS, **options).run_digest


def test_it_is_the_study_of_maximize():
    sampler = DuetsSampler(SPACE, **OPTIONS)
    study = optimize(sampler)
    assert sampler.result().run_digest == expected()
    assert study.best_value == sampler.result().best_trial["value"]


def test_minimize_and_distributions_of_optuna():
    space = {"x": optuna.distributions.FloatDistribution(0, 1), "n": optuna.distributions.IntDistribution(1, 4),
             "c": optuna.distributions.CategoricalDistribution(["a", "b"])}
    sampler = DuetsSampler(space, **OPTIONS)
    optimize(sampler, "minimize", lambda trial: -objective(trial))
    assert sampler.result().recommendation == duets.maximize(measure, SPACE, progress=False, **OPTIONS).recommendation


def test_threads(monkeypatch):
    made = []
    monkeypatch.setattr("duets.optuna.Study", lambda *a, **k: made.append(duets.Study(*a, **k)) or made[-1])
    sampler = DuetsSampler(SPACE, **OPTIONS)
    optimize(sampler, n_jobs=3, n_trials=60)  # some are random: the others wait for an epoch's end
    assert sampler.result().run_digest == expected()
    assert len(made) == 1


def test_an_absurd_value_is_a_hole():
    def f(trial):
        value = objective(trial)
        return 1e308 if trial.number == 4 else value

    sampler = DuetsSampler(SPACE, **OPTIONS)
    optimize(sampler, f=f)
    assert list(sampler.result().trials["state"]).count("hole") == 1


def test_trials_after_the_study_are_random():
    study = optimize(DuetsSampler(SPACE, **OPTIONS), n_trials=30)
    assert len(study.trials) == 30
    assert len({trial.params["x"] for trial in study.trials}) == 30


def test_failures_are_holes():
    def f(trial):
        value = objective(trial)
        if trial.number == 4:
            raise RuntimeError("broken")
        if trial.number == 5:
            raise optuna.TrialPruned()
        return float("nan") if trial.number == 6 else value

    sampler = DuetsSampler(SPACE, **OPTIONS)
    optimize(sampler, f=f, catch=(RuntimeError,))
    assert list(sampler.result().trials["state"]).count("hole") == 3


def test_other_bounds_are_refused():
    with pytest.raises(ValueError):
        optimize(DuetsSampler(SPACE, **OPTIONS), f=lambda trial: trial.suggest_float("x", 5, 6))


def test_a_parameter_beside_the_space():
    study = optimize(DuetsSampler(SPACE, **OPTIONS), f=lambda t: objective(t) + t.suggest_float("y", 0, 1))
    assert len({trial.params["y"] for trial in study.trials}) == 24


def test_a_journal_continues(tmp_path):
    def interrupted(trial):
        if trial.number == 7:
            raise KeyboardInterrupt
        return objective(trial)

    sampler = DuetsSampler(SPACE, path=tmp_path / "s", **OPTIONS)
    with pytest.raises(KeyboardInterrupt):
        optimize(sampler, f=interrupted)
    sampler._study.close()
    sampler = DuetsSampler(SPACE, path=tmp_path / "s", **OPTIONS)
    optimize(sampler, n_trials=17)
    assert sampler.result().run_digest == expected(path=tmp_path / "t")


def test_wrong_arguments():
    with pytest.raises(ValueError, match="step"):
        DuetsSampler({"x": optuna.distributions.FloatDistribution(0, 1, step=0.1)})
    with pytest.raises(RuntimeError, match="no trial"):
        DuetsSampler(SPACE).result()
    study = optuna.create_study(directions=["maximize", "minimize"], sampler=DuetsSampler(SPACE))
    with pytest.raises(ValueError, match="one objective"):
        study.optimize(lambda trial: (trial.suggest_float("x", 0, 1), 0), n_trials=1)
