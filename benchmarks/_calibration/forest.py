"""A plain random forest that learns from a release, as a reference: it knows neither Naive Bayes nor the tiers.

From exact rows in groups: labels are drawn from the current beliefs, beginning with the group's shares; a forest is
fitted to other folds of groups; its prediction divided by the pooled shares is arranged inside each group by exact
permanents. Four rounds, the last three averaged. From cells and centroids: the groups' values are known and their
members look alike, so one forest is fitted; its prediction for a person, divided by that for the middle of the group's
cells, multiplies the group's shares.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from sklearn.ensemble import RandomForestClassifier

from unmask.arrays import Float64, Int32, distinct_rows
from unmask.attacks.definetti import gibbs_kernels
from unmask.attacks.definetti.block_moves import ROUNDS_ALONE, sweep_blocks
from unmask.attacks.shared.exact_rows import features_of, published, slots_of_targets
from unmask.attacks.shared.group_layout import chain_for
from unmask.attacks.shared.grouped_people import slots_of
from unmask.attacks.shared.location import places
from unmask.masks._form_of_lines import FormOfLines
from unmask.masks.lines import Lines
from unmask.view import View

TREES, LEAF, FOLDS = 150, 8, 5
ROUNDS, KEPT = 4, 3


def beliefs_of_forest(view: View, own: Int32, rng: np.random.Generator) -> Float64:
    """Return probabilities over the release's values, (targets, values); `own` (targets,) is each one's group."""
    by_row = view.release.masked.group_of_line.size == view.release.n_rows
    return _of_rows(view, rng) if view.release.masked.is_exact and by_row else _of_cells(view, own, rng)


def _fitted(features: Float64, label: Int32, asked: Float64, n_values: int, rng: np.random.Generator) -> Float64:
    """Return P(value | features) of the lines asked, by a forest fitted to the others; one more person smooths it."""
    forest = RandomForestClassifier(TREES, min_samples_leaf=LEAF, random_state=int(rng.integers(1 << 31)), n_jobs=1)
    forest.fit(features, label)
    share = np.bincount(label, minlength=n_values) / label.size
    found = np.zeros((asked.shape[0], n_values))
    found[:, forest.classes_] = forest.predict_proba(asked)
    return np.asarray((label.size * found + share) / (label.size + 1))


def _of_rows(view: View, rng: np.random.Generator) -> Float64:
    lines, groups = published(view)
    features = np.nan_to_num(features_of(lines), nan=-1.0)
    n_groups, n_values = groups.start.size - 1, groups.n_values
    fold = np.repeat(rng.permutation(n_groups) % FOLDS, np.diff(groups.start))
    number, example = distinct_rows(np.stack([groups.profile_of, fold.astype(np.int32)], axis=1))
    profile, fold_of_line = groups.profile_of[example], fold[example]
    single = replace(
        groups, profile_of=number, codes=np.arange(example.size, dtype=np.int32)[:, None],
        levels=np.array([example.size], np.int32),
    )  # fmt: skip
    slots = slots_of(single)
    chain = chain_for(slots.layout, slots.shapes)
    pooled = np.bincount(groups.value, minlength=n_values) / groups.value.size
    data, kept = slots.equal[slots.order], []
    slot = np.repeat(np.arange(slots.n), np.diff(slots.start))
    for _ in range(ROUNDS):
        belief = np.zeros((slots.n, n_values))
        belief[slot, slots.column] = data
        height = belief.cumsum(axis=1)[slots.of_row]
        label = (rng.random(fold.size)[:, None] * height[:, -1:] >= height[:, :-1]).sum(axis=1).astype(np.int32)
        for one in range(FOLDS):
            others, here = fold != one, fold_of_line == one
            found = _fitted(features[groups.profile_of[others]], label[others], features[profile[here]], n_values, rng)
            chain.log_theta[here] = np.log(np.maximum(found, 1e-12) / np.maximum(pooled, 1e-12))
        chain.sums[:] = 0.0
        gibbs_kernels.expect(slots.layout, slots.shapes, chain)
        if slots.layout.large.size:
            seed = rng.integers(2**63, dtype=np.uint64)
            sweep_blocks(slots.layout, slots.shapes, chain, seed, ROUNDS_ALONE)
        data = np.where(slots.constant, slots.equal, chain.sums)[slots.order]
        kept.append(data)
    belief[slot, slots.column] = np.mean(kept[-KEPT:], axis=0)
    row_of, weight = slots_of_targets(view, lines, slots)
    found = np.zeros((weight.n_rows, n_values))
    np.add.at(found, weight.row, weight.data[:, None] * belief[weight.column])
    found = np.vstack([found, pooled])[row_of]  # who matches no group: the pooled shares
    return np.asarray(found / found.sum(axis=1, keepdims=True))


def _of_cells(view: View, own: Int32, rng: np.random.Generator) -> Float64:
    release, name = view.release, view.about.name
    lines = release.masked
    if not isinstance(lines, FormOfLines | Lines):
        msg = "a forest needs cells or centroids"
        raise TypeError(msg)
    counts = release.counts_of(name).dense()
    n_values = counts.shape[1]
    middle = np.stack([_middles(lines.lines, i) for i in range(len(lines.lines.cells))], axis=1)
    of_group = np.empty_like(middle[: release.n_groups])
    of_group[lines.lines.group_of_line] = middle
    group, value = np.nonzero(counts)
    times = counts[group, value].astype(np.int64)
    group, value = np.repeat(group, times), np.repeat(value, times)
    at = np.nan_to_num(lines.lines.points(view.knowledge.people), nan=-1.0, posinf=-1.0, neginf=-1.0)
    fold = rng.permutation(release.n_groups) % FOLDS
    fold_of_target = np.where(own >= 0, fold[own], 0)
    ratio, chance = np.empty(counts.shape), np.empty((at.shape[0], n_values))
    for one in range(FOLDS):
        others, here, asked = fold[group] != one, fold == one, fold_of_target == one
        label = value[others].astype(np.int32)
        found = _fitted(of_group[group[others]], label, np.concatenate([of_group[here], at[asked]]), n_values, rng)
        ratio[here], chance[asked] = np.split(found, [int(here.sum())])
    ratio = counts / counts.sum(axis=1, keepdims=True) / np.maximum(ratio, 1e-12)
    where = places(view, 0)
    rows = np.zeros((where.weight.n_rows, n_values))
    np.add.at(rows, where.weight.row, where.weight.data[:, None] * ratio[where.weight.column])
    belief = chance * np.vstack([rows, np.ones(n_values)])[where.row_of]  # who fits no group: the prediction alone
    return np.asarray(belief / belief.sum(axis=1, keepdims=True))


def _middles(lines: Lines, column: int) -> Float64:
    """Return the middle of each line's cell of a column, (lines,); of `*`, the middle of all."""
    low, high = lines.cells[column].extent
    bounded = np.isfinite(low) & np.isfinite(high)
    middle = np.where(bounded, low, 0.0) / 2 + np.where(bounded, high, 0.0) / 2
    middle[~bounded] = middle[bounded].mean() if bounded.any() else 0.0
    return np.asarray(middle[lines.cell[:, column]])
