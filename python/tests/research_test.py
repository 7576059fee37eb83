"""Functions, simulations, comparisons."""

import os
import subprocess

import numpy as np
import pytest

import duets
from duets import research

SOURCE = os.environ["DUETS_SOURCE_DIR"]
PROGRAM = os.environ["DUETS_PROGRAM"]
BRANIN = f"{SOURCE}/studies/branin.toml"


def test_every_function_has_a_value_and_a_space():
    assert {"branin", "hartmann4", "ackley2"} <= set(research.functions())
    for name, about in research.functions().items():
        function = research.function(name)
        assert about and function.name == name
        points = np.full((2, function.dimension), 0.5)
        if function.shape == "box":
            points = np.array([[_middle(p) for p in function.space.values()]] * 2)
        values = function.values(points)
        assert values.shape == (2,) and values[0] == values[1] <= function.maximum


def _middle(parameter):
    if isinstance(parameter, duets.Categorical):
        return 0
    if isinstance(parameter, duets.Int):
        return parameter.low
    return (parameter.low * parameter.high) ** 0.5 if parameter.log else (parameter.low + parameter.high) / 2


def test_values_are_those_of_the_program():
    branin = research.function("branin")
    out = subprocess.run([PROGRAM, "evaluate", "branin"], input='{"x1": 0.25, "x2": 0.75}\n', text=True,
                         capture_output=True, check=True).stdout
    assert branin(x1=0.25, x2=0.75) == branin([0.25, 0.75]) == float(out)
    for maximiser in branin.maximisers:
        assert branin(maximiser) == pytest.approx(branin.maximum, abs=1e-6)


def test_wrong_calls():
    branin = research.function("branin")
    with pytest.raises(TypeError, match="takes x1, x2, not x1"):
        branin(x1=0.5)
    with pytest.raises(duets.InvalidError, match="columns"):
        branin.values([[0.5]])
    with pytest.raises(duets.InvalidError, match="must be a value of the parameter"):
        branin(x1=2.0, x2=0.0)
    with pytest.raises(duets.InvalidError):
        research.function("nonsense")


def test_maximize_a_function_with_categories():
    name = next(n for n in research.functions()
                if any(isinstance(p, duets.Categorical) for p in getattr(research.function(n), "space").values()))
    function = research.function(name)
    found = duets.maximize(function, function.space, agents=8, horizon=10, progress=False)
    assert function(**found.recommendation) <= function.maximum


def test_algorithms_play_on_the_same_problem():
    assert {"duets", "dis-kernel-ucb", "n-kernel-ucb", "reds", "bpe", "gp-ucb", "uniform", "random",
            "batch-gp"} <= set(research.algorithms())
    (play,) = research.play("uniform", BRANIN)
    (again,) = research.play("uniform", BRANIN)
    assert play.regret[-1] == again.regret[-1] > 0 and play.t[-1] == 50
    assert np.all(np.diff(play.regret) >= 0)
    assert play.sent["links"][-1] == 0
    plays = research.play("duets", BRANIN, betas=[0.1, 0.5], seed=3)
    assert [p.beta for p in plays] == [0.1, 0.5] and plays[0].regret[-1] != plays[1].regret[-1]
    with pytest.raises(duets.InvalidError, match="nonsense"):
        research.play("nonsense", BRANIN)


def test_duets_played_is_duets_simulated():
    (play,) = research.play("duets", BRANIN)
    assert play.regret[-1] == pytest.approx(research.simulate(BRANIN).summary["cumulative_regret"], rel=1e-12)


def test_compare(tmp_path):
    study = tmp_path / "s.toml"
    study.write_text('[study]\ndirection = "maximize"\nagents = 3\nhorizon = 8\n'
                     '[space]\ndomain = "finite"\ncandidates = 50\n[objective]\nbuiltin = "branin"\n')
    options = dict(output=tmp_path / "c", algorithms=["duets", "uniform"], betas=[0.5], runs=3)
    compared = research.compare(study, **options)
    assert len(compared.summary) >= 2 and len(compared.curves) > 0
    page = compared._repr_html_()
    assert page.count("<svg") == 2 and page.count("<tr>") == 3 and "<script" not in page
    assert "digest " + compared.digest in repr(compared) and "uniform" in repr(compared)
    assert len(compared.differences.columns) > 0 and "curves" in compared.tables
    with pytest.raises(duets.InvalidError, match="table = 'nonsense': must be one of ask_tell, curves"):
        compared.table("nonsense")
    loaded = duets.load(tmp_path / "c")
    assert isinstance(loaded, research.Comparison) and loaded.curves.equals(compared.curves)
    assert loaded.digest == compared.digest and "<svg" in loaded.report_html
    assert research.compare(study, **options).summary.equals(compared.summary)  # continues
    with pytest.raises(duets.InvalidError, match="nonsense"):
        research.compare(study, output=tmp_path / "d", algorithms=["nonsense"])


def test_an_experiment_with_other_tables(tmp_path):
    (tmp_path / "manifest.json").write_text('{"command": "reproduce", "digest": "00ff"}')
    (tmp_path / "slopes.csv").write_text("function,slope\nbranin,0.5\n")
    loaded = duets.load(tmp_path)
    assert repr(loaded) == "duets reproduce, digest 00ff; tables: slopes" and loaded._repr_html_() == ""
    assert list(loaded.table("slopes")["slope"]) == [0.5]
    with pytest.raises(duets.InvalidError, match="table = 'summary': must be one of slopes"):
        loaded.summary


def test_an_unfinished_comparison_says_so(tmp_path):
    (tmp_path / "settings.json").write_text('{"runs": 20}')
    with pytest.raises(duets.InvalidError, match="is not a finished comparison.*--resume"):
        duets.load(tmp_path)
