"""Functions, algorithms and comparisons, for researchers.

>>> from duets import research
>>> branin = research.function("branin")
>>> branin(x1=0.5, x2=0.5) < branin.maximum
True
"""

from __future__ import annotations

import html
import json
import os
import pathlib
import subprocess
import sys
import tempfile
from typing import Any, NamedTuple, Optional, Sequence, Union

import numpy as np

from . import _core, spaces
from .errors import Error, InvalidError
from .result import Result, _columns, _table

PathLike = Union[str, "os.PathLike[str]"]


class Function:
    """A test function without noise. Called with its parameters by name, or with one point as an array;
    ``values`` takes many points."""

    def __init__(self, core):
        self._core = core

    @property
    def name(self) -> str:
        return self._core.name

    @property
    def shape(self) -> str:
        """The domain: "box", with the parameters of ``space``, or "ball", the unit ball."""
        return self._core.shape

    @property
    def dimension(self) -> int:
        return self._core.dimension

    @property
    def space(self) -> dict[str, spaces.Parameter]:
        """For :func:`duets.maximize`. Of a box only."""
        return {p.name: spaces._known(p) for p in self._core.parameters}

    @property
    def maximum(self) -> float:
        """The largest value; where ``maximum_is_numeric``, the largest that was found."""
        return self._core.maximum

    @property
    def maximum_is_numeric(self) -> bool:
        return self._core.maximum_is_numeric

    @property
    def maximisers(self) -> list[list[float]]:
        """Where it is attained, as far as these are single points; coordinates as the function sees them."""
        return self._core.maximisers

    def values(self, points: Any) -> np.ndarray:
        """At the rows of an array; a categorical is given by the index of its choice."""
        return self._core.values(np.atleast_2d(np.asarray(points, dtype=float)))

    def __call__(self, x: Any = None, **params: Any) -> float:
        if x is None:
            space, names = self.space, self._core.names
            if set(params) != set(names):
                raise TypeError(f"{self.name} takes {', '.join(names)}, not {', '.join(params) or 'nothing'}")
            x = [space[n].choices.index(params[n]) if isinstance(space.get(n), spaces.Categorical) else params[n]
                 for n in names]
        elif params:
            raise TypeError("give one array, or the parameters by name")
        return float(self.values(x)[0])

    def __repr__(self):
        return f"<duets.research.Function {self.name}: {self.shape}, dimension {self.dimension}>"


def function(name: str, seed: int = 1) -> Function:
    """A built-in function; ``seed`` of a random one."""
    return Function(_core.Function(name, seed))


def functions() -> dict[str, str]:
    """The built-in functions, each with a line about it."""
    return dict(_core.function_names())


def algorithms() -> dict[str, str]:
    """DUETS, its presets and the baselines, each with a line about it."""
    return dict(_core.algorithm_names())


def _definition(study: PathLike, seed: Optional[int]):
    path = pathlib.Path(study)
    return _core.parse_study(path.read_text(), str(path), str(path.parent), seed)


def simulate(study: PathLike, *, seed: Optional[int] = None) -> Result:
    """``duets run`` of a study file with a built-in function, in this process; nothing is written."""
    recorded = _core.simulate(_definition(study, seed))
    return Result(recorded.text, None, None)


class Play(NamedTuple):
    """One run of an algorithm: curves over the queries of each agent."""

    label: str
    beta: float
    t: np.ndarray
    regret: np.ndarray  #: cumulative, of all agents, without noise
    sent: dict[str, np.ndarray]  #: real numbers by ledger, cumulative
    rounds: int
    recommendation_regret: float
    lost: bool


def play(algorithm: str, study: PathLike, *, betas: Sequence[float] = (), seed: Optional[int] = None) -> list[Play]:
    """Runs an algorithm once on a study file with a built-in function, with each beta (the study's by default) and
    each threshold that the algorithm has. Algorithms played with one seed meet the same function, points and
    noise."""
    plays = []
    for curves, beta, label in _core.play(_definition(study, seed), algorithm, [float(b) for b in betas]):
        sent = {ledger: np.array(curves.reals(ledger)) for ledger in ("paper", "figure", "links", "indices", "literal")}
        plays.append(Play(label, beta, np.array(curves.t), np.array(curves.regret), sent, curves.rounds,
                          curves.recommendation_regret, curves.lost))
    return plays


