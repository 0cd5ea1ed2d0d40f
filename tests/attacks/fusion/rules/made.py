"""What miners say, written down by hand, and the slow way to count their votes."""

from __future__ import annotations

import numpy as np

from unmask.attacks.fusion.miners.predictions import MinerPrediction, Predictions
from unmask.attacks.fusion.rules.published_cells import PublishedCells


def ranges(*texts):
    """Return both ends of ranges written as `20-29`."""
    low, high = zip(*(map(int, text.split("-")) for text in texts), strict=True)
    return np.array(low), np.array(high)


def ages(published, answers, *, domain=(0, 99), group_of=None, held_out=False):
    """Return published ranges of rows, and the predictions of all miners for each: a list of ranges a row."""
    texts = sorted({*published, *(text for row in answers for text in row)})
    code = {text: i for i, text in enumerate(texts)}
    low, high = ranges(*texts)
    cell = np.array([code[text] for text in published], np.int32)
    codes = np.array([[code[text] for text in row] for row in answers], np.int32).T
    one_a_row = np.arange(len(published), dtype=np.int32)
    names = tuple(f"m{i}" for i in range(len(codes)))
    miners = tuple(MinerPrediction(answer) for answer in codes)
    predictions = Predictions(names, names, one_a_row, miners, len(published), len(texts), held_out)
    return predictions, PublishedCells.ranges(cell, low, high, domain, group_of)


def counted(published, answers):
    """Count the votes for each whole number, one person and one number at a time."""
    low, high = map(int, published.split("-"))
    votes: dict[int, int] = {}
    for text in answers:
        a, b = map(int, text.split("-"))
        if low <= a and b <= high and (a, b) != (low, high):
            for age in range(a, b + 1):
                votes[age] = votes.get(age, 0) + 1
    most = max(votes.values(), default=0)
    return sorted(age for age, n in votes.items() if n == most)


def numbers(answers, published, *, values=range(100), scale=5.0, held_out=False):
    """Return noisy numbers of rows, and the predictions of all miners for each, (rows, miners)."""
    from unmask.arrays import Ragged  # noqa: PLC0415 - only here

    answers, published, values = np.array(answers, float), np.array(published, float), np.array(values, float)
    likelihood = Ragged.of(np.exp(-np.abs(published[:, None] - values) / scale) / (2 * scale))
    names = tuple(f"m{i}" for i in range(answers.shape[1]))
    rows = np.arange(answers.shape[0], dtype=np.int32)
    predictions = Predictions(
        names, names, rows, tuple(MinerPrediction(one) for one in answers.T), rows.size, 0, held_out
    )
    return predictions, PublishedCells.numbers(published, likelihood, values.tolist())
