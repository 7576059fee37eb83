"""Results of this process and from files."""

import csv
import json
import math
import os
import subprocess
import sys

import numpy as np
import pytest

import duets

PROGRAM = os.environ["DUETS_PROGRAM"]
SOURCE = os.environ["DUETS_SOURCE_DIR"]
SPACE = {"x": duets.Float(0, 1), "opt": duets.Categorical(["sgd", "adam"])}


def score(x, opt):
    return -((x - 0.3) ** 2) + (opt == "adam")


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    path = tmp_path_factory.mktemp("results") / "s"
    return path, duets.maximize(score, SPACE, agents=4, horizon=10, path=path, progress=False)


def same(a, b):
    assert a.summary == b.summary
    for table in ("trials", "epochs", "ledger"):
        assert getattr(a, table).equals(getattr(b, table))
    assert a.study_file == b.study_file
    assert a.report_html == b.report_html
    assert a.figure("region") == b.figure("region") != ""


def test_the_result_directory_is_that_of_the_program(stored, tmp_path):
    path, found = stored
    same(duets.load(path), found)
    subprocess.run([PROGRAM, "report", f"{path}.journal", "-o", tmp_path / "r"], check=True, stdout=subprocess.DEVNULL)
    for name in ("summary.json", "trials.csv", "epochs.csv", "communication.csv", "report.html", "figures/region.svg"):
        assert (tmp_path / "r" / name).read_bytes() == (path / name).read_bytes(), name


def test_a_journal_and_an_export(stored, tmp_path):
    path, found = stored
    same(duets.load(f"{path}.journal"), found)
    subprocess.run([PROGRAM, "study", "export", "s", "--storage", f"{path}.journal", "-o", tmp_path / "e",
                    "--trials", f"{path}.journal/answers.db"], check=True, stdout=subprocess.DEVNULL)
    export = duets.load(tmp_path / "e")
    assert export.recommendation == found.recommendation
    assert export.run_digest == found.run_digest
    assert list(export.trials["value"]) == list(found.trials["value"])


def test_an_unfinished_journal(tmp_path):
    with duets.Study(SPACE, agents=4, horizon=10, path=tmp_path / "s") as study:
        assert study.result().recommendation is None
        assert "no epoch is closed" in repr(study.result())
        while study.epoch == 1:
            study.tell(query := study.ask(), score(**query.params))
        assert study.result().recommendation is not None
    assert duets.load(tmp_path / "s").recommendation is not None  # there is only the journal


def test_a_simulation_of_the_program(tmp_path):
    subprocess.run([PROGRAM, "run", f"{SOURCE}/studies/branin.toml", "-o", tmp_path / "b", "--quiet"], check=True,
                   stdout=subprocess.DEVNULL)
    found = duets.load(tmp_path / "b")
    manifest = json.loads((tmp_path / "b" / "manifest.json").read_text())
    assert found.run_digest == manifest["run_digest"]
    assert set(found.recommendation) == {"x1", "x2"}
    assert len(found.trials) == 500
    assert found.figure("map").startswith("<svg")


def test_what_is_no_result(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(duets.InvalidError, match="path = nowhere: does not exist, and neither does nowhere.journal"):
        duets.load("nowhere")
    for text in [None, "no JSON", "[]", '{"command": "run"}']:  # somebody else's directory
        if text is not None:
            (tmp_path / "manifest.json").write_text(text)
        with pytest.raises(duets.InvalidError, match="has neither an export nor studies"):
            duets.load(".")


def test_the_numbers_fit_together(stored):
    _, found = stored
    trials = found.trials
    best = trials["value"].max()
    assert found.best_trial["value"] == best
    row = trials[(trials.agent == found.best_trial["agent"]) & (trials.epoch == found.best_trial["epoch"])
                 & (trials.slot == found.best_trial["slot"])].iloc[0]
    assert row["value"] == best and row["x"] == found.best_trial["params"]["x"]
    assert [score(x, o) for x, o in zip(trials.x, trials.opt)] == list(trials["value"])
    assert found.ledger["links"].iloc[-1] == found.summary["communication"]["links"]
    assert found.epochs["run_digest"].iloc[-1] != ""


def test_without_pandas(stored, monkeypatch):
    path, found = stored
    monkeypatch.setitem(sys.modules, "pandas", None)
    plain = duets.load(path).trials
    assert isinstance(plain, duets.Table)
    monkeypatch.undo()
    assert plain.columns == list(found.trials.columns)
    assert plain.column("value") == list(found.trials["value"])
    assert plain.column("opt") == list(found.trials["opt"])


def test_a_table_has_the_exact_numbers_and_warns_of_nothing(stored, recwarn):
    path, found = stored
    found.epochs, found.ledger
    values = [row["value"] for row in csv.DictReader((path / "trials.csv").read_text().splitlines())]
    assert list(found.trials["value"]) == [float(value) for value in values]
    assert not list(recwarn)


def test_a_choice_named_as_nothing_stays_a_text(tmp_path):
    found = duets.maximize(lambda c: len(c), {"c": duets.Categorical(["NA", "null", "b"])}, agents=2, horizon=6,
                           progress=False)
    assert set(found.trials["c"]) <= {"NA", "null", "b"}


def test_plots_have_the_data(stored):
    pytest.importorskip("matplotlib")
    from matplotlib import pyplot
    _, found = stored
    axes = found.plot_trials()
    measured, best = axes.get_lines()
    assert sorted(measured.get_ydata()) == sorted(found.trials["value"])
    assert best.get_ydata()[-1] == found.trials["value"].max()
    assert list(found.plot_region().get_lines()[0].get_ydata()) == list(found.epochs["region_fraction"])
    assert {line.get_label() for line in found.plot_communication().get_lines()} == {"paper", "figure", "links"}
    assert len(found.plot_parameter("x").get_lines()) == 2
    found.plot_parameter("opt")
    own = pyplot.figure().gca()
    assert found.plot_trials(own) is own
    with pytest.raises(duets.InvalidError, match="none of this name"):
        found.plot_parameter("y")
    pyplot.close("all")


def test_in_a_notebook(stored):
    _, found = stored
    page = found._repr_html_()
    assert page.count("<svg") == 3 and "<script" not in page
    assert found.run_digest in page
    assert "&lt;" in duets.maximize(lambda c: 0.0, {"c": duets.Categorical(["<b>"])}, agents=2, horizon=4,
                                    progress=False)._repr_html_()


def test_without_noise_all_equal():
    found = duets.maximize(lambda x, opt: 1.0, SPACE, agents=2, horizon=6, progress=False)
    assert math.isfinite(found.mean)
    assert np.isfinite(found.interval).all()
