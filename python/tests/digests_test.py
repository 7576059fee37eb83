"""The same study, seed and function give the same run digest from the command line, C++ and Python.

tests/integration/three_ways_test.cc is the C++ part: it runs the same study file and expects the same digest.
"""

import json
import os
import pathlib
import subprocess
import sys

import pytest

import duets
from duets import research

PROGRAM = os.environ["DUETS_PROGRAM"]
SOURCE = pathlib.Path(os.environ["DUETS_SOURCE_DIR"])
GOLDEN = SOURCE / "tests" / "golden"
SPACE = {"x": duets.Float(0, 1), "n": duets.Int(1, 4), "c": duets.Categorical(["a", "b"])}

MEASURE = """
import json, sys
for line in sys.stdin:
    p = json.loads(line)["params"]
    print(json.dumps({"value": p["x"] * (1 - p["x"]) - 0.125 * p["n"] + (p["c"] == "b")}), flush=True)
"""


def measure(x, n, c):
    return x * (1 - x) - 0.125 * n + (c == "b")


def digest_of(directory):
    return json.loads((directory / "manifest.json").read_text())["run_digest"]


@pytest.fixture(scope="module")
def golden():
    return (GOLDEN / "three_ways.digest").read_text().strip()


def test_python(golden):
    assert duets.maximize(measure, SPACE, agents=3, horizon=8, seed=5, progress=False).run_digest == golden
    with duets.Study.from_file(GOLDEN / "three_ways.toml") as study:
        assert study.run(measure, progress=False).run_digest == golden


def test_the_command_line(golden, tmp_path):
    (tmp_path / "measure.py").write_text(MEASURE)
    subprocess.run(
        [PROGRAM, "tune", "-p", "x=0..1", "-p", "n=1..4 int", "-p", "c=a|b", "--agents", "3", "--horizon", "8", "--seed",
         "5", "-o", tmp_path / "t", "--quiet", "--", sys.executable, tmp_path / "measure.py"],
        check=True, stdout=subprocess.DEVNULL)
    assert digest_of(tmp_path / "t") == golden
    # A study of the command line goes on in Python, and the other way round.
    with duets.Study(SPACE, agents=3, horizon=8, seed=5, name="measure", path=tmp_path / "t") as study:
        assert study.finished and study.run_digest == golden


def test_a_simulation(tmp_path):
    """A built-in function without noise, simulated by the program and by Python, and measured by Python."""
    study = tmp_path / "branin.toml"
    study.write_text('[study]\ndirection = "maximize"\nagents = 4\nhorizon = 10\nseed = 3\n'
                     '[space]\ndomain = "box"\ndimension = 2\n[objective]\nbuiltin = "branin"\nnoise = 0\n')
    subprocess.run([PROGRAM, "run", study, "-o", tmp_path / "b", "--quiet"], check=True, stdout=subprocess.DEVNULL)
    assert research.simulate(study).run_digest == digest_of(tmp_path / "b")
    branin = research.function("branin")
    with duets.Study.from_file(study) as own:
        assert own.run(branin, progress=False).run_digest == digest_of(tmp_path / "b")


def test_the_program_in_the_package():
    def said(*words):
        return subprocess.run([*words, "version"], check=True, capture_output=True, text=True).stdout

    assert said(sys.executable, "-m", "duets") == said(PROGRAM)
    bad = subprocess.run([sys.executable, "-m", "duets", "nonsense"], capture_output=True)
    assert bad.returncode == 2
