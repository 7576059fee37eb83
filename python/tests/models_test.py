"""The library for researchers against NumPy and closed forms."""

import numpy as np
import pytest

import duets
from duets import models

X = np.random.default_rng(3).random((30, 2))
Y = np.sin(3 * X[:, 0]) + X[:, 1]
NEW = np.random.default_rng(4).random((7, 2))


def shape(name, r):
    if name == "squared-exponential":
        return np.exp(-r**2 / 2)
    a = r * np.sqrt({"matern-1/2": 1, "matern-3/2": 3, "matern-5/2": 5}[name])
    return np.exp(-a) * {"matern-1/2": 1, "matern-3/2": 1 + a, "matern-5/2": 1 + a + a**2 / 3}[name]


@pytest.mark.parametrize("name", ["squared-exponential", "matern-1/2", "matern-3/2", "matern-5/2"])
@pytest.mark.parametrize("scales", [0.4, [0.3, 0.8]])
def test_kernels(name, scales):
    kernel = models.Kernel(name, scales, 2.5)
    r = np.linalg.norm((X[:, None] - NEW[None]) / np.atleast_1d(scales), axis=2)
    # A few roundings in double precision.
    np.testing.assert_allclose(kernel(X, NEW), 2.5 * shape(name, r), rtol=1e-12)
    assert np.array_equal(kernel(X), kernel(X).T)


@pytest.mark.parametrize("make", [models.ExactPosterior, lambda k, x, l, c=(): models.SparsePosterior(k, x, x, l, c)])
def test_posteriors(make):
    # 30 points on a short length scale: the matrix is well conditioned, so both forms agree to 1e-9.
    kernel, noise = models.Kernel("matern-3/2", 0.3), 0.1
    gram, cross = kernel(X), kernel(NEW, X)
    solve = np.linalg.solve(gram + noise * np.eye(30), np.column_stack([Y, cross.T]))
    posterior = make(kernel, X, noise)
    np.testing.assert_allclose(posterior.mean(NEW, Y), cross @ solve[:, 0], rtol=1e-9)
    np.testing.assert_allclose(posterior.variance(NEW), 1 - np.sum(cross * solve[:, 1:].T, axis=1), rtol=1e-9)
    gain = 0.5 * np.linalg.slogdet(np.eye(30) + gram / noise)[1]
    assert posterior.information_gain == pytest.approx(gain, rel=1e-9)
    assert models.information_gain(kernel, X, noise) == pytest.approx(gain, rel=1e-9)
    counted = make(kernel, X[:3], noise, [2, 1, 3])
    repeated = make(kernel, X[:3], noise, [1, 1, 1])
    assert np.all(counted.variance(NEW) <= repeated.variance(NEW))


def test_counts_are_repetitions():
    kernel = models.Kernel("matern-5/2", 0.5)
    counts = [2, 1, 3]
    rows = np.repeat(np.arange(3), counts)
    mean = np.array([Y[0], Y[1], Y[2]])
    exact = models.ExactPosterior(kernel, X[rows], 0.2)
    for posterior in (models.ExactPosterior(kernel, X[:3], 0.2, counts),
                      models.SparsePosterior(kernel, X[:3], X[:3], 0.2, counts)):
        np.testing.assert_allclose(posterior.mean(NEW, mean), exact.mean(NEW, mean[rows]), rtol=1e-9)


def test_sparse_parts():
    kernel = models.Kernel("squared-exponential", 0.5)
    rows = models.prune(kernel, np.vstack([X, X]))
    assert len(set(rows.tolist())) == len(rows) and set(rows.tolist()) <= set(range(60))
    few = models.greedy_pivots(kernel, X, 0.0, 5)
    assert len(few) == 5
    posterior = models.SparsePosterior(kernel, X[few], X, 0.1)
    assert 0 < posterior.largest_residual < 1
    covariance = posterior.covariance(NEW)
    np.testing.assert_allclose(np.diag(covariance), posterior.variance(NEW), rtol=1e-9)
    np.testing.assert_allclose(kernel(NEW, X[few]) @ posterior.weights(Y), posterior.mean(NEW, Y), rtol=1e-12)


