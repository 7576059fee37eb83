"""Kernels, posteriors, information gain, coins and regions, for researchers.

Points are arrays with a row for each point; results are arrays.

>>> import numpy as np
>>> from duets import models
>>> kernel = models.Kernel("matern-5/2", 0.3)
>>> x = np.linspace(0, 1, 5)[:, None]
>>> posterior = models.ExactPosterior(kernel, x, 0.1)
>>> posterior.mean(x, np.sin(x[:, 0])).shape
(5,)
"""

from __future__ import annotations

import os
import pathlib
from typing import Any, NamedTuple, Optional, Sequence, Union

import numpy as np

from . import _core, spaces, _settings

__all__ = ["Coin", "Cut", "ExactPosterior", "Fit", "Kernel", "Region", "Secret", "SparsePosterior", "fit",
           "greedy_pivots", "information_gain", "log_evidence", "prune"]


def _points(x: Any) -> np.ndarray:
    points = np.ascontiguousarray(x, dtype=np.float64)
    if points.ndim != 2:
        raise ValueError(f"points = array of shape {points.shape}: must have a row for each point")
    return points


def _vector(y: Any) -> np.ndarray:
    vector = np.ascontiguousarray(y, dtype=np.float64)
    if vector.ndim != 1:
        raise ValueError(f"array of shape {vector.shape}: must have one dimension")
    return vector


class Kernel:
    """k(x, x') = variance * shape(r): "squared-exponential", "matern-1/2", "matern-3/2" or "matern-5/2", with one
    length scale, or one for each dimension. The same bits on every machine."""

    def __init__(self, name: str = "squared-exponential", lengthscale: Union[float, Sequence[float]] = 1.0,
                 variance: float = 1.0):
        scales = [float(scale) for scale in np.atleast_1d(lengthscale)]
        self._core = _core.Kernel(name, scales, float(variance))

    @classmethod
    def _of(cls, core) -> "Kernel":
        kernel = cls.__new__(cls)
        kernel._core = core
        return kernel

    @property
    def name(self) -> str:
        return self._core.name

    @property
    def lengthscales(self) -> list[float]:
        return self._core.lengthscales

    @property
    def variance(self) -> float:
        return self._core.variance

    def __call__(self, x: Any, y: Optional[Any] = None) -> np.ndarray:
        """The matrix k(x_i, y_j); k(x_i, x_j) without y."""
        return self._core.gram(_points(x)) if y is None else self._core.cross(_points(x), _points(y))

    def __repr__(self):
        return f"Kernel({self.name!r}, {self.lengthscales}, {self.variance})"


class ExactPosterior:
    """Of rewards at the points ``data``, with noise of variance ``noise`` (lambda), each queried ``counts`` times."""

    def __init__(self, kernel: Kernel, data: Any, noise: float, counts: Any = ()):
        self._core = _core.ExactPosterior(kernel._core, _points(data), _vector(counts), float(noise))

    def mean(self, x: Any, rewards: Any) -> np.ndarray:
        return self._core.mean(_points(x), _vector(rewards))

    def variance(self, x: Any) -> np.ndarray:
        return self._core.variance(_points(x))

    @property
    def information_gain(self) -> float:
        """1/2 ln det(I + K / noise), in nats."""
        return self._core.information_gain()


class SparsePosterior:
    """The same seen through inducing points, which must be pruned (:func:`prune`)."""

    def __init__(self, kernel: Kernel, inducing: Any, data: Any, noise: float, counts: Any = ()):
        self._kernel = kernel
        self._inducing, self._data, self._counts = _points(inducing), _points(data), _vector(counts)
        self._core = _core.SparsePosterior(kernel._core, self._inducing, self._data, self._counts, float(noise))

    def weights(self, rewards: Any) -> np.ndarray:
        """w of the mean k_S(x)^T w."""
        rewards = _vector(rewards)
        if len(self._counts):
            rewards = rewards * self._counts
        return self._core.weights(_core.project(self._kernel._core, self._inducing, self._data, rewards))

    def mean(self, x: Any, rewards: Any) -> np.ndarray:
        return _core.weighted_sum(self._kernel._core, _points(x), self._inducing, self.weights(rewards))

    def variance(self, x: Any) -> np.ndarray:
        return self._core.variance(_points(x))

    def covariance(self, x: Any) -> np.ndarray:
        return self._core.covariance(_points(x))

    @property
    def information_gain(self) -> float:
        return self._core.information_gain()

    @property
    def largest_residual(self) -> float:
        """The largest variance of the data that the inducing points do not represent."""
        return self._core.largest_residual()


