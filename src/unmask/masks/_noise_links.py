"""Weights of the lines that fit each profile, where some columns have noise."""

from __future__ import annotations

import numpy as np

from unmask.arrays import Float64, Int32, Int64
from unmask.compiled_code import njit

LEFT_OUT = 1e-9
"""The share of a profile's probability that its omitted, unlikeliest lines have together."""


@njit(cache=True, nogil=True)
def weighed(
    start: Int64,
    shape: Int32,
    log_rarity: Float64,
    line_start: Int64,
    line: Int64,
    value: Float64,
    published: Float64,
    rate: Float64,
    log_baseline: Float64,
    log_people: Float64,
) -> tuple[Int64, Int32, Float64]:
    """Return the lines of each profile and their weights, as starts (profiles + 1,), lines and weights.

    `start`, `shape` are the shapes without noise that fit each profile, `line_start`, `line` the lines of each shape.
    `value` (profiles, noisy columns) is NaN where it fits anything, minus infinity where it is missing; `published`
    (lines, noisy columns) is NaN where it is missing, with `log_baseline` its log probability, and infinite where it
    fits all people.

    Infers
        `log weight = log people + log rarity + Σ (−|published − value| / scale − log P(published))`.
    """
    n = start.size - 1
    size = np.diff(line_start)
    most, every = 0, 0
    for p in range(n):
        here = size[shape[start[p] : start[p + 1]]].sum()
        most, every = max(most, here), every + here
    log_weight, where = np.empty(most), np.empty(most, np.int64)
    kept_start, kept, weight = np.zeros(n + 1, np.int64), np.empty(every, np.int32), np.empty(every)
    end = 0
    for p in range(n):
        here, top = 0, -np.inf
        for c in range(start[p], start[p + 1]):
            for i in range(line_start[shape[c]], line_start[shape[c] + 1]):
                at = line[i]
                score = log_people[at] + log_rarity[c] + _log_gain(value[p], published[at], rate, log_baseline[at])
                if score > -np.inf:
                    log_weight[here], where[here] = score, at
                    here, top = here + 1, max(top, score)
        total = 0.0
        for i in range(here):
            log_weight[i] = np.exp(log_weight[i] - top)
            total += log_weight[i]
        for i in range(here):
            if log_weight[i] * here > LEFT_OUT * total:
                kept[end], weight[end] = where[i], log_weight[i]
                end += 1
        kept_start[p + 1] = end
    return kept_start, kept[:end].copy(), weight[:end].copy()


@njit(cache=True, nogil=True)
def _log_gain(value: Float64, published: Float64, rate: Float64, log_baseline: Float64) -> float:
    """Return the log likelihood ratio of a line's numbers, for this profile against all people."""
    result = 0.0
    for k in range(rate.size):
        x, z = value[k], published[k]
        if np.isnan(x) or np.isinf(z):
            continue
        if np.isinf(x) or np.isnan(z):
            result += -log_baseline[k] if x < 0 and np.isinf(x) and np.isnan(z) else -np.inf
        else:
            result -= abs(z - x) * rate[k] + log_baseline[k]
    return result
