"""Results of studies: of this process, or read from files."""

from __future__ import annotations

import csv
import html
import io
import json
import os
import pathlib
import re
from typing import TYPE_CHECKING, Any, Callable, Mapping, Optional, Union

import numpy as np

from . import _core, spaces
from .errors import InvalidError

if TYPE_CHECKING:
    from . import research

_FIGURES = ("regret", "communication", "region", "inducing", "map")


def _cell(text: str) -> Any:
    if text == "":
        return None
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


class Table(list):
    """The rows of a table, each a dict. What ``result.trials`` is where pandas is not installed."""

    @property
    def columns(self) -> list[str]:
        return list(self[0]) if self else []

    def column(self, name: str) -> list:
        return [row[name] for row in self]


def _table(text: str):
    try:
        import pandas
    except ImportError:
        return Table({key: _cell(value) for key, value in row.items()} for row in csv.DictReader(io.StringIO(text)))
    # From 3.1 on pandas always reads exactly, and warns of the argument.
    version = tuple(int(number) for number in re.findall(r"\d+", pandas.__version__)[:2])
    exact = {} if version >= (3, 1) else {"float_precision": "round_trip"}
    return pandas.read_csv(io.StringIO(text), keep_default_na=False, na_values=[""], **exact)


def _columns(text: str) -> dict[str, list]:
    rows = [{key: _cell(value) for key, value in row.items()} for row in csv.DictReader(io.StringIO(text))]
    return {key: [row[key] for row in rows] for key in (rows[0] if rows else {})}


