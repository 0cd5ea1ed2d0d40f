"""Mixtures of calibrated predictions: with equal weights, weights by evidence, or weights of the best mixture.

Votes ignore a miner's certainty, and that some cells are likelier than others. A mixture of calibrated probabilities
keeps both, and the row's own cell rules out other values. If cells are levels, each is the narrowest that contains its
group, which makes some of its values likelier (`narrowest`); beliefs about suppressed rows are flattened, the more of
them there are (`doubted`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from unmask.arrays import Float64, Ragged
from unmask.attacks.fusion.miners.predictions import Predictions
from unmask.attacks.fusion.rules.calibrated_predictions import calibrate
from unmask.attacks.fusion.rules.fused_beliefs import Fused, fused, tied
from unmask.attacks.fusion.rules.published_cells import PublishedCells
from unmask.attacks.fusion.rules.tightest_cells import narrowest
from unmask.attacks.fusion.rules.uninformative_rows import doubted


@dataclass(frozen=True)
class Pooling:
    """Mix the calibrated predictions of all miners with equal weights.

    Errors that miners do not share cancel out; calibration keeps each of them from dominating.

    Assumes
        That cells are the narrowest level that contains their group, or all cells with the value are equally likely;
        or noise of a known distribution.
    Infers
        `P(v) ∝ P(cell | v) · mean over miners of P_m(v | attributes)`.
    Fails
        With `InvalidInputError` if miners predicted their training rows.
    """

    name: ClassVar[str] = "pooling"
    needs_held_out: ClassVar[bool] = True

    def fuse(self, predictions: Predictions, cells: PublishedCells) -> Fused:
        """Return the mixture with equal weights."""
        return _mixed(predictions, cells, self.name)


@dataclass(frozen=True)
class ModelAveraging:
    """Mix the calibrated predictions of all miners, weighted by their likelihood of held-out groups.

    Bayes' rule for models: the evidence of a model is the product of its probabilities of all held-out groups. With
    many groups the best model has nearly all of the weight; see `weight` of the result.

    Assumes
        That one of the miners is right.
    Infers
        `P(v) ∝ P(cell | v) · sum over miners of w_m P_m(v | attributes)`, `w_m ∝ product over groups of P_m(cell)`.
    Fails
        Like pooling.

    References
    ----------
    Hoeting, Madigan, Raftery, Volinsky. Bayesian model averaging: a tutorial. Statistical science 1999.
    """

    name: ClassVar[str] = "model-averaging"
    needs_held_out: ClassVar[bool] = True

    def fuse(self, predictions: Predictions, cells: PublishedCells) -> Fused:
        """Return the mixture weighted by evidence."""
        return _mixed(predictions, cells, self.name)


@dataclass(frozen=True)
class Stacking:
    """Mix the calibrated predictions of all miners with the weights that predict held-out groups best.

    A miner has weight for information that the others lack, not for being the best: two with the same predictions
    share one weight.

    Assumes
        Nothing about which of the miners is right.
    Infers
        `P(v) ∝ P(cell | v) · sum over miners of w_m P_m(v | attributes)`, with the weights that maximize the mean
        log likelihood of the mixture for the cells of held-out groups; they are found by expectation maximization.
    Fails
        Like pooling.

    References
    ----------
    Wolpert. Stacked generalization. Neural networks 1992. Yao, Vehtari, Simpson, Gelman. Using stacking to average
    Bayesian predictive distributions. Bayesian analysis 2018.
    """

    name: ClassVar[str] = "stacking"
    needs_held_out: ClassVar[bool] = True

    def fuse(self, predictions: Predictions, cells: PublishedCells) -> Fused:
        """Return the mixture with the best prediction of held-out groups."""
        return _mixed(predictions, cells, self.name)


def _mixed(predictions: Predictions, cells: PublishedCells, name: str) -> Fused:
    pairs = cells.pairs(predictions)
    calibrated = calibrate(predictions, cells, pairs, name)
    n = len(predictions.names)
    weight = np.full(n, 1 / n)
    if name == "model-averaging":
        evidence = calibrated.scores() @ pairs.weight
        weight = np.exp(evidence - evidence.max())
        weight /= weight.sum()
    elif name == "stacking":
        weight = stacked(calibrated.scores(), pairs.weight)
    groups = narrowest(cells) if cells.looked_at else None
    scores: list[Float64] = []
    named: list[Ragged] = []
    points: list[Float64] = []
    for block in pairs.blocks(max(cells.n_values, predictions.n_classes)):
        score = calibrated.mixed(weight, block) * cells.allowed(pairs.cell[block])
        if groups is not None:
            score *= groups[pairs.cell[block]]
        if cells.looked_at:
            score = calibrated.blurred(doubted(score, pairs.cell[block], cells))
        scores.append(score)
        points.append(_median(score, cells.number) if cells.published is None else _mean(score, cells.number))
        named.append(tied(score / np.maximum(score.sum(axis=1, keepdims=True), 1e-300)))
    best = Ragged.stacked(named) if named else Ragged.of(np.zeros((0, cells.n_values)))
    if cells.axis is not None and cells.declared is not None:
        best = Ragged(best.start, cells.declared[best.column].astype(np.int32), best.data, cells.axis.size)
    found = fused(pairs, cells, scores, best, np.concatenate([np.zeros(0), *points]))
    return replace(found, weight=dict(zip(predictions.names, weight.tolist(), strict=True)))


def stacked(scores: Float64, people: Float64, iterations: int = 500) -> Float64:
    """Return the weights of the mixture with the highest likelihood, (miners,).

    `scores` (miners, pairs) are log likelihoods; `people` (pairs,) are weights. The mean logarithm is concave in the
    mixture's weights, and no step of expectation maximization decreases it.
    """
    likely = np.exp(scores - scores.max(axis=0, initial=-np.inf))
    weight = np.full(scores.shape[0], 1 / scores.shape[0])
    share = people / max(float(people.sum()), 1e-300)
    for _ in range(iterations):
        step = likely @ (share / (weight @ likely))
        weight = weight * step
        weight /= weight.sum()
        if step.max() < 1 + 1e-6:  # the largest gain that is left
            break
    return weight


def _median(score: Float64, values: Float64) -> Float64:
    """Return the median of each distribution, (rows,)."""
    heights = score.cumsum(axis=1)
    return np.asarray(values[np.minimum((heights < heights[:, -1:] / 2).sum(axis=1), values.size - 1)])


def _mean(score: Float64, values: Float64) -> Float64:
    """Return the mean of each distribution, (rows,): with noise it is nearer to the truth than the median."""
    return np.asarray(score @ values / np.maximum(score.sum(axis=1), 1e-300))
