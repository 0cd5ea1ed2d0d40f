"""Exhaustive search: the set of attributes of least loss for each record."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from unmask.arrays import Bool, Float64, Int64
from unmask.decision_risk.consistency import Consistency, same_records
from unmask.decision_risk.disclosure_risk import losses, require_shape
from unmask.decision_risk.sensitivity import Sensitivity
from unmask.decision_risk.subsets import blocks, chances, of_size
from unmask.runtime import work
from unmask.wording import message


@dataclass(frozen=True, slots=True, eq=False)
class Losses:
    """The loss of each set of attributes, for a block of records and each dictionary."""

    records: slice
    sets: Bool  # (sets, attributes)
    loss: Float64  # (dictionaries, records, sets)
    log: Float64 | None  # (dictionaries, records, sets) log losses if Φ is a product: finite beyond e^709
    lacking: Bool  # (records, sets) sets with a missing value, or without a required one


def loss_tables(
    parts: Sequence[Consistency], sensitivity: Sensitivity, k: int, wanted: Bool | None = None
) -> Iterator[Losses]:
    """Yield the loss of every set of k attributes against each dictionary, by blocks of records.

    A set without a present value of a `wanted` attribute, (attributes,), is not allowed.
    """
    same_records(parts)
    require_shape(parts[0], sensitivity)
    sets = of_size(len(parts[0].names), k)
    product = sensitivity.is_product and not sensitivity.wrong
    with work.step(message("trying all sets of attributes"), parts[0].n_records) as step:
        for records in blocks(parts, sets):
            total = sensitivity.sums(sets, records)
            harm = sensitivity.formed(total)
            lacking = (~parts[0].available[records]).astype(np.float64) @ sets.T.astype(np.float64) > 0
            if wanted is not None:
                required = parts[0].available[records] & wanted
                lacking |= required.astype(np.float64) @ (~sets).T.astype(np.float64) > 0
            loss, log = [], []
            for part in parts:
                count, chance = chances(part, sets, records)
                loss.append(losses(harm, count, chance, sensitivity.wrong))
                if product:
                    with np.errstate(
                        divide="ignore", invalid="ignore"
                    ):  # infinity less infinity, without a matching entry
                        log.append(np.where(count > 0, total + np.log(chance), -np.inf))
            yield Losses(records, sets, np.stack(loss), np.stack(log) if product else None, lacking)
            step.advance(lacking.shape[0])


def least(
    parts: Sequence[Consistency], prior: Float64, sensitivity: Sensitivity, k: int, wanted: Bool | None = None
) -> Bool:
    """Return for each record the k attributes of least expected loss, (records, attributes); among equals the first.

    A record with fewer values discloses all of them.
    """
    held = [(part, p) for part, p in zip(parts, prior, strict=True) if p > 0]
    chosen = parts[0].available & (parts[0].available.sum(axis=1) <= k)[:, None]
    for table in loss_tables([part for part, _ in held], sensitivity, k, wanted):
        cost = np.tensordot(np.array([p for _, p in held]), np.where(np.isinf(table.loss), 0.0, table.loss), 1)
        cost[np.isinf(table.loss).any(axis=0)] = np.inf
        best = _first_least(cost, table.log[0] if table.log is not None and len(held) == 1 else cost, table.lacking)
        rows = np.arange(chosen.shape[0])[table.records]
        enough = parts[0].available[rows].sum(axis=1) >= k
        chosen[rows[enough]] = table.sets[best[enough]]
    return np.asarray(chosen)


def _first_least(cost: Float64, log: Float64, lacking: Bool) -> Int64:
    """Return the position of the least allowed loss of each row; by its logarithm where all are infinite."""
    best = np.argmin(np.where(lacking, np.inf, cost), axis=1)
    beyond = np.flatnonzero(np.isinf(cost[np.arange(best.size), best]) | lacking[np.arange(best.size), best])
    most = np.finfo(np.float64).max
    best[beyond] = np.argmin(np.where(lacking[beyond], np.inf, np.minimum(log[beyond], most)), axis=1)
    return np.asarray(best)