class Comparison:
    """The tables of ``duets compare`` or ``duets reproduce`` (docs/formats/comparison.md). Tables are pandas' DataFrames
    if pandas is installed, else lists of dicts."""

    def __init__(self, path: PathLike):
        self.path = pathlib.Path(path)
        if not (self.path / "manifest.json").is_file():
            raise InvalidError(f"path = {path}: is not a finished comparison: it has no manifest.json; the same "
                               "command with --resume goes on with one that was interrupted")
        #: What was run, and the digest of all curves.
        self.manifest: dict[str, Any] = json.loads((self.path / "manifest.json").read_text())

    @property
    def tables(self) -> list[str]:
        """The names that :meth:`table` takes."""
        return sorted(file.stem for file in self.path.glob("*.csv"))

    def table(self, name: str):
        """A table, such as "summary" or "curves"."""
        if name not in self.tables:
            raise InvalidError(f"table = {name!r}: must be one of {', '.join(self.tables)}")
        return _table((self.path / f"{name}.csv").read_text())

    @property
    def summary(self):
        """A row for each algorithm and setting; ``chosen`` is 1 for the setting to compare."""
        return self.table("summary")

    @property
    def differences(self):
        """Paired differences between algorithms, each with an interval and a verdict."""
        return self.table("differences")

    @property
    def curves(self):
        """Regret and real numbers sent, over the queries of each agent."""
        return self.table("curves")

    @property
    def digest(self) -> str:
        """Of all curves: equal digests mean equal numbers."""
        return self.manifest["digest"]

    @property
    def report_html(self) -> str:
        return (self.path / "report.html").read_text()

    def _rows(self) -> list[list[str]]:
        """The chosen settings, for people; the first row is the head."""
        if "summary" not in self.tables:  # --variants, --scaling and --self-tuning have other tables
            return []

        def number(value, digits=4):
            return "-" if value is None else f"{value:.{digits}g}"

        columns = _columns((self.path / "summary.csv").read_text())
        rows = [["function", "algorithm", "beta", "runs", "regret", "recommendation regret", "lost", "reals (paper)"]]
        for i, chosen in enumerate(columns.get("chosen", [])):
            if not chosen:
                continue
            row = {name: values[i] for name, values in columns.items()}
            lost = row["lost"]
            variant = f" {row['variant']}" if row["variant"] else ""
            rows.append([row["function"], f"{row['algorithm']}{variant}", number(row["beta"]), str(row["runs"]),
                         number(row["regret_mean"]), number(row["recommendation_regret_mean"]),
                         "-" if lost is None else f"{100 * lost:.0f} %", number(row["communication_paper"])])
        return rows

    def __repr__(self):
        rows = self._rows()
        widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))] if rows else []
        lines = ["  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths)).rstrip() for row in rows]
        head = f"duets {self.manifest['command']}, digest {self.digest}; tables: {', '.join(self.tables)}"
        return "\n".join([head, *lines])

    def _repr_html_(self):
        lines = ""
        for i, row in enumerate(self._rows()):
            kind = "td" if i else "th"
            cells = "".join(f"<{kind} style='text-align:left'>{html.escape(cell)}</{kind}>" for cell in row)
            lines += f"<tr>{cells}</tr>"
        figures = sorted((self.path / "figures").glob("*.svg"))
        return (f"<table>{lines}</table>" if lines else "") + "".join(f"<div>{f.read_text()}</div>" for f in figures)


def compare(study: PathLike, *, output: PathLike, algorithms: Sequence[str] = (), betas: Sequence[float] = (),
            runs: int = 20, seed: Optional[int] = None, threads: int = 0, overwrite: bool = False) -> Comparison:
    """``duets compare``: paired runs of algorithms on a study file. Writes ``output``. In a process of its own:
    Ctrl-C ends it, and the same call continues."""
    words = [sys.executable, "-m", "duets", "compare", str(study), "-o", str(output), "--runs", str(runs), "--quiet"]
    if algorithms:
        words += ["--algorithms", ",".join(algorithms)]
    if len(betas):
        words += ["--betas", ",".join(repr(float(beta)) for beta in betas)]
    if seed is not None:
        words += ["--seed", str(seed)]
    if threads:
        words += ["--threads", str(threads)]
    folder = pathlib.Path(output)
    if overwrite:
        words.append("--overwrite")
    elif (folder / "settings.json").exists():
        words.append("--resume")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(pathlib.Path(__file__).parent.parent),
                                                                 *filter(None, [os.environ.get("PYTHONPATH")])])}
    done = subprocess.run(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        text = done.stderr.strip().splitlines()[-1].removeprefix("duets: ") if done.stderr.strip() else "compare failed"
        raise (InvalidError if done.returncode == 2 else Error)(text)
    return Comparison(folder)