class Result:
    """What a study has found. Tables are pandas' DataFrames if pandas is installed, else lists of dicts."""

    def __init__(self, read: Callable[[str], str], parameters: Optional[Mapping[str, spaces.Parameter]] = None,
                 path: Optional[pathlib.Path] = None):
        self._read = read
        self._parameters = parameters or {}
        self.path = path
        summary = read("summary.json")
        if not summary:
            raise InvalidError(f"path = {path}: has no summary.json; run the study again with this version")
        #: Everything that ``duets run --format json`` prints.
        self.summary: dict[str, Any] = json.loads(summary)

    def _params(self, found: Optional[dict]) -> Optional[dict[str, Any]]:
        if not found or not found["params"]:
            return None
        return {name: self._own(name, value) for name, value in found["params"].items()}

    def _own(self, name: str, value: Any) -> Any:
        """A choice as it was given in the space."""
        parameter = self._parameters.get(name)
        if isinstance(parameter, spaces.Categorical):
            for choice in parameter.choices:
                if str(choice) == value:
                    return choice
        return value

    @property
    def recommendation(self) -> Optional[dict[str, Any]]:
        """The answer: the parameters with the best posterior mean. None before the first epoch is closed."""
        return self._params(self.summary["recommendation"])

    @property
    def x(self) -> Optional[np.ndarray]:
        """The recommendation as an array, where all parameters are numbers."""
        params = self.recommendation
        return None if params is None else np.array(list(params.values()), dtype=float)

    @property
    def mean(self) -> Optional[float]:
        """The posterior mean at the recommendation."""
        found = self.summary["recommendation"]
        return found["mean"] if found else None

    @property
    def interval(self) -> Optional[tuple[float, float]]:
        """The interval around the mean; ``interval_meaning`` says what it is."""
        found = self.summary["recommendation"]
        return (found["low"], found["high"]) if found else None

    @property
    def interval_meaning(self) -> Optional[str]:
        found = self.summary["recommendation"]
        return found["interval_meaning"] if found else None

    @property
    def best_trial(self) -> Optional[dict[str, Any]]:
        """The best single measurement, noise included: params, value, agent, epoch, slot."""
        found = self.summary["best_trial"]
        return {**found, "params": self._params(found)} if found else None

    @property
    def run_digest(self) -> str:
        return self.summary["run_digest"]

    @property
    def state_digest(self) -> str:
        return self.summary["state_digest"]

    @property
    def trials(self):
        """Every query: agent, epoch, slot, t, the parameters, state, value."""
        return _table(self._read("trials.csv"))

    @property
    def epochs(self):
        """Every exchange: lengths, regions, the model, the cut (docs/formats/results.md)."""
        return _table(self._read("epochs.csv"))

    @property
    def ledger(self):
        """Real numbers and bytes sent, cumulative."""
        return _table(self._read("communication.csv"))

    @property
    def study_file(self) -> str:
        return self._read("study.toml")

    @property
    def report_html(self) -> str:
        """The report, one HTML page."""
        return self._read("report.html")

    def figure(self, name: str) -> str:
        """A figure of the report as SVG: regret, communication, region, inducing or map; empty without data."""
        if name not in _FIGURES:
            raise InvalidError(f"figure = {name!r}: must be one of {', '.join(_FIGURES)}")
        return self._read(f"figures/{name}.svg")

    # Matplotlib.

    def _axes(self, axes, title):
        if axes is None:
            from matplotlib import pyplot
            axes = pyplot.figure().gca()
        axes.set_title(f"{self.summary['study']}: {title}")
        return axes

    def plot_trials(self, axes=None):
        """Values over time, with the best so far. Needs matplotlib; returns the axes."""
        columns = _columns(self._read("trials.csv"))
        axes = self._axes(axes, "values")
        order = np.lexsort((columns["agent"], columns["t"])) if columns else np.array([], dtype=int)
        values = np.array([np.nan if v is None else v for v in columns.get("value", [])], dtype=float)[order]
        better = np.fmax if self.summary["direction"] == "maximize" else np.fmin
        axes.plot(values, ".", markersize=4, label="measured")
        axes.plot(better.accumulate(values) if len(values) else values, label="best so far")
        axes.set_xlabel("query, all agents")
        axes.set_ylabel("value")
        axes.legend()
        return axes

    def plot_region(self, axes=None):
        """The part of the space that is still in question, by epoch."""
        columns = _columns(self._read("epochs.csv"))
        axes = self._axes(axes, "active region")
        axes.semilogy(columns.get("epoch", []), columns.get("region_fraction", []), "o-")
        axes.set_xlabel("epoch")
        axes.set_ylabel("fraction of the space")
        return axes

    def plot_communication(self, axes=None):
        """Real numbers sent, in the three ledgers."""
        columns = _columns(self._read("communication.csv"))
        axes = self._axes(axes, "real numbers sent")
        for ledger in ("paper", "figure", "links"):
            axes.step(columns.get("t", []), columns.get(ledger, []), where="post", label=ledger)
        axes.set_xlabel("queries of each agent")
        axes.legend()
        return axes

    def plot_parameter(self, name: str, axes=None):
        """Values over one parameter, with the recommendation."""
        columns = _columns(self._read("trials.csv"))
        if columns and name not in columns:
            raise InvalidError(f"parameter = {name!r}: the study has none of this name")
        axes = self._axes(axes, name)
        pairs = [(x, v) for x, v in zip(columns.get(name, []), columns.get("value", [])) if v is not None]
        axes.plot([str(x) if isinstance(x, str) else x for x, _ in pairs], [v for _, v in pairs], ".")
        if self.recommendation:
            axes.plot([self.summary["recommendation"]["params"][name]], [self.mean], "*", markersize=14)
        axes.set_xlabel(name)
        axes.set_ylabel("value")
        return axes

    # Texts.

    def _rows(self) -> list[tuple[str, str]]:
        summary = self.summary

        def shown(params):
            return ", ".join(f"{k} = {v:.6g}" if isinstance(v, float) else f"{k} = {v}" for k, v in params.items())

        rows = [("study", f"{summary['study']} ({summary['direction']})"),
                ("queries", f"{summary['agents']} agents x {summary['horizon']}")]
        if self.recommendation:
            rows += [("recommendation", shown(self.recommendation)),
                     ("posterior mean", f"{self.mean:.6g}, interval [{self.interval[0]:.6g}, {self.interval[1]:.6g}]")]
        else:
            rows.append(("recommendation", "none: no epoch is closed"))
        best = self.best_trial
        if best:
            where = shown(best["params"]) + ": " if best["params"] else ""
            rows.append(("best trial", f"{where}{best['value']:.6g}, noise included"))
        rows.append(("run digest", self.run_digest))
        return rows

    def __repr__(self):
        rows = self._rows()
        width = max(len(name) for name, _ in rows)
        return "\n".join(f"{name:<{width}}  {text}" for name, text in rows)

    def _repr_html_(self):
        rows = "".join(f"<tr><th style='text-align:left'>{html.escape(name)}</th>"
                       f"<td style='text-align:left'>{html.escape(text)}</td></tr>" for name, text in self._rows())
        figures = "".join(f"<div>{self.figure(name)}</div>" for name in _FIGURES)
        return f"<table>{rows}</table>{figures}"


def _is_experiment(folder: pathlib.Path) -> bool:
    """Of ``duets compare`` or ``duets reproduce``, finished or not."""
    try:
        if (folder / "manifest.json").is_file():
            return json.loads((folder / "manifest.json").read_text()).get("command") in ("compare", "reproduce")
        return "runs" in json.loads((folder / "settings.json").read_text())
    except (OSError, ValueError, TypeError, AttributeError):
        return False


def load(path: Union[str, "os.PathLike[str]"], study: str = "") -> Union[Result, "research.Comparison"]:
    """The result in a directory of ``duets run``, ``tune`` or ``report``, in an export, or in a storage
    directory or journal (of the study with this name, if there are several). Of a directory of ``duets compare`` or
    ``reproduce``, its tables: a :class:`duets.research.Comparison`."""
    folder = pathlib.Path(path)
    if (folder / "summary.json").is_file():
        def read(name: str) -> str:
            file = folder / name
            return file.read_text() if file.is_file() else ""
        return Result(read, None, folder)
    if _is_experiment(folder):
        from .research import Comparison
        return Comparison(folder)
    if not folder.exists():
        folder = pathlib.Path(f"{path}.journal")
        if not folder.is_dir():
            raise InvalidError(f"path = {path}: does not exist, and neither does {folder}")
    recorded = _core.load_records(str(folder), study)
    return Result(recorded.text, None, folder)
