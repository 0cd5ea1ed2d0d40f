"""Posterior of the members of groups under constraints: worlds that meet them, listed where few, else drawn.

Groups that no constraint connects are independent, so each connected component is solved separately. In a component,
the worlds of each group that meet the constraints on it alone come first; their combinations must meet the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from unmask.algorithm_constraints import Constraint
from unmask.arrays import Int32, Int64, Ragged, starts
from unmask.attacks.replay._constrained_components import (
    Component,
    ComponentPosterior,
    ConstraintConflictError,
    GroupMembers,
    ReplayEffort,
)
from unmask.runtime import work
from unmask.wording import message


@dataclass(frozen=True, slots=True, eq=False)
class ConstrainedBeliefs:
    """Posteriors by slot. A slot is a group, or the people of a group with equal cells in all constraints."""

    of_row: Int32  # (rows,)
    runs: tuple[Ragged, ...]  # (slots, values) each row adding up to 1; the same where worlds were listed
    open_slots: Int32  # slots of groups with too few worlds that agree: no posterior
    n_listed: int  # groups with all worlds listed
    n_drawn: int  # groups with drawn worlds
    n_open: int  # groups with too few drawn worlds that agree
    accepted: float  # the least share of drawn worlds that agreed
    effective: float  # the least number of these, of all runs together

    @property
    def n(self) -> int:
        """The number of slots."""
        return self.runs[0].n_rows


def constrained_beliefs(
    group_of: Int32, counts: Ragged, constraints: Sequence[Constraint], effort: ReplayEffort, rng: np.random.Generator
) -> ConstrainedBeliefs:
    """Return the posterior of each row, (rows,) in groups, from the groups' counts and the constraints.

    Fails
        With `ConstraintConflictError` where no world agrees.
    """
    order = np.argsort(group_of, kind="stable")
    first = starts(np.bincount(group_of, minlength=counts.n_rows))
    of_row, shares = group_of.astype(np.int32), counts.normalized()
    blocks: list[list[Ragged]] = [[shares] for _ in range(effort.runs)]
    open_slots: list[Int32] = []
    solved: list[tuple[int, ComponentPosterior]] = []
    n_slots = counts.n_rows
    parts = list(_components(group_of, constraints, counts.n_rows))
    with work.step(message("looking for worlds that agree"), len(parts)) as step:
        for groups, ours in parts:
            rows = [order[first[g] : first[g + 1]] for g in groups.tolist()]
            members = [
                GroupMembers.of(mine, counts, g, cells)
                for g, mine, cells in zip(groups.tolist(), rows, _cells(rows, ours), strict=True)
            ]
            found = Component(members, ours, effort).solve(rng)
            begin = n_slots
            for i, group in enumerate(members):
                of_row[group.rows] = n_slots + group.kind
                n_slots += group.people.size
                for run, block in enumerate(blocks):
                    dense = np.zeros((group.people.size, counts.n_columns))
                    belief = group.counts / group.counts.sum() if found.runs is None else found.runs[run][i]
                    dense[:, group.values] = belief
                    block.append(Ragged.of(dense))
            if found.runs is None:
                open_slots.append(np.arange(begin, n_slots, dtype=np.int32))
            solved.append((groups.size, found))
            step.advance()
    return ConstrainedBeliefs(
        of_row,
        tuple(Ragged.stacked(block) for block in blocks),
        np.concatenate([np.zeros(0, np.int32), *open_slots]),
        n_listed=sum(n for n, found in solved if found.is_listed),
        n_drawn=sum(n for n, found in solved if found.runs is not None and not found.is_listed),
        n_open=sum(n for n, found in solved if found.runs is None),
        accepted=min((found.accepted for _, found in solved), default=1.0),
        effective=min((found.effective for _, found in solved if found.runs is not None), default=np.inf),
    )


def _components(
    group_of: Int32, constraints: Sequence[Constraint], n_groups: int
) -> Iterator[tuple[Int64, list[Constraint]]]:
    """Yield the groups connected by constraints, and these constraints."""
    inside = [np.unique(group_of[constraint.people]).astype(np.int64) for constraint in constraints]
    none = np.zeros(0, np.int64)
    tail = np.concatenate([none, *(np.full(g.size, g[0]) for g in inside)])
    head = np.concatenate([none, *inside])
    links = scipy.sparse.coo_array((np.ones(tail.size), (tail, head)), shape=(n_groups, n_groups))
    _, part = scipy.sparse.csgraph.connected_components(links, directed=False)
    ours: dict[int, list[Constraint]] = {}
    for constraint, groups in zip(constraints, inside, strict=True):
        ours.setdefault(int(part[groups[0]]), []).append(constraint)
    by_part = np.argsort(part, kind="stable")
    first = starts(np.bincount(part))
    for number, mine in ours.items():
        yield by_part[first[number] : first[number + 1]], mine


def _cells(rows: Sequence[Int64], constraints: Sequence[Constraint]) -> list[dict[int, Int32]]:
    """Return for each group, by constraint on it, the cells of its rows."""
    result: list[dict[int, Int32]] = [{} for _ in rows]
    for c, constraint in enumerate(constraints):
        order = np.argsort(constraint.people)
        known = constraint.people[order]
        for mine, cells in zip(rows, result, strict=True):
            at = np.minimum(np.searchsorted(known, mine), known.size - 1)
            if known[at[0]] == mine[0]:
                cells[c] = constraint.cell[order[at]]
    return result


__all__ = ["ConstraintConflictError", "ReplayEffort", "constrained_beliefs"]
