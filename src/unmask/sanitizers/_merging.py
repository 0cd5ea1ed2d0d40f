"""Merging of groups until each is safe: an unsafe group joins the group with the nearest centroid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from unmask.arrays import Bool, Float64, Int32, Int64
from unmask.errors import InfeasibleError, InvalidInputError, quoted
from unmask.masks.centroids import modes
from unmask.masks.search import point_search
from unmask.models.privacy_model import PopulationModel, PrivacyModel, ScoresGroups
from unmask.people_counts import people_in
from unmask.sanitizers._lattice import LatticeGroups, demand, whole_table
from unmask.table import Table
from unmask.wording import joined, message


def require_table_models(sanitizer: str, models: Sequence[object]) -> None:
    """Require models of the table alone: merging groups cannot meet a model of the population."""
    for model in models:
        if isinstance(model, PopulationModel):
            msg = message(
                "models of {sanitizer} must look at the table alone; got {model}, which looks at the population. "
                "Demand k or max-risk instead, and measure {model} afterwards",
                sanitizer=sanitizer,
                model=model.name,
            )
            raise InvalidInputError(msg)
        if not isinstance(model, ScoresGroups):
            msg = message(
                "models of {sanitizer} must be privacy models; got {model}", sanitizer=sanitizer, model=quoted(model)
            )
            raise InvalidInputError(msg)


def require_feasible(people: Table, k: int, models: Sequence[PrivacyModel]) -> int:
    """Return the least number of people of a group.

    Fails
        With `InfeasibleError` where all people together are too few or break a model, with `InvalidInputError` for
        models of values where no column is sensitive.
    """
    demanded = demand(people, np.zeros(people.n_rows, np.int32), k, models, people.n_rows)
    broken = whole_table(demanded, people_in(people.person_of, people.n_rows))
    if broken is not None:
        raise InfeasibleError(broken)
    return demanded.k


def merged(
    people: Table,
    group_of: Int32,  # (rows,)
    places: tuple[Float64, Int32],  # (rows, numbers) and (rows, listed): where people lie
    k: int,
    models: Sequence[PrivacyModel],
) -> tuple[Int32, int]:
    """Return groups, (rows,), that all have k people and meet the models, and their number.

    In every round each unsafe group joins its neighbor, unless another has just joined it. The neighbor is the group
    with the nearest centroid: means of numbers, and listed values of the larger part.
    """
    n_groups = int(group_of.max(initial=-1)) + 1
    demanded = replace(demand(people, group_of, k, models, people.n_rows), with_bounds=False)
    size = np.bincount(group_of, minlength=n_groups)
    number = np.stack([np.bincount(group_of, x, n_groups) / size for x in places[0].T] or [np.zeros(n_groups)], axis=1)
    code = [modes(group_of, c, n_groups)[0] for c in places[1].T] or [np.zeros(n_groups, np.int32)]
    listed = np.stack(code, axis=1)
    union = np.arange(n_groups)  # (groups,) the united group that each is part of
    while True:
        n = int(union.max(initial=-1)) + 1
        people_of = np.bincount(union, size, n)
        largest = np.lexsort((-size, union))[np.searchsorted(np.sort(union), np.arange(n))]
        every = np.arange(n, dtype=np.int32)[None, :]
        groups = LatticeGroups(people_of.astype(np.int64), None, union.astype(np.int32), largest, every)
        unsafe = ~demanded.judge(groups).safe
        if not unsafe.any():
            return union[group_of].astype(np.int32), n
        if n == 1:
            names = joined(["k"])
            for model in models:
                names = message("{first} and {last}", first=names, last=model.name)
            msg = message(
                "{names} must hold at least with all people in one group; they do not. Demand less", names=names
            )
            raise InfeasibleError(msg)
        centers = np.stack([np.bincount(union, x * size, n) / people_of for x in number.T], axis=1)
        union = _joined(unsafe, _neighbors(centers, listed[largest], unsafe))[union]


def _neighbors(number: Float64, code: Int32, unsafe: Bool) -> Int64:
    """Return the nearest other group of each unsafe group, (groups,)."""
    own = np.flatnonzero(unsafe)
    tree = point_search.build(np.ascontiguousarray(number), np.ascontiguousarray(code))
    every = np.arange(unsafe.size)
    _, nearest = point_search.nearest_of_each(tree, number[own], code[own], 1, every, own)
    result = np.full(unsafe.size, -1)
    result[own] = nearest[:, 0]
    return result


def _joined(unsafe: Bool, neighbor: Int64) -> Int64:
    """Merge unsafe groups with their neighbors, one after another; return the new number of each group, (groups,)."""
    root = list(range(unsafe.size))
    changed = [False] * unsafe.size
    for group in np.flatnonzero(unsafe).tolist():
        if changed[group]:
            continue
        other = int(neighbor[group])
        while root[other] != other:
            other = root[other]
        root[group] = other
        changed[group] = changed[other] = changed[int(neighbor[group])] = True
    for group in range(unsafe.size):
        top = group
        while root[top] != top:
            top = root[top]
        root[group] = top
    return np.unique(np.array(root), return_inverse=True)[1]
