"""What clues say of the members of groups: worlds that agree with them, listed where they are few, drawn elsewhere.

Groups that no clue connects are independent, so each such part is solved by itself. Within a part, worlds of one group
that agree with the clues about it alone are found first; combinations of them are then held against the other clues.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from unmask.algorithm_constraints import Clue
from unmask.arrays import Int32, Int64, Ragged, starts
from unmask.attacks.replay._constrained_components import CluesContradictError, Effort, Found, Members, Part
from unmask.runtime import work


@dataclass(frozen=True, slots=True, eq=False)
class Told:
    """What is believed of each row; rows share slots. A slot is a group, or people of a group who are alike."""

    of_row: Int32  # (rows,)
    runs: tuple[Ragged, ...]  # (slots, values) each row adding up to 1; the same where worlds were listed
    open_slots: Int32  # slots of groups of which too few worlds agree: what is to be believed there is not known
    n_listed: int  # groups of which all worlds were listed
    n_drawn: int  # groups of which some were drawn
    n_open: int  # groups of which too few were found
    accepted: float  # the least share of drawn worlds that agreed
    effective: float  # the least number of these, of all runs together

    @property
    def n(self) -> int:
        """The number of slots."""
        return self.runs[0].n_rows


def tell(group_of: Int32, counts: Ragged, clues: Sequence[Clue], effort: Effort, rng: np.random.Generator) -> Told:
    """Return what rows, (rows,) in groups, have, if groups have these values and the clues hold.

    Fails
        With `CluesContradictError` where no world agrees.
    """
    order = np.argsort(group_of, kind="stable")
    first = starts(np.bincount(group_of, minlength=counts.n_rows))
    of_row, shares = group_of.astype(np.int32), counts.normalized()
    blocks: list[list[Ragged]] = [[shares] for _ in range(effort.runs)]
    open_slots: list[Int32] = []
    solved: list[tuple[int, Found]] = []
    n_slots = counts.n_rows
    parts = list(_parts(group_of, clues, counts.n_rows))
    with work.step("looking for worlds that agree", len(parts)) as step:
        for groups, ours in parts:
            rows = [order[first[g] : first[g + 1]] for g in groups.tolist()]
            members = [
                Members.of(mine, counts, g, cells)
                for g, mine, cells in zip(groups.tolist(), rows, _cells(rows, ours), strict=True)
            ]
            found = Part(members, ours, effort).solve(rng)
            begin = n_slots
            for i, group in enumerate(members):
                of_row[group.rows] = n_slots + group.kind
                n_slots += group.people.size
                for run, block in enumerate(blocks):
                    dense = np.zeros((group.people.size, counts.n_columns))
                    told = group.counts / group.counts.sum() if found.runs is None else found.runs[run][i]
                    dense[:, group.values] = told
                    block.append(Ragged.of(dense))
            if found.runs is None:
                open_slots.append(np.arange(begin, n_slots, dtype=np.int32))
            solved.append((groups.size, found))
            step.advance()
    return Told(
        of_row,
        tuple(Ragged.stacked(block) for block in blocks),
        np.concatenate([np.zeros(0, np.int32), *open_slots]),
        n_listed=sum(n for n, found in solved if found.is_listed),
        n_drawn=sum(n for n, found in solved if found.runs is not None and not found.is_listed),
        n_open=sum(n for n, found in solved if found.runs is None),
        accepted=min((found.accepted for _, found in solved), default=1.0),
        effective=min((found.effective for _, found in solved if found.runs is not None), default=np.inf),
    )


def _parts(group_of: Int32, clues: Sequence[Clue], n_groups: int) -> Iterator[tuple[Int64, list[Clue]]]:
    """Yield the groups that hang together through clues, and these clues."""
    inside = [np.unique(group_of[clue.people]).astype(np.int64) for clue in clues]
    none = np.zeros(0, np.int64)
    tail = np.concatenate([none, *(np.full(g.size, g[0]) for g in inside)])
    head = np.concatenate([none, *inside])
    links = sparse.coo_array((np.ones(tail.size), (tail, head)), shape=(n_groups, n_groups))
    _, part = csgraph.connected_components(links, directed=False)
    ours: dict[int, list[Clue]] = {}
    for clue, groups in zip(clues, inside, strict=True):
        ours.setdefault(int(part[groups[0]]), []).append(clue)
    by_part = np.argsort(part, kind="stable")
    first = starts(np.bincount(part))
    for number, mine in ours.items():
        yield by_part[first[number] : first[number + 1]], mine


def _cells(rows: Sequence[Int64], clues: Sequence[Clue]) -> list[dict[int, Int32]]:
    """Return for each group, by clue, the cells of its rows; nothing of clues that are not about it."""
    result: list[dict[int, Int32]] = [{} for _ in rows]
    for c, clue in enumerate(clues):
        order = np.argsort(clue.people)
        known = clue.people[order]
        for mine, cells in zip(rows, result, strict=True):
            at = np.minimum(np.searchsorted(known, mine), known.size - 1)
            if known[at[0]] == mine[0]:
                cells[c] = clue.cell[order[at]]
    return result


__all__ = ["CluesContradictError", "Effort", "Told", "tell"]
