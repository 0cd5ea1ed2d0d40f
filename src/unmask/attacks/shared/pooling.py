"""Pooled distributions of values over releases, and posteriors from one release's evidence."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from unmask.arrays import DENSE_CELLS, Float64, Int32, Ragged, distinct_rows
from unmask.attacks.shared.duplicate_releases import originals
from unmask.attacks.shared.expected_counts import expected_positive
from unmask.beliefs import NOT_ATTACKED, About, Beliefs
from unmask.release import Release
from unmask.schema import recode


def values_of(releases: Sequence[Release], attribute: str) -> tuple[str, ...]:
    """Return all values of an attribute over the releases, in the order of first occurrence."""
    seen: dict[str, None] = {}
    for release in releases:
        seen.update(dict.fromkeys(release.schema[attribute].values))
    return tuple(seen)


def pooled(releases: Sequence[Release], attribute: str, values: Sequence[str]) -> Float64:
    """Return the share of each value over all releases, (values,), in people, not rows.

    Noisy counts are replaced by expected true counts, which are positive: a listed value is never excluded.
    """
    total, variance = np.zeros(len(values) + 1), 0.0
    for release in releases:
        code = recode(release.schema[attribute].values, tuple(values))
        np.add.at(total, np.where(code < 0, len(values), code), release.people_by_value(attribute))
        if attribute in release.noise:
            variance += release.n_groups * release.noise[attribute].variance
    shares = expected_positive(total[: len(values)], variance**0.5)
    return shares / shares.sum() if shares.sum() > 0 else np.full(len(values), 1 / max(len(values), 1))


def default_prior(releases: Sequence[Release], attribute: str, n_targets: int) -> Beliefs:
    """Return the pooled distribution of the attacked releases as the prior of all targets; duplicates count once."""
    values = values_of(releases, attribute)
    distinct = [releases[r] for r in sorted(set(originals(releases)))]
    return Beliefs.shared(About.attribute(attribute), values, pooled(distinct, attribute, values), n_targets)


def in_terms_of(values: Sequence[str], release: Release, attribute: str, rows: Ragged) -> Ragged:
    """Return rows over a release's values as rows over other values, by label; missing values are dropped."""
    of_value = recode(release.schema[attribute].values, tuple(values))
    code = of_value[rows.column]
    if of_value.size and of_value[0] >= 0 and (np.diff(of_value) > 0).all() and rows.data.all():
        return Ragged(rows.start, code.astype(np.int32), rows.data, len(values))  # all values, in the same order
    kept = code >= 0
    row, column, data = rows.row[kept], code[kept], rows.data[kept]
    return Ragged.gather(row, column, data, (rows.n_rows, len(values)))


def believed(
    prior: Beliefs, rows_of: Sequence[Int32], formula: Callable[[Float64, list[Int32]], Float64]
) -> tuple[Beliefs, int]:
    """Return one belief for each distinct combination of prior row and evidence rows, and the contradicted targets.

    `formula` gets the prior of a block of combinations, (block, values), and for each source of evidence the row of
    each combination, (block,), negative without evidence; it returns unnormalized beliefs. Where they are all zero,
    the evidence contradicts the prior: such targets keep the prior, and are counted.
    """
    number, example = distinct_rows(np.stack([prior.row_of, *rows_of], axis=1))
    combos = np.stack([prior.row_of, *rows_of], axis=1)[example]
    step = max(1, DENSE_CELLS // max(1, len(prior.values)))
    blocks, dead = [], np.zeros(example.size, bool)
    for first in range(0, max(example.size, 1), step):
        combo = combos[first : first + step]
        shared = prior.rows.n_rows == 1
        before = (
            np.tile(prior.rows.dense(), (len(combo), 1)) if shared else prior.rows.dense(np.maximum(combo[:, 0], 0))
        )
        after = formula(before, [combo[:, 1 + i] for i in range(len(rows_of))])
        total = after.sum(axis=1)
        empty = ~(total > 0)
        dead[first : first + step] = empty
        after[empty] = before[empty]
        blocks.append(Ragged.of(after / after.sum(axis=1, keepdims=True)))
    rows = Ragged.stacked(blocks)
    row_of = np.where(prior.row_of >= 0, number, NOT_ATTACKED).astype(np.int32)
    contradicted = int(dead[number[prior.row_of >= 0]].sum()) if number.size else 0
    return Beliefs(prior.about, prior.values, row_of, rows), contradicted


def over_pooled(prior: Float64 | float, share: Float64) -> Float64:
    """Return prior / share of each value, and 0 for a value of share 0: the prior's factor on shares."""
    shape = np.broadcast_shapes(np.shape(prior), share.shape)
    return np.asarray(np.divide(prior, share, out=np.zeros(shape), where=share > 0))


def reweighted(prior: Beliefs, release: Release, row_of: Int32, evidence: Ragged) -> tuple[Beliefs, int]:
    """Return posteriors from one release's evidence, and the number of targets that it contradicts.

    `evidence` (rows, values of the release) is the posterior under the pooled distribution, up to a factor; `row_of`
    (targets,) is negative without evidence: such targets keep the prior.

    Infers
        `P(v) ∝ evidence(v) · prior(v) / pooled(v)`.
    """
    name = prior.about.name
    rows = in_terms_of(prior.values, release, name, evidence)
    factor = over_pooled(1.0, pooled([release], name, prior.values))

    def formula(before: Float64, row: list[Int32]) -> Float64:
        seen = row[0] >= 0
        likelihood = np.ones_like(before)
        likelihood[seen] = rows.dense(row[0][seen]) * factor
        return before * likelihood

    return believed(prior, [row_of], formula)


def error_between(beliefs: Beliefs, replicates: Sequence[Ragged]) -> Float64 | None:
    """Return the Monte Carlo standard error of each entry, (entries,), from the replicates; None without any."""
    if not replicates:
        return None
    row, column = beliefs.rows.row, beliefs.rows.column
    each = np.stack([one.at(row, column) for one in replicates])
    return np.asarray(each.std(axis=0, ddof=1) / np.sqrt(len(each)))
