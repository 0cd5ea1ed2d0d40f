"""Harm weights: the publisher's rating of the harm of linking a value to its person."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from unmask.errors import InvalidInputError
from unmask.wording import message

Form = Literal["additive", "multiplicative"]


@dataclass(frozen=True)
class JointWeight:
    """The additional weight of disclosing some attributes together."""

    attributes: frozenset[str]
    weight: float


@dataclass(frozen=True)
class Weights:
    """Weights by attribute, value and person; infinity is "never".

    The weight of a value is that of the person for the attribute, else that of the value, else that of the attribute,
    else `default`; unless it is the person's own, it is multiplied by the person's factor. A factor of 0 makes even an
    infinite weight 0.

    Fails
        With `InvalidInputError` for a weight that is negative or no number, and for fewer than two attributes together.
    """

    attributes: Mapping[str, float] = field(default_factory=dict)
    default: float | None = None  # of attributes that are not listed; None: all must be
    values: Mapping[str, Mapping[str, float]] = field(default_factory=dict)  # attribute → value → weight
    factors: Mapping[str, float] = field(default_factory=dict)  # person → factor of all weights
    people: Mapping[str, Mapping[str, float]] = field(default_factory=dict)  # person → attribute → weight
    together: tuple[JointWeight, ...] = ()
    form: Form = "additive"
    constant: float = 0.0  # harm of identification, whatever is disclosed
    wrong: float = 0.0  # harm of a wrong identification

    def __post_init__(self) -> None:
        numbers: list[tuple[str, float]] = [
            (message("the weight of {name}", name=repr(name)), weight) for name, weight in self.attributes.items()
        ]
        numbers += [
            (message("a weight of values of {name}", name=repr(name)), weight)
            for name, weights in self.values.items()
            for weight in weights.values()
        ]
        numbers += [(message("the factor of a person"), factor) for factor in self.factors.values()]
        numbers += [
            (message("a person's weight of {name}", name=repr(name)), weight)
            for weights in self.people.values()
            for name, weight in weights.items()
        ]
        numbers += [
            (message("the weight of {name}", name=", ".join(sorted(one.attributes))), one.weight)
            for one in self.together
        ]
        numbers += [("constant", self.constant), ("wrong", self.wrong)]
        numbers += [] if self.default is None else [("default", self.default)]
        for what, number in numbers:
            if not number >= 0:
                msg = message(
                    '{what} must be a number of at least 0, or "never"; got {number}', what=what, number=number
                )
                raise InvalidInputError(msg)
        for one in self.together:
            if len(one.attributes) < 2:
                msg = message(
                    "attributes that weigh together must be at least two; got {attributes}. Give a single one its "
                    "weight under attributes",
                    attributes=", ".join(one.attributes) or message("none"),
                )
                raise InvalidInputError(msg)

    @property
    def named(self) -> tuple[str, ...]:
        """The attributes with a weight, each once."""
        names = [*self.attributes, *self.values, *(name for of in self.people.values() for name in of)]
        return tuple(dict.fromkeys([*names, *(name for one in self.together for name in sorted(one.attributes))]))
