"""Protocol PrivacyModel: the score of a group with its sensitive values.

Most models need no more. The further needs of a few are separate protocols: an order or a hierarchy of the values
(`FitsAttribute`), the people outside the release (`PopulationModel`), an average over all people (`WholeRelease`), a
comparison of shares of people (`ComparesShares`), or a limit other than "at least" or "at most" (`HasOwnLimit`).
Over 300 lines: the protocols and the functions that dispatch on them belong together.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np

from unmask.arrays import Bool, Float64, Ragged
from unmask.errors import InfeasibleError
from unmask.number_format import numeral
from unmask.numerics.rounding import at_least, at_most
from unmask.schema import Attribute
from unmask.wording import Message, message

NARROW = 256
"""With at most this many values, a group is scored on all of them; with more, only on those that occur there."""


class PrivacyModel(Protocol):
    """A condition on groups: scored in batches, measured and enforced by the same method.

    Values are interchangeable unless the model is bound to an attribute: values absent from a group may be merged.
    """

    name: ClassVar[str]
    higher_is_safer: ClassVar[bool]
    needs_values: ClassVar[bool]  # False: the sizes of groups decide

    @property
    def limit(self) -> float:
        """The score that a group must reach, or must not pass."""
        ...

    def score(self, size: Float64, counts: Float64, overall: Float64) -> Float64:
        """Return the score of each group, (groups,).

        `size` (groups,) counts people; `counts` (groups, values) the values of one sensitive attribute in each group;
        `overall` (values,) the same in the whole table.
        """
        ...


@runtime_checkable
class ScoresGroups(Protocol):
    """The run-time check for a `PrivacyModel`."""

    def score(self, size: Float64, counts: Float64, overall: Float64) -> Float64:
        """Return the score of each group, (groups,)."""
        ...


@runtime_checkable
class FitsAttribute(Protocol):
    """A model that uses an order of or distances between the values of an attribute."""

    def bound(self, attribute: Attribute) -> PrivacyModel:
        """Return the model for this attribute, of the same name and limit."""
        ...


@runtime_checkable
class WholeRelease(Protocol):
    """A model of the release as a whole: `score` is the contribution of each person of a group, `average` the mean."""

    def average(self, score: Float64, size: Float64) -> float:
        """Return the number that the limit applies to; NaN without people."""
        ...


@runtime_checkable
class PopulationModel(Protocol):
    """A model that uses the number of people of the population who fit a group."""

    name: ClassVar[str]
    higher_is_safer: ClassVar[bool]
    needs_values: ClassVar[bool]  # False: the sizes of groups decide

    @property
    def limit(self) -> float:
        """The score that a group must reach, or must not pass."""
        ...

    def score_among(self, size: Float64, population: Float64) -> Float64:
        """Return the score of each group, (groups,), of `size` people out of those of the `population` who fit it.

        An empty group stands for the people of the population who fit no group.
        """
        ...


@runtime_checkable
class Parametrized(Protocol):
    """A model with parameters besides its limit, which its scores depend on."""

    parameters: ClassVar[tuple[str, ...]]  # names of fields


@runtime_checkable
class WordsLimit(Protocol):
    """A model whose limit and direction need a text of their own."""

    @property
    def limit_text(self) -> str:
        """The limit and its direction in words."""
        ...


@runtime_checkable
class HasOwnLimit(Protocol):
    """A model whose limit is neither "at least" nor "at most"."""

    def holds(self, score: Float64) -> Bool:
        """Return whether each score is within the limit; an undefined one (NaN) never is."""
        ...


@runtime_checkable
class ComparesShares(Protocol):
    """A model that compares the share of each value in a group and in the whole table.

    Where people may have several values, the shares of people with each sum to more than 1.
    """

    def score_shares(self, share: Float64, everywhere: Float64) -> Float64:
        """Return the score of each group, (groups,), from shares of people, (groups, values) and (values,)."""
        ...


@runtime_checkable
class SafeTogether(Protocol):
    """A model that holds for the union of groups if it holds for each group.

    Examples are upper limits on convex functions of a group's shares (its largest share, its distance from the table),
    lower limits on concave ones (entropy), and lower limits on monotone quantities (size, different values).
    """

    unites: ClassVar[bool]


AnyModel = PrivacyModel | PopulationModel


@runtime_checkable
class ClaimsModels(Protocol):
    """A sanitizer whose releases all satisfy the claimed privacy models, as `measure --require` confirms."""

    @property
    def claims(self) -> tuple[AnyModel, ...]:
        """The models, each with its limit and parameters."""
        ...


def holds(model: AnyModel, score: Float64) -> Bool:
    """Return whether the score of each group is within the model's limit; an undefined score (NaN) never is."""
    if isinstance(model, HasOwnLimit):
        return model.holds(score)
    return at_least(score, model.limit) if model.higher_is_safer else at_most(score, model.limit)


