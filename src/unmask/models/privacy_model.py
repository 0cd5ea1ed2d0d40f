"""Protocol PrivacyModel: how safe a group with some sensitive values is.

Most models need no more than that. What a few need besides is a protocol of its own, which only they meet: an order or
a hierarchy of the values (`FitsAttribute`), the people outside the release (`PopulationModel`), an average over all
people (`WholeRelease`), shares of people that are compared (`ComparesShares`), or a limit that is no plain "at least"
or "at most" (`HasOwnLimit`).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np

from unmask.arrays import Bool, Float64, Ragged
from unmask.errors import InfeasibleError
from unmask.numerics.rounding import at_least, at_most
from unmask.schema import Attribute

NARROW = 256
"""Of so many values, all are looked at in every group; of more, only those that occur there."""


class PrivacyModel(Protocol):
    """A condition on groups: scored in batches, measured and enforced by the same method.

    Values are alike, unless the model is bound to an attribute: two that a group lacks may be put together as one.
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
    """What tells a `PrivacyModel` from anything else at run time."""

    def score(self, size: Float64, counts: Float64, overall: Float64) -> Float64:
        """Return the score of each group, (groups,)."""
        ...


@runtime_checkable
class FitsAttribute(Protocol):
    """A model that asks how the values of an attribute lie to each other."""

    def bound(self, attribute: Attribute) -> PrivacyModel:
        """Return the model for this attribute, of the same name and limit."""
        ...


@runtime_checkable
class WholeRelease(Protocol):
    """A model of the release as a whole: `score` says what each person of a group adds, `average` sums it up."""

    def average(self, score: Float64, size: Float64) -> float:
        """Return the one number that the limit is about; NaN where there is nobody."""
        ...


@runtime_checkable
class PopulationModel(Protocol):
    """A model that asks how many people of the population look like a group."""

    name: ClassVar[str]
    higher_is_safer: ClassVar[bool]
    needs_values: ClassVar[bool]  # False: the sizes of groups decide

    @property
    def limit(self) -> float:
        """The score that a group must reach, or must not pass."""
        ...

    def score_among(self, size: Float64, population: Float64) -> Float64:
        """Return the score of each group, (groups,), of `size` people out of those of the `population` who fit it.

        A group of nobody stands for the people of the population who fit no group.
        """
        ...


@runtime_checkable
class Parametrized(Protocol):
    """A model with parameters beside its limit: its scores say nothing without them."""

    parameters: ClassVar[tuple[str, ...]]  # names of fields


@runtime_checkable
class WordsLimit(Protocol):
    """A model whose limit and direction need words of its own."""

    @property
    def limit_text(self) -> str:
        """The limit and its direction in words."""
        ...


@runtime_checkable
class HasOwnLimit(Protocol):
    """A model whose limit is no plain "at least" or "at most"."""

    def holds(self, score: Float64) -> Bool:
        """Say for each score whether it is within the limit; an undefined one (NaN) never is."""
        ...


@runtime_checkable
class ComparesShares(Protocol):
    """A model that compares how likely each value is in a group with how likely it is in the whole table.

    Where somebody may have several values, the shares of people who have each add up to more than 1.
    """

    def score_shares(self, share: Float64, everywhere: Float64) -> Float64:
        """Return the score of each group, (groups,), from shares of people, (groups, values) and (values,)."""
        ...


@runtime_checkable
class SafeTogether(Protocol):
    """A model that is met by groups put together if it is met by each: where cuts are made, none was unsafe above.

    So are limits on convex functions of a group's shares of values (its largest share, its distance from the table)
    and on concave ones from below (entropy), and on what only grows (size, different values).
    """

    unites: ClassVar[bool]


AnyModel = PrivacyModel | PopulationModel


@runtime_checkable
class ClaimsModels(Protocol):
    """A sanitizer that claims privacy models of each of its releases: `measure --require` finds them met."""

    @property
    def claims(self) -> tuple[AnyModel, ...]:
        """The models, each with its limit and parameters."""
        ...


def holds(model: AnyModel, score: Float64) -> Bool:
    """Say for each group whether its score is within the model's limit; an undefined score (NaN) never is."""
    if isinstance(model, HasOwnLimit):
        return model.holds(score)
    return at_least(score, model.limit) if model.higher_is_safer else at_most(score, model.limit)


def unites(model: AnyModel) -> bool:
    """Say whether groups that each meet the model meet it together."""
    return isinstance(model, SafeTogether) and model.unites


