"""Mixtures of what miners take to be likely: weighed alike, by evidence, or so that the mixture predicts best.

Votes throw away how sure a miner is, and that some cells are likelier than others. A mixture of calibrated
probabilities keeps both, and what a row shows rules out what cannot stand behind it. Where cells are levels, each is
the narrowest that holds its group, which makes some values inside likelier (`narrowest`); and less is believed of rows
that show nothing, the more of them there are (`silence`).
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
    """Mix what all miners take to be likely, one like the other.

    Errors that miners do not share cancel out; calibrated, none of them speaks too loudly.

    Assumes
        That rows show the narrowest level that holds their group, or cells that hold their values, each as likely; or
        noise that is known.
    Infers
        `P(v) ∝ P(shown | v) · mean over miners of P_m(v | attributes)`.
    Fails
        With `InvalidInputError` where miners predicted rows that they had learned from.
    """

    name: ClassVar[str] = "pooling"
    needs_held_out: ClassVar[bool] = True

    def fuse(self, predictions: Predictions, cells: PublishedCells) -> Fused:
        """Return the even mixture."""
        return _mixed(predictions, cells, self.name)


@dataclass(frozen=True)
class ModelAveraging:
    """Mix what miners take to be likely by how likely each took what is shown of groups it had not seen.

    Bayes' rule for models: the evidence of a model is the product of what it gave to each group held out. With many
    groups one model has nearly all of the weight, the one that predicts best; `weight` of the result tells.

    Assumes
        That one of the miners is right.
    Infers
        `P(v) ∝ P(shown | v) · sum over miners of w_m P_m(v | attributes)`, `w_m ∝ product over groups of P_m(shown)`.
    Fails
        As pooling does.

    References
    ----------
    Hoeting, Madigan, Raftery, Volinsky. Bayesian model averaging: a tutorial. Statistical science 1999.
    """

    name: ClassVar[str] = "model-averaging"
    needs_held_out: ClassVar[bool] = True

    def fuse(self, predictions: Predictions, cells: PublishedCells) -> Fused:
        """Return the mixture by evidence."""
        return _mixed(predictions, cells, self.name)


@dataclass(frozen=True)
class Stacking:
    """Mix what miners take to be likely with the weights at which the mixture predicts groups held out best.

    A miner gets weight for what it knows and others do not, not for being the best one: two that say the same share
    one weight.

    Assumes
        Nothing about which of the miners is right.
    Infers
        `P(v) ∝ P(shown | v) · sum over miners of w_m P_m(v | attributes)`, with the weights that maximize the mean
        logarithm of what the mixture gives to what is shown of groups held out; they are found by EM, one at a time.
    Fails
        As pooling does.

    References
    ----------
    Wolpert. Stacked generalization. Neural networks 1992. Yao, Vehtari, Simpson, Gelman. Using stacking to average
    Bayesian predictive distributions. Bayesian analysis 2018.
    """

    name: ClassVar[str] = "stacking"
    needs_held_out: ClassVar[bool] = True

    def fuse(self, predictions: Predictions, cells: PublishedCells) -> Fused:
        """Return the mixture that predicts best."""
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
    """Return the weights of the mixture that gives most to what is shown, (miners,).

    `scores` (miners, pairs) are logarithms; `people` (pairs,) how often each counts. The mean logarithm is concave in
    the weights, and no step of EM makes it smaller.
    """
    likely = np.exp(scores - scores.max(axis=0, initial=-np.inf))
    weight = np.full(scores.shape[0], 1 / scores.shape[0])
    share = people / max(float(people.sum()), 1e-300)
    for _ in range(iterations):
        step = likely @ (share / (weight @ likely))
        weight = weight * step
        weight /= weight.sum()
        if step.max() < 1 + 1e-6:  # what every miner could still gain
            break
    return weight


def _median(score: Float64, values: Float64) -> Float64:
    """Return the value at which half of what is believed is reached, (rows,)."""
    heights = score.cumsum(axis=1)
    return np.asarray(values[np.minimum((heights < heights[:, -1:] / 2).sum(axis=1), values.size - 1)])


def _mean(score: Float64, values: Float64) -> Float64:
    """Return the mean of what is believed, (rows,): behind noise it is nearer to the truth than the median."""
    return np.asarray(score @ values / np.maximum(score.sum(axis=1), 1e-300))
