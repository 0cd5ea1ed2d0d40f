"""Truth, Tally and Estimate: beliefs compared with the true values. Protocol Metric."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal, Protocol

import numpy as np

from unmask.arrays import DENSE_CELLS, Bool, Float64, Int32, distinct_rows, frozen
from unmask.beliefs import NOT_ATTACKED, About, Beliefs
from unmask.errors import InvalidInputError
from unmask.numerics.rounding import at_least
from unmask.people_counts import own_rows, people_in
from unmask.schema import UNKNOWN, recode
from unmask.wording import message

NORMAL_95 = 1.959963984540054
"""Standard errors on each side of an estimate of normal distribution that hold 95 % of it."""

Source = Literal["exact", "monte carlo", "sample", "sanitizer", "people"]


@dataclass(frozen=True, slots=True, eq=False)
class Truth:
    """The right answer for each target. Only metrics and the audit may hold it."""

    about: About
    values: tuple[str, ...]
    answer: Int32  # (targets,) index into values; negative: unknown
    person_of: Int32 | None = None  # (targets,) where several targets are one person
    cluster: Int32 | None = None  # (targets,) dependent people: a group, a household
    weight: Float64 | None = None  # (targets,) a person's is the mean over their rows

    def __post_init__(self) -> None:
        for name in ("answer", "person_of", "cluster"):
            array = getattr(self, name)
            if array is not None:
                object.__setattr__(self, name, frozen(array, np.int32))
                if array.shape != self.answer.shape:
                    msg = message(
                        "{name} must have one entry for each of {size} targets; got {shape}",
                        name=name,
                        size=self.answer.size,
                        shape=array.shape,
                    )
                    raise InvalidInputError(msg)

    @classmethod
    def unknown(cls, about: About, n_targets: int, person_of: Int32 | None = None) -> Truth:
        """Return a truth without any answer, which only links targets to people."""
        return cls(about, (), np.full(n_targets, UNKNOWN, np.int32), person_of)

    def without_answers(self) -> Truth:
        """Return the same targets with unknown answers."""
        return replace(self, values=(), answer=np.full(self.answer.size, UNKNOWN, np.int32))

    @property
    def is_known(self) -> bool:
        """Whether the right answer is known for any target."""
        return bool((self.answer != UNKNOWN).any())


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with its interval, the number of people behind it, and the source of its uncertainty.

    `value` None is undefined, which is not zero; `why` then holds the reason.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    n: float = 0
    source: Source = "exact"
    why: str = ""

    @classmethod
    def exact(cls, value: float, n: float) -> Estimate:
        """Return a number without uncertainty: all people of the release were attacked, without random draws."""
        return cls(value, value, value, n)

    @classmethod
    def undefined(cls, why: str, n: float = 0) -> Estimate:
        """Return an undefined estimate with its reason."""
        return cls(None, None, None, n, "exact", why)


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """Numbers of people by belief, true value and cluster.

    The judged beliefs and their comparisons (the prior, the control, the best single release) are counted jointly: a
    cell is a combination of their distinct rows. Metrics need nothing else, so a million people with a thousand
    distinct beliefs are judged as fast as a thousand.
    """

    beliefs: Beliefs
    against: Mapping[str, Beliefs]
    row: Mapping[str, Int32]  # "" (the judged beliefs) and names of `against` → (cells,) distinct row
    answer: Int32  # (cells,) index into beliefs.values; `UNKNOWN`, or `OUTSIDE` if not among them
    people: Float64 = field(repr=False)  # (cells,) number of people
    cluster: Int32 | None = None  # (cells,)
    person: Int32 | None = None  # (cells,) if a person can have several rows
    n_left_out: int = 0  # targets that were not attacked
    cell_of: Int32 | None = None  # (targets,) the cell of each target, negative if not attacked; None if unavailable
    _truth: dict[str, Float64] = field(default_factory=dict, init=False, repr=False)  # kept: many metrics read them
    _largest: dict[tuple[str, frozenset[str]], Float64] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def of(cls, beliefs: Beliefs, truth: Truth | None, against: Mapping[str, Beliefs] | None = None) -> Tally:
        """Count people.

        Fails
            With `InvalidInputError` where beliefs, truth and comparisons are not about the same targets.
        """
        others = {name: other.aligned(beliefs.values) for name, other in (against or {}).items()}
        n = beliefs.n_targets
        for name, size in [(message("the truth"), n if truth is None else truth.answer.size)] + [
            (message("beliefs {name}", name=repr(key)), other.n_targets) for key, other in others.items()
        ]:
            if size != n:
                msg = message("{name} must be about the same {n} targets; got {size}", name=name, n=n, size=size)
                raise InvalidInputError(msg)
        attacked = beliefs.row_of >= 0
        for other in others.values():
            attacked &= other.row_of >= 0
        keys = [beliefs.row_of, *(other.row_of for other in others.values())]
        answer = np.full(n, UNKNOWN, np.int32)
        if truth is not None:
            answer = np.append(recode(truth.values, beliefs.values), np.int32(UNKNOWN))[np.maximum(truth.answer, -1)]
        keys.append(answer)
        cluster = None if truth is None else truth.cluster
        person = None if truth is None else truth.person_of
        keys += [extra for extra in (cluster, person) if extra is not None]
        matrix = np.stack([key[attacked] for key in keys], axis=1)
        number, example = distinct_rows(matrix)
        cells = matrix[example]
        cell_of = np.full(n, NOT_ATTACKED, np.int32)
        cell_of[attacked] = number
        weight = None if truth is None or truth.weight is None else truth.weight[attacked]
        if person is not None:  # each person has one vote, divided among their attacked rows
            vote = 1.0 / own_rows(person[attacked])
            weight = vote if weight is None else weight * vote
        extra = len(others) + 2
        return cls(
            beliefs,
            others,
            {name: cells[:, i] for i, name in enumerate(["", *others])},
            cells[:, len(others) + 1],
            np.bincount(number, weights=weight, minlength=example.size).astype(np.float64),
            cells[:, extra] if cluster is not None else None,
            cells[:, -1] if person is not None else None,
            int(n - attacked.sum()),
            cell_of,
        )

    @property
    def n(self) -> float:
        """The number of people attacked (persons, where several targets are one)."""
        return float(self.people.sum()) if self.person is None else float(people_in(self.person, self.person.size))

    @property
    def known(self) -> Bool:
        """Whether the truth of each cell is known, (cells,)."""
        return np.asarray(self.answer != UNKNOWN)

    def blocks(self) -> Iterator[slice]:
        """Yield ranges of cells whose beliefs fit into a dense block."""
        step = max(1, DENSE_CELLS // max(1, len(self.beliefs.values)))
        for first in range(0, self.answer.size, step):
            yield slice(first, min(first + step, self.answer.size))

    def believed(self, block: slice, name: str = "") -> Float64:
        """Return the beliefs of a block of cells, (cells, values), or those of a named comparison."""
        beliefs = self.against[name] if name else self.beliefs
        return beliefs.rows.dense(self.row[name][block])

    def of_truth(self, name: str = "") -> Float64:
        """Return the probability of the true value, (cells,); NaN where the truth is unknown."""
        if name not in self._truth:
            probability, known = np.full(self.answer.size, np.nan), self.known
            if known.any():
                beliefs = self.against[name] if name else self.beliefs
                probability[known] = beliefs.rows.at(self.row[name][known], self.answer[known])
            self._truth[name] = frozen(probability)
        return self._truth[name]

    def largest(self, name: str = "", but: frozenset[str] = frozenset()) -> Float64:
        """Return the largest probability of all values but some, (cells,)."""
        if (name, but) not in self._largest:
            beliefs = self.against[name] if name else self.beliefs
            rows = beliefs.rows
            if but:
                rows = rows.columns_scaled(np.array([value not in but for value in beliefs.values], np.float64))
            self._largest[name, but] = frozen(self.per_row(rows.maxima(), name))
        return self._largest[name, but]

    def per_row(self, number: Float64, name: str = "") -> Float64:
        """Return a number per cell, (cells,), from one per distinct row of the beliefs."""
        return np.asarray(number[self.row[name]])

    def top(self) -> tuple[Float64, Float64]:
        """Return the probability of the most probable answer and its correctness, (cells,), ties split evenly.

        Correctness is NaN where the truth is unknown.
        """
        rows, truth = self.beliefs.rows, self.of_truth()
        best = rows.maxima()
        tied = np.bincount(rows.row[at_least(rows.data, best[rows.row]) & (rows.data > 0)], minlength=rows.n_rows)
        top = self.per_row(best)
        hit = (at_least(truth, top) & (truth > 0)) / self.per_row(np.maximum(tied, 1).astype(np.float64))
        return top, np.where(np.isnan(truth), np.nan, hit)

    def mean(self, number: Float64) -> Estimate:
        """Return the mean over people of a number per cell, (cells,); cells with NaN are excluded."""
        kept = ~np.isnan(number)
        votes = self.votes(kept)
        n = whole(votes)
        if n == 0:
            return Estimate.undefined(
                message("the truth is known for no target") if self.people.sum() else message("no target was attacked")
            )
        return Estimate.exact(float(number[kept] @ votes / n), n)

    def votes(self, kept: Bool) -> Float64:
        """Return the number of people in some cells, (kept cells,), as if a person had no other rows."""
        if self.person is None or kept.all():
            return self.people[kept]
        whole = np.bincount(self.person, self.people)
        part = np.bincount(self.person[kept], self.people[kept], whole.size)
        return self.people[kept] * (whole / np.where(part > 0, part, 1.0))[self.person[kept]]

    def by_person(self, mark: Bool) -> float:
        """Count the people who have a mark in any of their cells."""
        if self.person is None:
            return float(self.people[mark].sum())
        return float(people_in(self.person[mark], int(mark.sum())))


class Metric(Protocol):
    """An algorithm that computes a number from a tally."""

    name: ClassVar[str]
    higher_is_worse: ClassVar[bool]  # worse for the people in the table

    @property
    def threshold(self) -> float | None:
        """The level at which the metric counts, if it has one."""
        ...

    def measure(self, tally: Tally) -> Estimate:
        """Return the estimate; `Estimate.undefined` where there is none."""
        ...


def whole(votes: Float64) -> float:
    """Add up votes: three thirds are one person."""
    return round(float(votes.sum()), 9)


def by_cluster(good: Float64, people: Float64, cluster: Int32) -> tuple[float, float]:
    """Return a 95 % confidence interval for a mean over people who are dependent within clusters.

    Infers
        The sandwich estimator: residuals are summed within a cluster before they are squared, so two people of a group
        who are both right or both wrong count as one observation. Normal quantiles; times G / (G − 1).
    """
    total = people.sum()
    mean = (good * people).sum() / total
    _, number = np.unique(cluster, return_inverse=True)
    residual = np.bincount(number.ravel(), weights=(good - mean) * people)
    groups = residual.size
    if groups < 2:
        return float("-inf"), float("inf")
    error = np.sqrt((residual**2).sum() * groups / (groups - 1)) / total
    half = float(NORMAL_95 * error)
    return float(mean - half), float(mean + half)


def more_often_right(tally: Tally, name: str, source: Source) -> Estimate:
    """Return the difference in accuracy of the most probable answer between the beliefs and a named comparison.

    Paired: the same people. If the tally has clusters, the interval is the sandwich over clusters, with the given
    source; else the number is exact.
    """
    other = replace(tally, beliefs=tally.against[name], row={**tally.row, "": tally.row[name]})
    difference = tally.top()[1] - other.top()[1]
    found = tally.mean(difference)
    if found.value is None or tally.cluster is None:
        return found
    known = ~np.isnan(difference)
    low, high = by_cluster(difference[known], tally.votes(known), tally.cluster[known])
    return replace(found, low=low, high=high, source=source)
