"""Posterior of a component, the groups connected by constraints: worlds of each group, and their combinations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from unmask.algorithm_constraints import Constraint
from unmask.arrays import Bool, Float64, Int32, Int64, Ragged, distinct_rows
from unmask.attacks.shared.contingency_tables import drawn, listed

_CELLS = 1 << 19  # numbers of a batch of worlds
_MOST = 1 << 28  # numbers of all worlds that are drawn for a group, or for groups that hang together
_COSTLY = 16  # worlds of a batch, where each costs a run of the algorithm


@dataclass(frozen=True, slots=True)
class ReplayEffort:
    """Limits on the numbers of worlds."""

    worlds: int = 20_000  # listed at most, of a group and of groups that hang together
    tries: int = 200_000  # drawn at most, for the same, by each run
    replays: int = 2_000  # listed or drawn at most, by all runs together, where each costs a run of the algorithm
    enough: int = 1_000  # worlds that agree, at which a run stops drawing
    least: int = 50  # with fewer of them, a run has no posterior
    runs: int = 4  # independent of each other, to measure the error


class ConstraintConflictError(Exception):
    """No world meets the constraints."""


@dataclass(frozen=True, slots=True, eq=False)
class GroupMembers:
    """One group, with its members by kind: equal cells in all constraints."""

    rows: Int64  # (people,)
    kind: Int32  # (people,)
    people: Int64  # (kinds,)
    values: Int32  # those that occur
    counts: Int64  # of these
    n_values: int
    cell_of: dict[int, Int32]  # by constraint: (kinds,) their cell

    @classmethod
    def of(cls, rows: Int64, counts: Ragged, group: int, cells: dict[int, Int32]) -> GroupMembers:
        """Return a group of `counts` (groups, values); `cells` are those of its rows, by constraint."""
        kind, example = distinct_rows(np.stack(list(cells.values()), axis=1))
        entries = slice(counts.start[group], counts.start[group + 1])
        return cls(
            rows, kind, np.bincount(kind).astype(np.int64), counts.column[entries],
            np.rint(counts.data[entries]).astype(np.int64), counts.n_columns,
            {c: cell[example] for c, cell in cells.items()},
        )  # fmt: skip

    def by_cell(self, constraint: int, tables: Int64, n_cells: int) -> Int64:
        """Return the counts of values in each cell of a constraint, (worlds, cells, values of the attribute)."""
        result = np.zeros((tables.shape[0], n_cells, self.n_values), np.int64)
        for kind, cell in enumerate(self.cell_of[constraint].tolist()):
            result[:, cell, self.values] += tables[:, kind]
        return result

    def chances(self, tables: Int64, weight: Float64) -> Float64:
        """Return the probability of each value that occurs for each kind, (kinds, values)."""
        mean = np.tensordot(weight / weight.sum(), tables, axes=1)
        return np.asarray(mean / self.people[:, np.newaxis], np.float64)

    @property
    def shares(self) -> Float64:
        """The probabilities if all assignments are equally likely, (kinds, values)."""
        return np.tile(self.counts / self.counts.sum(), (self.people.size, 1))


@dataclass(frozen=True, slots=True, eq=False)
class ComponentPosterior:
    """Posterior of each group by run, (kinds, values that occur); None with too few worlds."""

    runs: tuple[tuple[Float64, ...], ...] | None
    is_listed: bool = False
    accepted: float = 1.0  # the least share of drawn worlds that agreed
    effective: float = np.inf  # the least number of these, of all runs together


@dataclass(frozen=True, slots=True, eq=False)
class _Pool:
    """Worlds of one group that meet the constraints on it alone."""

    tables: Int64  # (worlds, kinds, values)
    weight: Float64  # (worlds,)
    tried: int  # worlds drawn to find them; 0: these are all
    posterior: Float64  # (kinds, values)

    def drawn(self, n: int, rng: np.random.Generator) -> Int64:
        """Draw n of the worlds."""
        if self.tried:
            return rng.integers(self.weight.size, size=n)
        return np.searchsorted(np.cumsum(self.weight[:-1]) / self.weight.sum(), rng.random(n), "right")

    def independent(self, used: Int64) -> float:
        """Return the effective number of drawn worlds, given how often each was used."""
        if not self.tried or not used.size:
            return np.inf
        times = np.bincount(used).astype(np.float64)
        return float(times.sum() ** 2 / (times**2).sum())


@dataclass(frozen=True, eq=False)
class Component:
    """Groups connected by constraints, and these constraints."""

    members: Sequence[GroupMembers]
    constraints: Sequence[Constraint]
    effort: ReplayEffort

    def solve(self, rng: np.random.Generator) -> ComponentPosterior:
        """List the worlds, or draw some, once for each run."""
        whole = [self._listed(i, rng) for i in range(len(self.members))]
        everything = [pool for pool in whole if pool is not None]
        if len(everything) == len(whole):
            found = self._all_together(everything, rng)
            if found is not None:
                return found
        runs, accepted, effective = [], 1.0, np.inf
        for _ in range(self.effort.runs):
            pools = [pool or self._sampled(i, rng) for i, pool in enumerate(whole)]
            posterior, share, n = self._drawn_together(pools, rng)
            accepted, effective = min(accepted, share), min(effective, n)
            if posterior is None:
                return ComponentPosterior(None, accepted=accepted, effective=n)
            runs.append(posterior)
        return ComponentPosterior(tuple(runs), accepted=accepted, effective=effective * self.effort.runs)

    @property
    def _is_costly(self) -> bool:
        return any(constraint.costly for constraint in self.constraints)

    @cached_property
    def _alone(self) -> list[list[int]]:
        """The constraints on each group alone."""
        return [[c for c in group.cell_of if c not in self._joint] for group in self.members]

    @cached_property
    def _joint(self) -> set[int]:
        """The constraints on several groups, and the costly ones."""
        seen = [c for group in self.members for c in group.cell_of]
        return {c for c, constraint in enumerate(self.constraints) if constraint.costly or seen.count(c) > 1}

    def _by_cell(self, i: int, c: int, tables: Int64) -> Int64:
        """Return what a group adds to the cells of a constraint, (worlds, cells, values)."""
        return self.members[i].by_cell(c, tables, int(self.constraints[c].cell.max()) + 1)

    def _agree(self, i: int, tables: Int64, rng: np.random.Generator) -> Bool:
        """Return which worlds of a group, (worlds, kinds, values), meet the constraints on it alone."""
        agree = np.ones(tables.shape[0], bool)
        for c in self._alone[i]:
            some = np.flatnonzero(agree)
            agree[some] = self.constraints[c].agrees(self._by_cell(i, c, tables[some]), rng)
        return agree

    def _joined(self, pools: Sequence[_Pool]) -> Callable[[Int64, np.random.Generator], Bool]:
        """Return a predicate: which combinations of worlds, (combinations, groups), meet the other constraints."""
        parts = {
            c: [(i, self._by_cell(i, c, pool.tables)) for i, pool in enumerate(pools) if c in self.members[i].cell_of]
            for c in sorted(self._joint)
        }

        def agree(at: Int64, rng: np.random.Generator) -> Bool:
            result = np.ones(at.shape[0], bool)
            for c, added in parts.items():
                some = np.flatnonzero(result)
                cells = sum(cells[at[some, i]] for i, cells in added)
                result[some] = self.constraints[c].agrees(np.asarray(cells), rng)
            return result

        return agree

    def _listed(self, i: int, rng: np.random.Generator) -> _Pool | None:
        """Return all worlds of a group that meet the constraints on it alone; None: too many to list."""
        group = self.members[i]
        found = listed(group.people, group.counts, self.effort.worlds)
        if found is None:
            return None
        tables, share = found[0], np.exp(found[1])
        agree = self._agree(i, tables, rng)
        if not agree.any():
            raise ConstraintConflictError
        return _Pool(tables[agree], share[agree], 0, group.chances(tables[agree], share[agree]))

    def _sampled(self, i: int, rng: np.random.Generator) -> _Pool:
        """Return drawn worlds of a group that meet the constraints on it alone."""
        group = self.members[i]
        cost = group.rows.size + group.people.size * group.counts.size
        total = np.zeros((group.people.size, group.counts.size), np.int64)

        def attempt(n: int) -> tuple[Int64, Bool]:
            tables = drawn(group.kind, group.people.size, group.counts, n, rng)
            np.add(total, tables.sum(axis=0), out=total)
            return tables, self._agree(i, tables, rng)

        kept, tried = self._until(min(self.effort.tries, _MOST // cost), max(64, _CELLS // cost), attempt)
        tables, one = np.concatenate(kept), np.ones(1)
        weight = np.ones(tables.shape[0])
        posterior = group.shares
        if weight.size:
            posterior = _steadied(
                posterior, group.chances(tables, weight), group.chances(total[np.newaxis], one) / tried
            )
        return _Pool(tables, weight, tried, posterior)

    def _all_together(self, pools: Sequence[_Pool], rng: np.random.Generator) -> ComponentPosterior | None:
        """Combine all worlds of all groups; None if these are too many, or the algorithm is randomized."""
        n_worlds = float(np.prod([float(pool.weight.size) for pool in pools]))
        if n_worlds > (self.effort.replays if self._is_costly else self.effort.worlds):
            return None
        at = np.indices([pool.weight.size for pool in pools]).reshape(len(pools), -1).T
        before = rng.bit_generator.state
        agree = self._joined(pools)(at, rng)
        if rng.bit_generator.state != before:
            return None
        if not agree.any():
            raise ConstraintConflictError
        at = at[agree]
        weight = np.prod([pool.weight[at[:, i]] for i, pool in enumerate(pools)], axis=0)
        posterior = tuple(g.chances(pools[i].tables[at[:, i]], weight) for i, g in enumerate(self.members))
        return ComponentPosterior((posterior,) * self.effort.runs, is_listed=True)

    def _drawn_together(
        self, pools: Sequence[_Pool], rng: np.random.Generator
    ) -> tuple[tuple[Float64, ...] | None, float, float]:
        """Combine random worlds of the groups; return also the least share and the least number that agreed."""
        effort = self.effort
        share = min(pool.weight.size / pool.tried if pool.tried else 1.0 for pool in pools)
        n = min((float(pool.weight.size) for pool in pools if pool.tried), default=np.inf)
        if n < effort.least:
            return None, share, n
        if not self._joint:
            return tuple(pool.posterior for pool in pools), share, n
        cost = sum(pool.tables[0].size for pool in pools)
        tries, batch, agree = min(effort.tries, _MOST // cost), max(64, _CELLS // cost), self._joined(pools)
        if self._is_costly:
            tries, batch = effort.replays // effort.runs, _COSTLY

        used = [np.zeros(pool.weight.size) for pool in pools]

        def attempt(n: int) -> tuple[Int64, Bool]:
            at = np.stack([pool.drawn(n, rng) for pool in pools], axis=1)
            for i, times in enumerate(used):
                np.add.at(times, at[:, i], 1)
            return at, agree(at, rng)

        kept, tried = self._until(tries, batch, attempt)
        at = np.concatenate(kept)
        share = min(share, at.shape[0] / tried)
        n = min(float(at.shape[0]), *(pool.independent(at[:, i]) for i, pool in enumerate(pools)))
        if n < effort.least:
            return None, share, n
        posterior = [
            _steadied(pool.posterior, group.chances(pool.tables[at[:, i]], np.ones(at.shape[0])),
                      group.chances(pool.tables, used[i]))
            for i, (group, pool) in enumerate(zip(self.members, pools, strict=True))
        ]  # fmt: skip
        return tuple(posterior), share, n

    def _until(self, tries: int, batch: int, attempt: Callable[[int], tuple[Int64, Bool]]) -> tuple[list[Int64], int]:
        """Draw batches of worlds until enough agree, all tries are spent, or a tenth of them without success.

        Return the worlds that agree, and the number of tries.
        """
        kept: list[Int64] = []
        found, tried = 0, 0
        while found < self.effort.enough and tried < tries and (found or tried < tries / 10):
            n = min(batch, tries - tried, max(2 * self.effort.enough, tried))  # twice as many are tried each time
            worlds, agree = attempt(n)
            kept.append(worlds[agree])
            found, tried = found + int(agree.sum()), tried + n
        return kept, tried


def _steadied(known: Float64, agreeing: Float64, tried: Float64) -> Float64:
    """Return the posterior from agreeing worlds, with the sampling error of all tries removed (a control variate).

    The agreeing worlds are among those tried. If most are, both differ from the `known` mean of the latter by nearly
    the same. Not applied where the result is negative, or positive for a value that no agreeing world has.
    """
    result = known + agreeing - tried
    plausible = (result >= 0).all() and ((agreeing > 0) | (tried <= 0))[result > 0].all()
    return result if plausible else agreeing
