"""Linkage with a posterior about each row in place of its cell: whether fusion re-identifies.

An intruder has a list of people with exact quasi-identifiers, and asks which row is whose. Linkage makes of a cell
P(cell | age) / P(cell), the same for all ages inside. A belief about the row says P(age | row) / P(age) in its place.
Where it knows no more than the cell, nothing changes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unmask.arrays import Float64, Int32, Int64, Ragged, expand, starts
from unmask.attacks.shared.location import linked
from unmask.estimate import by_cluster
from unmask.links import Linking
from unmask.masks import published_values
from unmask.release import Release
from unmask.table import Table

LEAST = 1e-6  # a smaller probability of the own row counts as that


@dataclass(frozen=True, eq=False)
class Named:
    """How likely each person's own row was taken to be, and how right it is to name the likeliest, (people,)."""

    own: Float64
    right: Float64  # shared among rows that are as likely

    @classmethod
    def of(cls, rows: Ragged, own: Int64) -> Named:
        """Return the matches from weights of rows, (people, rows), and the own row of each person."""
        here, top = rows.at(np.arange(own.size), own), rows.maxima()
        tied = np.bincount(rows.row[rows.data >= top[rows.row] * (1 - 1e-9)], minlength=rows.n_rows)
        return cls(here, ((here >= top * (1 - 1e-9)) & (here > 0)) / np.maximum(tied, 1))

    @classmethod
    def joined(cls, several: list[Named]) -> Named:
        """Put people of several databases one behind the other."""
        return cls(np.concatenate([one.own for one in several]), np.concatenate([one.right for one in several]))

    @property
    def loss(self) -> Float64:
        """The log loss of each person, (people,)."""
        return -np.log(np.maximum(self.own, LEAST))

    def found(self, chance: float) -> int:
        """Return the number of people whose own row has at least this probability."""
        return int((self.own >= chance - 1e-12).sum())

    def gained(self, other: Named, group: Int32) -> dict[str, tuple[float, float, float]]:
        """Return how much better than other guesses about the same people: mean, and its 95 % interval by group."""
        ways = {"own": self.own - other.own, "right": self.right - other.right, "loss": other.loss - self.loss}
        ones = np.ones(group.size)
        return {name: (float(d.mean()), *by_cluster(d, ones, group)) for name, d in ways.items()}


def linked_rows(release: Release, people: Table) -> Ragged:
    """Return how likely each published row is each person's, (people, rows), as linkage does."""
    assert release.start is not None
    profile, profiles = people.profiles()
    weight, fits = linked(release, profiles, Linking())
    each = Ragged(weight.start, weight.column, weight.data / fits, weight.n_columns).take(profile)
    row, entry = expand(release.start, each.column)
    of_person = np.bincount(each.row[entry], minlength=each.n_rows)
    return Ragged(starts(of_person), row.astype(np.int32), each.data[entry], release.n_rows).normalized()


@dataclass(frozen=True, eq=False)
class Cells:
    """The cell of each row in a column, and the frequencies of its values."""

    inside: Float64  # (rows, values) 1 where the row's cell holds the value
    usual: Float64  # (values,)

    @classmethod
    def of(cls, release: Release, name: str, values: tuple[str, ...]) -> Cells:
        """Read them off a release."""
        held = published_values.likelihood(release, name, published_values.column_of(release, name, values)).dense() > 0
        cell = published_values.lines_of(release).cell_of(name)[published_values.line_of_row(release)]
        return cls(held[cell].astype(np.float64), published_values.shares(release, name, values))

    @property
    def mass(self) -> Float64:
        """The frequency of the cell of each row, (rows,): the divisor of linkage."""
        return np.asarray(self.inside @ self.usual)

    @property
    def alone(self) -> Float64:
        """The posterior of each row from its cell alone, (rows, values)."""
        return self.inside * self.usual / self.mass[:, None]

    def cut(self, belief: Float64) -> Float64:
        """Return a belief without the values outside the cell of each row, (rows, values)."""
        left = belief * self.inside
        total = left.sum(axis=1, keepdims=True)
        return np.where(total > 0, left / np.maximum(total, 1e-300), self.alone)

    def exchanged(self, rng: np.random.Generator) -> Int64:
        """Return for each row another one with the same cell, (rows,), as a control."""
        _, cell = np.unique(self.inside, axis=0, return_inverse=True)
        result = np.empty(cell.size, np.int64)
        result[np.argsort(cell.ravel(), kind="stable")] = np.lexsort((rng.random(cell.size), cell.ravel()))
        return result

    def top(self, belief: Float64, share: float) -> Float64:
        """Return the belief by the cell alone, cut down to the likeliest values that have this share of a belief."""
        order = np.argsort(-belief, axis=1, kind="stable")
        before = np.cumsum(np.take_along_axis(belief, order, 1), axis=1) - np.take_along_axis(belief, order, 1)
        kept = np.zeros_like(belief)
        np.put_along_axis(kept, order, (before < share).astype(np.float64), 1)
        return self.cut(kept * self.usual)

    def narrowed(self, rows: Ragged, belief: Float64, code: Int32, *, cell_seen: bool = True) -> Ragged:
        """Return weights of linkage with posteriors of rows, (rows, values), in place of their cells, (people, rows).

        `code` is the value that each person has. Without `cell_seen` linkage has not looked at the cells.
        """
        lift = belief[rows.column, code[rows.row]] / self.usual[code[rows.row]]
        divided = self.mass[rows.column] if cell_seen else 1.0
        return Ragged(rows.start, rows.column, rows.data * lift * divided, rows.n_columns).normalized()