def test_evidence_and_fit():
    kernel = models.Kernel("squared-exponential", 0.4)
    # Doubling the rewards multiplies variance and noise by 4, exactly (gp/fit_parameters.h).
    once = models.fit(kernel, X, Y)
    twice = models.fit(kernel, X, 2 * Y)
    assert not once.guessed
    assert twice.noise == 4 * once.noise and twice.kernel.variance == 4 * once.kernel.variance
    at_fit = models.log_evidence(kernel, once.kernel, once.noise, once.offset, X, Y)
    assert at_fit == pytest.approx(once.log_evidence, rel=1e-9)
    assert at_fit > models.log_evidence(kernel, kernel, 1.0, 0.0, X, Y)
    assert models.fit(kernel, X[:5], Y[:5]).guessed


def test_coins():
    secret = models.Secret(7)
    coin = secret.agent_coin(3)
    assert np.array_equal(coin.words(5, 1, epoch=2), secret.agent_coin(3).words(9, 1, epoch=2)[:5])
    assert coin.words(4, 1).dtype == np.uint64
    assert np.array_equal(coin.uniforms(4, 1), (coin.words(4, 1) >> np.uint64(11)) * 2.0**-53)
    assert not np.array_equal(coin.words(4, 1), secret.public_coin.words(4, 1))
    assert not np.array_equal(coin.words(4, 1), coin.words(4, 2))
    normals = secret.problem_coin.normals(2000, 8)
    # Mean and variance of 2000 normals, within 5 deviations: false alarm 1e-6 (the seed is fixed).
    assert abs(normals.mean()) < 5 / np.sqrt(2000) and abs(normals.var() - 1) < 5 * np.sqrt(2 / 2000)
    with pytest.raises(duets.InvalidError, match="purpose"):
        coin.words(1, 99)
    with pytest.raises(duets.InvalidError):
        coin.words(5000, 1)


def test_regions():
    whole = models.Region([(0, 1), (0, 1)])
    kernel = models.Kernel("squared-exponential", 0.3)
    cut = models.Cut(kernel, [[0.5, 0.5]], [1.0], 0.6)
    region = whole.trimmed(cut)
    assert (whole.num_cuts, region.num_cuts) == (0, 1)
    inside = kernel(X, np.array([[0.5, 0.5]]))[:, 0] >= 0.6
    assert np.array_equal(region.contains(X), inside) and 0 < inside.sum() < 30
    assert np.array_equal(cut.sum_at(X) >= 0.6, inside)
    points = region.draw(models.Secret(1).agent_coin(0), 50)
    assert points.shape == (50, 2) and region.contains(points).all()
    assert np.array_equal(region.draw(models.Secret(1).agent_coin(0), 10, first=40), points[40:])
    assert np.array_equal(whole.features(X), X)
    with pytest.raises(duets.ExhaustedError):
        whole.trimmed(models.Cut(kernel, [[0.5, 0.5]], [1.0], 1 - 1e-9)).draw(models.Secret(1).agent_coin(0), 1,
                                                                             max_attempts=5)


def test_the_points_of_a_study_are_those_of_its_coins():
    with duets.Study([(0, 1), (0, 1)], agents=2, horizon=6, seed=11, coins="independent") as study:
        drawn = models.Region([(0, 1), (0, 1)]).draw(models.Secret(11).agent_coin(1), study.epoch_lengths[0])
        assert np.array_equal([query.latent for query in study.ask_all(1)], drawn)


def test_shapes():
    kernel = models.Kernel()
    for bad in (np.zeros(3), 1.0, np.zeros((2, 2, 2))):
        with pytest.raises(ValueError, match="a row for each point"):
            kernel(bad)
    with pytest.raises(duets.InvalidError, match="kernel"):
        models.Kernel("cubic")
    with pytest.raises(duets.InvalidError):
        models.Kernel("matern-1/2", -1.0)
    with pytest.raises(duets.InvalidError):
        models.ExactPosterior(models.Kernel("matern-1/2", [1, 1, 1]), X, 0.1)
    with pytest.raises(duets.InvalidError):
        models.ExactPosterior(kernel, X, float("nan"))