def all_hold(
    models: Sequence[PrivacyModel], size: Float64, counts: Sequence[Float64], overall: Sequence[Float64]
) -> Bool:
    """Say for each group whether it meets all models, for every sensitive attribute, (groups,)."""
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
    """Return the score of each group, (groups,), where somebody may have several values.

    `known` (groups,) counts people of whom some value is known, `counts` (groups, values) those who have each value,
    somebody with several once in each; `everybody` and `overall` (values,) the same in the whole table. Never safer
    than if one of each person's values were chosen, however it is chosen; with one value each, what `score` returns.
    """
    if isinstance(model, ComparesShares):
        share = np.divide(counts, known[:, None], out=np.full(counts.shape, np.nan), where=known[:, None] > 0)
        return np.where(known > 0, model.score_shares(share, overall / max(n_known, 1.0)), np.nan)
    whole = least_diverse(overall[None, :], np.array([n_known]))[0]
    return model.score(size, least_diverse(counts, known), whole)


def dense_blocks(
    counts: Ragged, overall: Float64, cells: int, *, merged: bool
) -> Iterator[tuple[slice, Float64, Float64]]:
    """Yield runs of groups, how often each value occurs in each, (groups, values), and in the whole table, (values,).

    With `merged`, the values that no group of a run has are put together as one value. For models that are bound to no
    attribute that changes nothing, and without it the work would be groups × values, however few values a group has.
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
    """Return a model's average over `total` people, some of whom may be in several groups; None: nobody is.

    Who is in several groups is not known, so the worst memberships are taken, one a person: no less than if everybody
    counted by the worst of their groups, and no more than the worst group of all.
    """
    if total is None or not 0 < total < size.sum():
        return model.average(score, size)
    worst = np.argsort(-score, kind="stable")
    members = size[worst]
    counted = np.clip(total - (np.cumsum(members) - members), 0.0, members)
    return model.average(score[worst][counted > 0], counted[counted > 0])


def least_diverse(counts: Float64, known: Float64) -> Float64:
    """Return how often each value would occur, (groups, values), if people had one each, as few values as possible.

    The most frequent value is given to all who have it, the next to as many as are left, and so on. Every other choice
    of one value a person is at least as diverse: no k values belong to more people, whatever k.
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
    """Return the model for one attribute: itself, unless it asks how the attribute's values lie to each other."""
    return model.bound(attribute) if isinstance(model, FitsAttribute) else model


def least_size(model: PrivacyModel) -> int:
    """Return the size from which on groups meet a model that looks at sizes alone.

    Fails
        With `InfeasibleError` where no size is enough.
    """

    def enough(size: int) -> bool:
        return bool(holds(model, model.score(np.array([float(size)]), np.zeros((1, 0)), np.zeros(0)))[0])

    high = 1
    while not enough(high):
        high *= 2
        if high > 1 << 50:
            msg = f"{model.name} must have a limit that some size of group meets; got {model.limit:g}. Relax it"
            raise InfeasibleError(msg)
    low = high // 2  # too small, or 0
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def settings(model: Any) -> dict[str, float | str]:  # noqa: ANN401 - of either protocol
    """Return a model as it is written: its name with its number or numbers, and its other settings."""
    values = {field.name: getattr(model, field.name) for field in dataclasses.fields(model)}
    numbers = [value for value in values.values() if isinstance(value, (int, float))]
    limits = numbers[0] if len(numbers) == 1 else ",".join(f"{number:g}" for number in numbers)
    words = {name.replace("_", "-"): value for name, value in values.items() if isinstance(value, str)}
    return {model.name: limits, **words}


def parameters(model: AnyModel) -> dict[str, float | str]:
    """Return the parameters without which a model's score says nothing: the distance of t, the l of recursive (c,l)."""
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
    return f"at {'least' if model.higher_is_safer else 'most'} {model.limit:g}"


def shares(counts: Float64) -> Float64:
    """Return the share of each value among the known ones of its group, (groups, values); NaN where none is known."""
    total = counts.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(counts, total, out=np.full(counts.shape, np.nan), where=total > 0))


def distribution(overall: Float64) -> Float64:
    """Return the share of each value in the whole table, (values,); all 0 where there is nobody."""
    return np.asarray(overall / max(overall.sum(), 1.0))


def risk_meant(limit: float) -> float:
    """Return the largest re-identification risk that a limit means: 0.09 is how regulators write 1/11.

    A limit that is 1/k written with two decimals means 1/k, for k the nearest whole number; any other means itself.
    """
    nearest = 1 / round(1 / limit)
    return max(limit, nearest) if abs(nearest - limit) <= 0.005 + 1e-12 else limit