def information_gain(kernel: Kernel, data: Any, noise: float, counts: Any = ()) -> float:
    """1/2 ln det(I + K / noise), in nats."""
    return ExactPosterior(kernel, data, noise, counts).information_gain


def prune(kernel: Kernel, candidates: Any, tolerance: float = 1e-10) -> np.ndarray:
    """The rows that are left when those that add nothing are removed, largest residual first."""
    return np.array(_core.prune_to_pivots(kernel._core, _points(candidates), tolerance), dtype=np.int64)


def greedy_pivots(kernel: Kernel, candidates: Any, residual: float, max_points: int) -> np.ndarray:
    """Rows by pivoted Cholesky, until the largest residual variance is at most ``residual``."""
    return np.array(_core.greedy_pivots(kernel._core, _points(candidates), residual, max_points), dtype=np.int64)


def log_evidence(guess: Kernel, kernel: Kernel, noise: float, offset: float, x: Any, y: Any) -> float:
    """log N(y; offset, K + noise I) and weak priors around the guess."""
    return _core.log_evidence(guess._core, kernel._core, noise, offset, _points(x), _vector(y))


class Fit(NamedTuple):
    kernel: Kernel
    noise: float
    offset: float
    log_evidence: float
    guessed: bool  #: too few rewards to learn from


def fit(guess: Kernel, x: Any, y: Any, *, relevance: bool = False, family: bool = False, max_rows: int = 200) -> Fit:
    """Kernel, noise and offset by empirical Bayes, as a study with parameters = "learned" fits them."""
    kernel, *rest = _core.fit_parameters(guess._core, _points(x), _vector(y), relevance, family, max_rows)
    return Fit(Kernel._of(kernel), *rest)


class Coin:
    """Shared randomness without state: a draw is a function of key and address (docs/formats/coins.md)."""

    def __init__(self, core):
        self._core = core

    def words(self, count: int, purpose: int, *, agent: int = 0, epoch: int = 0, slot: int = 0,
              attempt: int = 0) -> np.ndarray:
        """The first words of 64 bits at an address."""
        return self._core.words(count, purpose, agent, epoch, slot, attempt)

    def uniforms(self, count: int, purpose: int, *, agent: int = 0, epoch: int = 0, slot: int = 0,
                 attempt: int = 0) -> np.ndarray:
        """Uniform in [0, 1)."""
        return self._core.uniforms(count, purpose, agent, epoch, slot, attempt)

    def normals(self, count: int, purpose: int, *, agent: int = 0, epoch: int = 0, slot: int = 0,
                attempt: int = 0) -> np.ndarray:
        """Standard normals."""
        return self._core.normals(count, purpose, agent, epoch, slot, attempt)


class Secret:
    """The secret of a study with this seed: the coins of its agents, and the public one."""

    def __init__(self, seed: int):
        self._core = _core.Secret(seed)

    def agent_coin(self, agent: int) -> Coin:
        return Coin(self._core.agent_coin(agent))

    @property
    def public_coin(self) -> Coin:
        return Coin(self._core.public_coin())

    @property
    def problem_coin(self) -> Coin:
        return Coin(self._core.problem_coin())


class Cut:
    """{x : k_S(x)^T w >= tau}: what an epoch keeps."""

    def __init__(self, kernel: Kernel, inducing: Any, weights: Any, tau: float, offset: float = 0.0):
        self._core = _core.Cut(kernel._core, _points(inducing), _vector(weights), float(tau), float(offset))

    def sum_at(self, features: Any) -> np.ndarray:
        """k_S(x)^T w."""
        return self._core.sum_at(_points(features))


class Region:
    """A space and cuts of it. Points are latent: in the unit cube; ``features`` are what the kernel sees."""

    def __init__(self, space: Any, _core_region=None):
        if _core_region is None:
            parameters, _ = spaces._read(space)
            tables = _settings.settings_of({"direction": "maximize", "agents": 1, "horizon": 1})
            _core_region = _core.Region(_core.parse_study(_settings.toml_of(tables, parameters), "region", "", None))
        self._core = _core_region

    def trimmed(self, cut: Cut) -> "Region":
        return Region(None, self._core.trimmed(cut._core))

    def contains(self, latents: Any) -> np.ndarray:
        return self._core.contains(_points(latents))

    def features(self, latents: Any) -> np.ndarray:
        return self._core.features(_points(latents))

    @property
    def num_cuts(self) -> int:
        return self._core.num_cuts()

    def draw(self, coin: Coin, count: int, *, epoch: int = 1, first: int = 0, max_attempts: int = 1000) -> np.ndarray:
        """The points of an agent with this coin, by rejection. ExhaustedError where the region is too small for
        ``max_attempts`` tries."""
        return self._core.draw(coin._core, epoch, first, count, max_attempts)
