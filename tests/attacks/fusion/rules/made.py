"""What miners say, written down by hand, and the slow way to count their votes."""

from __future__ import annotations

import numpy as np

from unmask.attacks.fusion.miners.predictions import Predictions, Said
from unmask.attacks.fusion.rules.published_cells import Shown


def ranges(*texts):
    """Return both ends of ranges written as `20-29`."""
    low, high = zip(*(map(int, text.split("-")) for text in texts), strict=True)
    return np.array(low), np.array(high)


def ages(shown, said, *, domain=(0, 99), group_of=None, held_out=False):
    """Return rows that show ranges, and what miners say of each: a list of ranges a row."""
    texts = sorted({*shown, *(text for row in said for text in row)})
    code = {text: i for i, text in enumerate(texts)}
    low, high = ranges(*texts)
    cell = np.array([code[text] for text in shown], np.int32)
    answers = np.array([[code[text] for text in row] for row in said], np.int32).T
    one_a_row = np.arange(len(shown), dtype=np.int32)
    names = tuple(f"m{i}" for i in range(len(answers)))
    miners = tuple(Said(answer) for answer in answers)
    predictions = Predictions(names, names, one_a_row, miners, len(shown), len(texts), held_out)
    return predictions, Shown.ranges(cell, low, high, domain, group_of)


def counted(shown, said):
    """Count the votes for each whole number, one person and one number at a time."""
    low, high = map(int, shown.split("-"))
    votes: dict[int, int] = {}
    for text in said:
        a, b = map(int, text.split("-"))
        if low <= a and b <= high and (a, b) != (low, high):
            for age in range(a, b + 1):
                votes[age] = votes.get(age, 0) + 1
    most = max(votes.values(), default=0)
    return sorted(age for age, n in votes.items() if n == most)


def numbers(said, published, *, values=range(100), scale=5.0, held_out=False):
    """Return rows that show noisy numbers, and what miners say of each, (rows, miners)."""
    from unmask.arrays import Ragged  # noqa: PLC0415 - only here

    said, published, values = np.array(said, float), np.array(published, float), np.array(values, float)
    likelihood = Ragged.of(np.exp(-np.abs(published[:, None] - values) / scale) / (2 * scale))
    names = tuple(f"m{i}" for i in range(said.shape[1]))
    rows = np.arange(said.shape[0], dtype=np.int32)
    predictions = Predictions(names, names, rows, tuple(Said(one) for one in said.T), rows.size, 0, held_out)
    return predictions, Shown.numbers(published, likelihood, values.tolist())