def unites(model: AnyModel) -> bool:
    """Whether the union of groups that each meet the model meets it."""
    return isinstance(model, SafeTogether) and model.unites


def all_hold(
    models: Sequence[PrivacyModel], size: Float64, counts: Sequence[Float64], overall: Sequence[Float64]
) -> Bool:
    """Return whether each group, (groups,), meets all models for every sensitive attribute."""
    safe = np.ones(size.shape, bool)
    for model in models:
        if not model.needs_values:
            safe &= holds(model, model.score(size, np.zeros((size.size, 0)), np.zeros(0)))
            continue
        for ours, everywhere in zip(counts, overall, strict=True):
            safe &= holds(model, model.score(size, ours, everywhere))
    return safe


def score_people(
    model: PrivacyModel, size: Float64, known: Float64, counts: Float64, n_known: float, overall: Float64
) -> Float64:
    """Return the score of each group, (groups,), where people may have several values.

    `known` (groups,) counts people with a known value, `counts` (groups, values) those with each value, a person with
    several once in each; `n_known` and `overall` (values,) are the same in the whole table. Never safer than after any
    choice of one value for each person; with one value each, what `score` returns.
    """
    if isinstance(model, ComparesShares):
        share = np.divide(counts, known[:, None], out=np.full(counts.shape, np.nan), where=known[:, None] > 0)
        return np.where(known > 0, model.score_shares(share, overall / max(n_known, 1.0)), np.nan)
    whole = least_diverse(overall[None, :], np.array([n_known]))[0]
    return model.score(size, least_diverse(counts, known), whole)


def nothing_to_count(model: PrivacyModel, column: str) -> Message:
    """Return the error of a model of values on a column without any."""
    return message(
        "{model} must have values to count; column {column} has none. Leave out the model, or the column",
        model=model.name, column=repr(column),
    )  # fmt: skip


