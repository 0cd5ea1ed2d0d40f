"""Selection of the best single miner by signs that need no truth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from unmask.arrays import Bool, Float64
from unmask.attacks.fusion.miners.predictions import Predictions
from unmask.attacks.fusion.rules.calibrated_predictions import calibrate
from unmask.attacks.fusion.rules.fused_beliefs import Fused
from unmask.attacks.fusion.rules.miner_skill import classes_right, squared_errors
from unmask.attacks.fusion.rules.published_cells import PublishedCells, proper

SIGNS = ("skill", "evidence", "agreement", "boldness", "expected")
"""`skill`: accuracy on held-out groups. `evidence`: likelihood of the cells of held-out groups. `agreement`: frequency
of the fused prediction among its own. `boldness`: frequency of predictions narrower than the row's cell, or distance
from the row's number. `expected`: expected reward of its guesses under the fused belief."""


@dataclass(frozen=True, slots=True)
class SelectedMiner:
    """The miner with the highest sign, and the loss compared with the best one."""

    miner: str
    best: bool
    lost: float  # as a share of the best one's utility; NaN if that is 0


def signs_of(predictions: Predictions, fused: Fused, cells: PublishedCells) -> dict[str, Float64]:
    """Return each sign of each miner, (miners,), higher is better; no sign uses the truth.

    Skill and evidence need predictions of held-out groups; otherwise they are left out.
    """
    found: dict[str, Float64] = {}
    if predictions.held_out:
        pairs = cells.pairs(predictions)
        numbers = predictions.is_numeric
        found["skill"] = -squared_errors(predictions, cells)[0] if numbers else classes_right(predictions, cells)
        found["evidence"] = calibrate(predictions, cells, pairs, "evidence").scores() @ pairs.weight
    more = _of_numbers if predictions.is_numeric else _of_cells
    return found | more(predictions, fused, cells)


def chosen(signs: Float64, utilities: Mapping[str, float]) -> SelectedMiner:
    """Return the (first) miner with the highest sign, and its loss compared with the best one."""
    names = list(utilities)
    place = int(np.argmax(signs))
    best, got = max(utilities.values()), utilities[names[place]]
    return SelectedMiner(
        names[place], got >= best - 1e-9 * max(abs(best), 1.0), 1 - got / best if best > 0 else float("nan")
    )


def _of_cells(predictions: Predictions, fused: Fused, cells: PublishedCells) -> dict[str, Float64]:
    pairs = cells.pairs(predictions)
    held = cells.held(domain=True)
    better, values, of_class = proper(held), held[:, cells.declared].astype(np.float64), cells.of_class
    spoke, agreed, expected = (np.zeros(len(predictions.names)) for _ in range(3))
    for block in pairs.blocks(max(cells.n_values, held.shape[0])):
        line, cell = pairs.line[block], pairs.cell[block]
        people, here = pairs.people[block], np.arange(line.size)
        inside = fused.rows.dense(np.arange(block.start, block.stop)) @ values.T  # (block, cells) probability
        named = _named(fused, block) @ held.T > 0
        for i, prediction in enumerate(predictions.by_miner):
            answer = of_class[prediction.answer[line]]
            bold = better[cell, answer]
            spoke[i] += people @ bold
            agreed[i] += people @ (bold & named[here, answer])
            expected[i] += people @ (bold * inside[here, answer])
    return {"agreement": agreed, "boldness": spoke, "expected": expected}


def _of_numbers(predictions: Predictions, fused: Fused, cells: PublishedCells) -> dict[str, Float64]:
    pairs = cells.pairs(predictions)
    published = np.zeros(cells.likelihood.n_rows) if cells.published is None else cells.published
    apart, agreed, expected = (np.zeros(len(predictions.names)) for _ in range(3))
    for block in pairs.blocks(cells.n_values):
        line, people = pairs.line[block], pairs.people[block]
        belief = fused.rows.dense(np.arange(block.start, block.stop))
        row = published[pairs.cell[block]]
        far = np.abs(row[:, None] - cells.number)
        for i, prediction in enumerate(predictions.by_miner):
            answer = prediction.answer[line]
            nearer = np.abs(answer[:, None] - cells.number) < far
            apart[i] += people @ np.abs(answer - row)
            agreed[i] -= people @ np.abs(answer - fused.point[block])
            expected[i] += people @ (belief * nearer).sum(axis=1)
    return {"agreement": agreed, "boldness": apart, "expected": expected}


def _named(fused: Fused, block: slice) -> Bool:
    """Return the values that the rule names, (block, axis)."""
    return np.asarray(fused.best.dense(np.arange(block.start, block.stop)) > 0)
