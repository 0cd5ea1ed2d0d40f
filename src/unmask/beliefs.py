"""Beliefs: a probability for each target and possible answer; Bayes' rule."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

import numpy as np

from unmask.arrays import DENSE_CELLS, Bool, Float64, Int32, Int64, Ragged, frozen
from unmask.errors import InvalidInputError
from unmask.outcome import Outcome

NOT_ATTACKED = -1
"""The row of a target that was left out: not attempted, which is not the same as safe."""


class Question(StrEnum):
    """The kinds of things that an attacker may ask about a target."""

    ATTRIBUTE = "attribute"  # what is their diagnosis?
    PLACE = "place"  # which group of this release are they in?


@dataclass(frozen=True, slots=True)
class About:
    """What beliefs are about: an attribute, or a place in a release."""

    question: Question
    name: str  # of the attribute, or of the release

    @classmethod
    def attribute(cls, name: str) -> About:
        """Ask for the value of an attribute."""
        return cls(Question.ATTRIBUTE, name)

    @classmethod
    def place(cls, release: str) -> About:
        """Ask which group of a release a person is in."""
        return cls(Question.PLACE, release)

    def __str__(self) -> str:
        return self.name if self.question is Question.ATTRIBUTE else f"@row:{self.name}"


LeftOut = Callable[[Sequence[Int32]], "Beliefs"]
"""From each target's own group in each release to what the same attacker would believe without that group."""