def dense_blocks(
    counts: Ragged, overall: Float64, cells: int, *, merged: bool
) -> Iterator[tuple[slice, Float64, Float64]]:
    """Yield runs of groups, the counts of values in each, (groups, values), and in the whole table, (values,).

    With `merged`, the values absent from all groups of a run become one value. For models not bound to an attribute
    this changes nothing; without it the work would be groups × values, however few values a group has.
    """
    if not merged or counts.n_columns <= NARROW:
        step = max(1, cells // max(1, counts.n_columns))
        for first in range(0, counts.n_rows, step):
            part = slice(first, min(first + step, counts.n_rows))
            yield part, counts.dense(part), overall
        return
    for part in counts.compact_blocks(cells):
        here, columns = counts.compact(part)
        yield part, np.pad(here, ((0, 0), (0, 1))), np.append(overall[columns], np.delete(overall, columns).sum())


def average_of_people(model: WholeRelease, score: Float64, size: Float64, total: float | None) -> float:
    """Return a model's average over `total` people, some of them in several groups; None: none is.

    Who is in several groups is not known, so the worst memberships count, one for each person: the result lies between
    the average over each person's worst group and the worst group of all.
    """
    if total is None or not 0 < total < size.sum():
        return model.average(score, size)
    worst = np.argsort(-score, kind="stable")
    members = size[worst]
    counted = np.clip(total - (np.cumsum(members) - members), 0.0, members)
    return model.average(score[worst][counted > 0], counted[counted > 0])


def least_diverse(counts: Float64, known: Float64) -> Float64:
    """Return the least diverse counts, (groups, values), with one value for each person.

    The most frequent value goes to all who have it, the next to as many as remain, and so on. Every other choice of one
    value for each person is at least as diverse: for no k do any k values belong to more people.
    """
    if not (counts.sum(axis=1) > known).any():
        return counts
    order = np.argsort(-counts, axis=1, kind="stable")
    falling = np.take_along_axis(counts, order, axis=1)
    left = known[:, None] - (np.cumsum(falling, axis=1) - falling)
    result = np.zeros(counts.shape)
    np.put_along_axis(result, order, np.clip(left, 0.0, falling), axis=1)
    return result


def bound(model: PrivacyModel, attribute: Attribute) -> PrivacyModel:
    """Return the model for one attribute: unchanged, unless it uses an order of or distances between values."""
    return model.bound(attribute) if isinstance(model, FitsAttribute) else model


def least_size(model: PrivacyModel) -> int:
    """Return the least size of a group that meets a model of sizes alone.

    Fails
        With `InfeasibleError` where no size is enough.
    """

    def enough(size: int) -> bool:
        return bool(holds(model, model.score(np.array([float(size)]), np.zeros((1, 0)), np.zeros(0)))[0])

    high = 1
    while not enough(high):
        high *= 2
        if high > 1 << 50:
            msg = message(
                "{model} must have a limit that some size of group meets; got {limit}. Relax it",
                model=model.name,
                limit=numeral(model.limit, "g"),
            )
            raise InfeasibleError(msg)
    low = high // 2  # too small, or 0
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def settings(model: Any) -> dict[str, float | str]:  # noqa: ANN401 - of either protocol
    """Return a model as parameters: its name with its number or numbers, and its other parameters."""
    values = {field.name: getattr(model, field.name) for field in dataclasses.fields(model)}
    numbers = [value for value in values.values() if isinstance(value, (int, float))]
    limits = numbers[0] if len(numbers) == 1 else ",".join(f"{number:g}" for number in numbers)
    words = {name.replace("_", "-"): value for name, value in values.items() if isinstance(value, str)}
    return {model.name: limits, **words}


def parameters(model: AnyModel) -> dict[str, float | str]:
    """Return the parameters that a model's score depends on: the distance of t, the l of recursive (c,l)."""
    names = model.parameters if isinstance(model, Parametrized) else ()
    return {name: getattr(model, name) for name in names}


def titled(model: AnyModel) -> str:
    """Return a model's name with its parameters: `t (hierarchical)`, `recursive-cl (l=3)`."""
    words = [value if isinstance(value, str) else f"{name}={value:g}" for name, value in parameters(model).items()]
    return f"{model.name} ({', '.join(words)})" if words else model.name


def limit_text(model: AnyModel) -> str:
    """Return a model's limit and its direction in words: `at least 5`."""
    if isinstance(model, WordsLimit):
        return model.limit_text
    limit = numeral(model.limit, "g")
    return (
        message("at least {limit}", limit=limit) if model.higher_is_safer else message("at most {limit}", limit=limit)
    )


def shares(counts: Float64) -> Float64:
    """Return the share of each value among the known ones of its group, (groups, values); NaN where none is known."""
    total = counts.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(counts, total, out=np.full(counts.shape, np.nan), where=total > 0))


def distribution(overall: Float64) -> Float64:
    """Return the share of each value in the whole table, (values,); all 0 without people."""
    return np.asarray(overall / max(overall.sum(), 1.0))


def risk_meant(limit: float) -> float:
    """Return the largest re-identification risk that satisfies a limit: regulators write 1/11 as 0.09.

    A limit that is 1/k rounded to two decimals means 1/k, for k the nearest whole number; any other is taken as is.
    """
    nearest = 1 / round(1 / limit)
    return max(limit, nearest) if abs(nearest - limit) <= 0.005 + 1e-12 else limit
