"""Semantic privacy by listing everything: all tables of n people with one bit each, all outputs, both beliefs.

Shares no code with what it judges.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]


def tables(n: int) -> NDArray[np.int64]:
    """Return every table of n bits, (2^n, n)."""
    return np.array(list(product((0, 1), repeat=n)))


def without(n: int, i: int) -> NDArray[np.int64]:
    """Return for each table the number of the table in which person i has the default, 0."""
    worlds = tables(n)
    worlds[:, i] = 0
    return np.asarray(worlds @ (2 ** np.arange(n)[::-1]))


def laplace_count(epsilon: float, n: int) -> Matrix:
    """Return how probable 61 outputs of the count of ones plus discrete Laplace noise are, (tables, outputs).

    From -28 to 32; whatever lies beyond counts as the last one, so every ratio of neighbors is e^ε or e^−ε.
    """
    distance = np.abs(np.arange(-28, 33) - tables(n).sum(axis=1)[:, None])
    chance = np.exp(-epsilon * distance) / (1 + np.exp(-epsilon))
    chance[:, 1:-1] *= 1 - np.exp(-epsilon)
    return np.asarray(chance)


def randomized_response(epsilon: float, n: int) -> Matrix:
    """Return how probable each answer of all people is, who tell their bit with odds e^ε : 1, (tables, outputs)."""
    worlds = tables(n)
    lies = (worlds[:, None, :] != worlds[None, :, :]).sum(axis=2)
    odds = np.exp(-epsilon * lies)
    return np.asarray(odds / odds.sum(axis=1, keepdims=True))


def or_in_clear(mechanism: Matrix, delta: float) -> Matrix:
    """Return the mechanism that with probability δ publishes the table as it is."""
    return np.concatenate([(1 - delta) * mechanism, delta * np.eye(mechanism.shape[0])], axis=1)


def both(first: Matrix, second: Matrix) -> Matrix:
    """Return two releases, drawn independently, as one."""
    return np.asarray((first[:, :, None] * second[:, None, :]).reshape(first.shape[0], -1))


def loss(mechanism: Matrix, n: int) -> float:
    """Return the largest log likelihood ratio of any output between tables that differ in one bit."""
    logs = np.log(mechanism)
    flipped = [np.arange(2**n) ^ (1 << i) for i in range(n)]
    return float(max(np.abs(logs - logs[other]).max() for other in flipped))


def priors(n: int, rng: np.random.Generator, random: int = 200) -> Iterator[Matrix]:
    """Yield every prior on two tables, on a grid of odds, and some random ones."""
    grid = 1 / (1 + np.exp(-np.linspace(-6, 6, 49)))
    for one in range(2**n):
        for other in range(one):
            for share in grid:
                prior = np.zeros(2**n)
                prior[one], prior[other] = share, 1 - share
                yield prior
    yield from rng.dirichlet(np.full(2**n, 0.5), size=random)


def differences(mechanism: Matrix, prior: Matrix, n: int) -> Matrix:
    """Return the statistical difference of beliefs in Game 0 and in Game i, (people, outputs); 0 if impossible."""
    with np.errstate(invalid="ignore"):
        real = prior[:, None] * mechanism
        real = real / real.sum(axis=0)
        result = []
        for i in range(n):
            other = prior[:, None] * mechanism[without(n, i)]
            other = other / other.sum(axis=0)
            # an output that is impossible in Game i has no beliefs there: they differ wholly
            apart = np.where(np.isnan(other).any(axis=0), 1.0, np.abs(real - other).sum(axis=0) / 2)
            result.append(np.where(np.isnan(real).any(axis=0), 0.0, apart))
    return np.array(result)


def failing(mechanism: Matrix, prior: Matrix, n: int, limit: float) -> float:
    """Return the probability of an output under which some person's posteriors differ by more than a limit."""
    chance = prior @ mechanism
    return float(chance[(differences(mechanism, prior, n) > limit + 1e-12).any(axis=0)].sum())


def closeness(mechanism: Matrix, one: int, other: int, epsilon: float) -> float:
    """Return the least δ for which outputs for two tables are (ε, δ)-indistinguishable."""
    first, second, factor = mechanism[one], mechanism[other], np.exp(epsilon)
    return float(max(np.maximum(first - factor * second, 0).sum(), np.maximum(second - factor * first, 0).sum()))
