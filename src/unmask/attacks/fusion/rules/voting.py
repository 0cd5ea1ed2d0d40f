"""Voting rules: each miner votes for every value of its predicted cell, if that is a proper part of the row's cell.

Other predictions carry no information beyond the row's cell, and have no vote. Values are counted, not cells: ranges
overlap, and an age in many of them is the likeliest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np

from unmask.arrays import Bool, Float64, Ragged
from unmask.attacks.fusion.miners.predictions import Predictions
from unmask.attacks.fusion.rules.fused_beliefs import Fused, fused, middle, tied
from unmask.attacks.fusion.rules.miner_skill import classes_right
from unmask.attacks.fusion.rules.published_cells import Pairs, PublishedCells
from unmask.errors import InvalidInputError

Midpoint = Literal["inclusive", "exclusive"]


@dataclass(frozen=True)
class Vote:
    """Return the values with the most votes of miners, as in the paper.

    Every miner has one vote. The belief is proportional to the votes, with one more for each value of the row's cell.

    Assumes
        That the prediction of a smaller cell inside the row's own is informative.
    Infers
        The values with the most votes, and their mean; without a vote the middle of the row's cell. `midpoint`:
        `exclusive` reads a range as ending half a step later, which comes closer to the paper's figures for education.
        `domain`: only declared values count; the paper counts all values of a range.
    Fails
        With `InvalidInputError` for predicted numbers, or for different rows.

    References
    ----------
    Sramka, Safavi-Naini, Denzinger. An attack on the privacy of sanitized data that fuses the outputs of multiple data
    miners. ICDM workshops 2010, section IV-D.
    """

    name: ClassVar[str] = "vote"
    needs_held_out: ClassVar[bool] = False
    midpoint: Midpoint = "inclusive"
    domain: bool = True

    def __post_init__(self) -> None:
        _require(self.midpoint)

    def fuse(self, predictions: Predictions, cells: PublishedCells) -> Fused:
        """Return the values with the most votes."""
        ones = np.ones((1, len(predictions.names)))
        return _voted(predictions, cells, ones, self.midpoint, domain=self.domain)


@dataclass(frozen=True)
class WeightedVote:
    """Return the values with the most votes of miners, weighted by their accuracy on held-out groups.

    The published cells of held-out groups measure a miner's accuracy; the attacker needs no truth for that.

    Assumes
        That miners with accurate predictions of cells are accurate inside them.
    Infers
        Votes of `log(right / wrong) + log(classes - 1)`, not below zero, then as in the plain vote.
    Fails
        With `InvalidInputError` if miners predicted their training rows.

    References
    ----------
    Zhu, Zou, Rosset, Hastie. Multi-class AdaBoost. Statistics and its interface 2009.
    """

    name: ClassVar[str] = "weighted-vote"
    needs_held_out: ClassVar[bool] = True
    midpoint: Midpoint = "inclusive"
    domain: bool = True

    def __post_init__(self) -> None:
        _require(self.midpoint)

    def fuse(self, predictions: Predictions, cells: PublishedCells) -> Fused:
        """Return the values with the most weighted votes."""
        right = classes_right(predictions, cells)
        odds = np.log(right / (1 - right)) + np.log(max(predictions.n_classes - 1, 1))
        weight = np.maximum(odds, 0.0)
        weight = weight / weight.mean() if weight.sum() > 0 else np.ones(weight.size)
        found = _voted(predictions, cells, weight[None, :], self.midpoint, domain=self.domain)
        return replace(found, weight=dict(zip(predictions.names, weight.tolist(), strict=True)))


@dataclass(frozen=True)
class HierarchicalVote:
    """Return the values with the most votes of kinds of miners; each kind votes for its miners' majority.

    Ten trees with the same error count once, not ten times.

    Assumes
        That miners of a kind make similar errors.
    Infers
        The values with the most votes of kinds, each of which votes for the values with the most votes of its miners.
    Fails
        Like the plain vote.
    """

    name: ClassVar[str] = "hierarchical-vote"
    needs_held_out: ClassVar[bool] = False
    midpoint: Midpoint = "inclusive"
    domain: bool = True

    def __post_init__(self) -> None:
        _require(self.midpoint)

    def fuse(self, predictions: Predictions, cells: PublishedCells) -> Fused:
        """Return the values with the most votes of kinds."""
        kinds = np.array(predictions.kinds)
        members = np.stack([kinds == kind for kind in sorted(set(predictions.kinds))]).astype(np.float64)
        return _voted(predictions, cells, members, self.midpoint, domain=self.domain)


def _voted(
    predictions: Predictions, cells: PublishedCells, weight: Float64, midpoint: Midpoint, *, domain: bool
) -> Fused:
    """Return counted votes; `weight` (chambers, miners): each chamber votes for its miners' most frequent values."""
    pairs = cells.pairs(predictions)
    held = cells.held(domain=domain)
    answers = cells.of_class[predictions.answers]
    better, axis = cells.says_more(domain=domain), np.asarray(cells.axis)
    scores: list[Float64] = []
    named: list[Ragged] = []
    for block in pairs.blocks(max(held.shape)):
        votes = [_counted(answers, pairs, block, one, better, held) for one in weight]
        total = votes[0] if len(votes) == 1 else np.sum([tied(one).dense() for one in votes], axis=0)
        named.append(tied(total))
        scores.append((total[:, cells.declared] + 1) * cells.allowed(pairs.cell[block]))
    best = Ragged.stacked(named) if named else Ragged.of(np.zeros((0, axis.size)))
    exclusive = midpoint == "exclusive"
    nowhere = np.full(held.shape[0], axis.mean())
    of_cells = middle(Ragged.of(held.astype(np.float64)), axis, nowhere, exclusive=exclusive)
    return fused(pairs, cells, scores, best, middle(best, axis, of_cells[pairs.cell], exclusive=exclusive))


def _counted(
    answers: Sequence[np.ndarray] | np.ndarray, pairs: Pairs, block: slice, weight: Float64, better: Bool, held: Bool
) -> Float64:
    """Return the votes for each value of the axis, (block, axis): votes for cells, summed over their values."""
    line, cell = pairs.line[block], pairs.cell[block]
    votes = np.zeros((line.size, held.shape[0]))
    here = np.arange(line.size)
    for answer, miner_weight in zip(answers, weight, strict=True):
        if miner_weight > 0:
            votes[here, answer[line]] += miner_weight * better[cell, answer[line]]
    return np.asarray(votes @ held)


def _require(midpoint: str) -> None:
    if midpoint not in {"inclusive", "exclusive"}:
        raise InvalidInputError.unknown_name("midpoint", midpoint, ("inclusive", "exclusive"))
