"""Beliefs: a probability for each target and possible answer, and Bayes' rule."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

import numpy as np

from unmask.arrays import DENSE_CELLS, Bool, Float64, Int32, Int64, Ragged, frozen
from unmask.errors import InvalidInputError
from unmask.outcome import Outcome
from unmask.wording import message

NOT_ATTACKED = -1
"""The row of a target that was not attacked, which does not mean that it is safe."""


class Question(StrEnum):
    """The kinds of questions about a target."""

    ATTRIBUTE = "attribute"  # what is their diagnosis?
    PLACE = "place"  # which group of this release are they in?


@dataclass(frozen=True, slots=True)
class About:
    """The subject of beliefs: an attribute, or a place in a release."""

    question: Question
    name: str  # of the attribute, or of the release

    @classmethod
    def attribute(cls, name: str) -> About:
        """Return the question for the value of an attribute."""
        return cls(Question.ATTRIBUTE, name)

    @classmethod
    def place(cls, release: str) -> About:
        """Return the question for the group of a release that holds a person."""
        return cls(Question.PLACE, release)

    def __str__(self) -> str:
        return self.name if self.question is Question.ATTRIBUTE else f"@row:{self.name}"


LeftOut = Callable[[Sequence[Int32]], "Beliefs"]
"""A function from each target's own group in each release to the same attack's beliefs without that group."""


@dataclass(frozen=True, slots=True, eq=False)
class Beliefs:
    """A probability for each target and possible answer.

    Targets share rows: a prior is one row for all, random worlds has one row a group. Ten million people cost four
    bytes each plus the distinct rows. Values align by label, never by code.

    `ways` is the number of indistinguishable answers of an entry (a group's members): naming one person among them
    succeeds with the probability divided by `ways`. `error` is the Monte Carlo standard error of each entry.
    `replicates` are independent estimates of the same rows: those of one chain, run or batch of a sampler. The
    uncertainty of every measure is computed from them; a deterministic attack has none.
    `parts` are the beliefs that were combined into these, for display. `outcome` holds the attack's typed results;
    `notes` are remarks for the reader, and decide nothing.
    `left_out` is the control: the same attack without each target's own group.
    `unplaced` marks the targets that match no group of a release: they keep the prior.

    Fails
        With `InvalidInputError` where a row is not a distribution or a target points to no row.
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
    unplaced: tuple[Bool, ...] = ()  # per release, (targets,): matches none of its groups

    def __post_init__(self) -> None:
        object.__setattr__(self, "row_of", frozen(self.row_of, np.int32))
        object.__setattr__(self, "unplaced", tuple(frozen(mask, bool) for mask in self.unplaced))
        if self.rows.n_columns != len(self.values):
            msg = message(
                "beliefs must have a column for each of {n} values; got {n_columns}",
                n=len(self.values),
                n_columns=self.rows.n_columns,
            )
            raise InvalidInputError(msg)
        if self.row_of.size and (self.row_of.max() >= self.rows.n_rows or self.row_of.min() < NOT_ATTACKED):
            msg = message("targets must point to one of {n_rows} rows", n_rows=self.rows.n_rows)
            raise InvalidInputError(msg)
        if (self.rows.data < 0).any() or not np.allclose(self.rows.sums(), 1.0, rtol=0, atol=1e-9):
            msg = message("each row of beliefs must be a distribution: not negative, adding up to 1")
            raise InvalidInputError(msg)
        if len(self.replicates) == 1 or any(
            (one.n_rows, one.n_columns) != (self.rows.n_rows, self.rows.n_columns) for one in self.replicates
        ):
            msg = message(
                "replicates must be none, or at least two, each of {n_rows} rows; got {n}",
                n_rows=self.rows.n_rows,
                n=len(self.replicates),
            )
            raise InvalidInputError(msg)
        for name in ("ways", "error"):
            array = getattr(self, name)
            if array is not None:
                object.__setattr__(self, name, frozen(array, np.float64))
                if array.shape != self.rows.data.shape:
                    msg = message(
                        "{name} must have one number for each entry; got {shape}", name=name, shape=array.shape
                    )
                    raise InvalidInputError(msg)

    @classmethod
    def shared(cls, about: About, values: Sequence[str], probability: Float64, n_targets: int) -> Beliefs:
        """Return beliefs with one row for all targets: a prior."""
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
        """Whether the beliefs depend on the random seed."""
        return bool(self.replicates) or (self.error is not None and bool(self.error.any()))

    def replicate(self, r: int, weight: float = 1.0) -> Beliefs:
        """Return the beliefs of one replicate, or these beliefs moved towards it; `self` without replicates.

        A weight of 1 / √R moves them by one standard error of the mean of R replicates.
        """
        if not self.replicates:
            return self
        rows = self.replicates[r]
        if weight < 1:
            rows = self.rows.times(1 - weight) + rows.times(weight)
        return replace(self, rows=rows, ways=None, error=None, replicates=(), parts={}, left_out=None)

    def of(self, target: int) -> dict[str, float]:
        """Return the belief about one target: its possible values, most probable first."""
        row = self.row_of[target]
        if row < 0:
            return {}
        entries = slice(self.rows.start[row], self.rows.start[row + 1])
        pairs = zip(self.rows.column[entries].tolist(), self.rows.data[entries].tolist(), strict=True)
        return {self.values[column]: p for column, p in sorted(pairs, key=lambda pair: (-pair[1], pair[0]))}

    def probability(self, value: str) -> Float64:
        """Return each target's probability of one value, (targets,); NaN where not attacked."""
        if value not in self.values:
            raise InvalidInputError.unknown_name("value", value, self.values)
        column = self.rows.dense_column(self.values.index(value))
        return np.where(self.row_of >= 0, column[self.row_of], np.nan)

    def dense(self) -> Float64:
        """Return all beliefs as a dense matrix, (targets, values); for small tables."""
        matrix = self.rows.dense()[self.row_of]
        matrix[self.row_of < 0] = np.nan
        return matrix

    def aligned(self, values: Sequence[str]) -> Beliefs:
        """Return the beliefs over another list of values, which must include all of positive probability."""
        index = {label: code for code, label in enumerate(values)}
        unknown = [v for v, p in zip(self.values, self.rows.column_sums(), strict=True) if p > 0 and v not in index]
        if unknown:
            raise InvalidInputError.unknown_name("value", unknown[0], values)
        to = np.array([index.get(v, 0) for v in self.values], np.int32)

        def moved(rows: Ragged, data: Float64) -> Ragged:
            if tuple(values) == self.values:
                return rows if data is rows.data else replace(rows, data=data)
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
        """Update the beliefs with independent evidence; also return the targets that it contradicts.

        Infers
            `P(v) ∝ prior(v) · likelihood(v)`, once for each distinct pair of rows. Where the product is zero
            everywhere, the target keeps the prior: the evidence has probability zero.
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
        """Yield (target, value, probability) for the n targets of highest maximum probability."""
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
    """Multiply pairs of rows and normalize them; also mark zero products, (pairs,), which keep the prior's row."""
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