@dataclass(frozen=True, slots=True, eq=False)
class Beliefs:
    """A probability for each target and possible answer.

    Targets share rows: a prior is one row for everybody, random worlds has one a group. So ten million people cost
    four bytes each plus the distinct rows. Values align by label, never by code.

    `ways` says how many indistinguishable answers an entry stands for (a group's members), so that naming one person
    among them succeeds with probability divided by `ways`. `error` is the Monte Carlo standard error of each entry.
    `replicates` are independent draws of the same rows, each as good as the others: what one chain, run or batch of a
    sampler gives alone. The uncertainty of every measure is taken from them; an attack that draws nothing has none.
    `parts` are beliefs that these were combined from, for display. `outcome` says what happened beside; `notes` are
    remarks for the reader, which decide nothing.
    `left_out` answers what the same attacker would believe of each target had the own group not been published.
    `unplaced` marks the targets of whom a release says nothing: their belief stays at the prior.

    Fails
        With `InvalidInputError` where a row is not a distribution or a target points nowhere.
    """

    about: About
    values: tuple[str, ...]
    row_of: Int32  # (targets,)
    rows: Ragged  # (distinct rows, values)
    ways: Float64 | None = None  # (entries of rows,)
    error: Float64 | None = None  # (entries of rows,)
    replicates: tuple[Ragged, ...] = ()  # each (distinct rows, values), in the order of rows; none, or at least two
    parts: Mapping[str, Beliefs] = field(default_factory=dict)
    outcome: Outcome = field(default_factory=Outcome)
    notes: Mapping[str, float | str] = field(default_factory=dict)
    left_out: LeftOut | None = None
    unplaced: tuple[Bool, ...] = ()  # per release, (targets,): in none of its groups, as far as the attack can tell

    def __post_init__(self) -> None:
        object.__setattr__(self, "row_of", frozen(self.row_of, np.int32))
        object.__setattr__(self, "unplaced", tuple(frozen(mask, bool) for mask in self.unplaced))
        if self.rows.n_columns != len(self.values):
            msg = f"beliefs must have a column for each of {len(self.values)} values; got {self.rows.n_columns}"
            raise InvalidInputError(msg)
        if self.row_of.size and (self.row_of.max() >= self.rows.n_rows or self.row_of.min() < NOT_ATTACKED):
            msg = f"targets must point to one of {self.rows.n_rows} rows"
            raise InvalidInputError(msg)
        if (self.rows.data < 0).any() or not np.allclose(self.rows.sums(), 1.0, rtol=0, atol=1e-9):
            msg = "each row of beliefs must be a distribution: not negative, adding up to 1"
            raise InvalidInputError(msg)
        if len(self.replicates) == 1 or any(
            (one.n_rows, one.n_columns) != (self.rows.n_rows, self.rows.n_columns) for one in self.replicates
        ):
            msg = (
                f"replicates must be none, or at least two, each of {self.rows.n_rows} rows; got {len(self.replicates)}"
            )
            raise InvalidInputError(msg)
        for name in ("ways", "error"):
            array = getattr(self, name)
            if array is not None:
                object.__setattr__(self, name, frozen(array, np.float64))
                if array.shape != self.rows.data.shape:
                    msg = f"{name} must have one number for each entry; got {array.shape}"
                    raise InvalidInputError(msg)

    @classmethod
    def shared(cls, about: About, values: Sequence[str], probability: Float64, n_targets: int) -> Beliefs:
        """Let everybody have the same row: a prior."""
        row = Ragged.of(np.asarray(probability, np.float64)[None, :])
        return cls(about, tuple(values), np.zeros(n_targets, np.int32), row)

    @property
    def n_targets(self) -> int:
        """The number of targets, attacked or not."""
        return self.row_of.size

    @property
    def n_attacked(self) -> int:
        """The number of targets that have a belief."""
        return int((self.row_of >= 0).sum())

    @property
    def is_drawn(self) -> bool:
        """Whether another seed may give other beliefs."""
        return bool(self.replicates) or (self.error is not None and bool(self.error.any()))

    def replicate(self, r: int, weight: float = 1.0) -> Beliefs:
        """Return what one replicate says alone, or these beliefs moved towards it; themselves if nothing was drawn.

        Moved by a weight of 1 / √R, they differ from these by as much as the mean of R replicates errs.
        """
        if not self.replicates:
            return self
        ours, theirs = self.rows, self.replicates[r]
        rows = theirs
        if weight < 1:
            row, column = np.concatenate([ours.row, theirs.row]), np.concatenate([ours.column, theirs.column])
            data = np.concatenate([(1 - weight) * ours.data, weight * theirs.data])
            rows = Ragged.gather(row, column, data, (ours.n_rows, ours.n_columns))
        return replace(self, rows=rows, ways=None, error=None, replicates=(), parts={}, left_out=None)

    def of(self, target: int) -> dict[str, float]:
        """Return the belief about one target: the possible values, the likeliest first."""
        row = self.row_of[target]
        if row < 0:
            return {}
        entries = slice(self.rows.start[row], self.rows.start[row + 1])
        pairs = zip(self.rows.column[entries].tolist(), self.rows.data[entries].tolist(), strict=True)
        return {self.values[column]: p for column, p in sorted(pairs, key=lambda pair: (-pair[1], pair[0]))}

    def probability(self, value: str) -> Float64:
        """Return everybody's probability of one value, (targets,); NaN where not attacked."""
        if value not in self.values:
            raise InvalidInputError.unknown_name("value", value, self.values)
        column = self.rows.dense_column(self.values.index(value))
        return np.where(self.row_of >= 0, column[self.row_of], np.nan)

    def dense(self) -> Float64:
        """Return everybody's belief as a matrix (targets, values): for small tables, and for the eye."""
        matrix = self.rows.dense()[self.row_of]
        matrix[self.row_of < 0] = np.nan
        return matrix

    def aligned(self, values: Sequence[str]) -> Beliefs:
        """Return the same beliefs over another list of values, which must include all that are believed possible."""
        index = {label: code for code, label in enumerate(values)}
        unknown = [v for v, p in zip(self.values, self.rows.column_sums(), strict=True) if p > 0 and v not in index]
        if unknown:
            raise InvalidInputError.unknown_name("value", unknown[0], values)
        to = np.array([index.get(v, 0) for v in self.values], np.int32)

        def moved(rows: Ragged, data: Float64) -> Ragged:
            column = to[rows.column]
            order = np.lexsort((column, rows.row))
            return Ragged(rows.start, column[order], data[order], len(values))

        return replace(
            self,
            values=tuple(values),
            rows=moved(self.rows, self.rows.data),
            ways=None,
            error=None if self.error is None else moved(self.rows, self.error).data,
            replicates=tuple(moved(one, one.data) for one in self.replicates),
            parts={},
            left_out=None,
        )

    def given(self, likelihood: Beliefs | tuple[Int32, Ragged]) -> tuple[Beliefs, Int64]:
        """Update these beliefs by independent evidence; also return which targets it contradicts.

        Infers
            `P(v) ∝ prior(v) · likelihood(v)`, once for each distinct pair of rows. Where the product is zero
            everywhere, the prior stays: evidence of probability zero does not concern this person.
        """
        row_of, rows = (likelihood.row_of, likelihood.rows) if isinstance(likelihood, Beliefs) else likelihood
        both = (self.row_of >= 0) & (row_of >= 0)
        pair_of, first, second = unique_pairs(self.row_of[both], row_of[both])
        product, dead = multiply(self.rows, first, rows, second)
        result = np.full(self.n_targets, NOT_ATTACKED, np.int32)
        result[both] = pair_of
        contradicted = np.flatnonzero(both)[dead[pair_of]] if pair_of.size else np.zeros(0, np.int64)
        return Beliefs(self.about, self.values, result, product), contradicted

    def top(self, n: int = 1) -> Iterator[tuple[int, str, float]]:
        """Yield (target, value, probability) for the n beliefs held most firmly."""
        best = self.rows.maxima()
        certainty = np.where(self.row_of >= 0, best[self.row_of], -1.0)
        for target in np.argsort(-certainty, kind="stable")[:n]:
            if self.row_of[target] >= 0:
                value, p = next(iter(self.of(int(target)).items()))
                yield int(target), value, p


def unique_pairs(a: Int32, b: Int32) -> tuple[Int32, Int32, Int32]:
    """Return for each position the number of its pair, and both sides of each distinct pair, in sorted order."""
    if a.size == 0:
        none = np.zeros(0, np.int32)
        return none, none, none
    width = int(b.max()) + 1
    distinct, inverse = np.unique(a.astype(np.int64) * width + b, return_inverse=True)
    return inverse.ravel().astype(np.int32), (distinct // width).astype(np.int32), (distinct % width).astype(np.int32)


def multiply(prior: Ragged, first: Int32, likelihood: Ragged, second: Int32) -> tuple[Ragged, Bool]:
    """Multiply pairs of rows and normalize them; where all is zero keep the prior's row, and say so, (pairs,)."""
    step = max(1, DENSE_CELLS // max(1, prior.n_columns))
    blocks, dead = [], np.zeros(first.size, bool)
    for begin in range(0, max(first.size, 1), step):
        block = slice(begin, begin + step)
        before = prior.dense(first[block])
        after = before * likelihood.dense(second[block])
        total = after.sum(axis=1)
        dead[block] = total <= 0
        after[total <= 0] = before[total <= 0]
        blocks.append(Ragged.of(after / after.sum(axis=1, keepdims=True)))
    return Ragged.stacked(blocks), dead
