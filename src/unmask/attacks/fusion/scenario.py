"""Attack scenario: the attacker's reward for exact, nearer, wrong and no guesses, and the weight of each person."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from unmask.arrays import Bool, Float64
from unmask.errors import InvalidInputError
from unmask.number_format import numeral
from unmask.table import Table
from unmask.wording import message


@dataclass(frozen=True)
class Scenario:
    """Rewards of guesses, and weights of people.

    `exact` rewards the true value; `nearer` rewards a set that contains it and is a proper part of the row's cell, or a
    number nearer to it than the published one; `wrong` is for any other guess and `silent` for none: penalties are
    negative. None switches a reward off. `closer` is the required improvement in percent: it limits the distance of a
    number, or the size of a set, relative to the published one.

    Fails
        With `InvalidInputError` if both rewards are None, or the truth does not have the highest reward.
    """

    exact: float | None = None
    nearer: float | None = None
    wrong: float = 0.0
    silent: float = 0.0
    closer: float = 0.0
    interest: Mapping[str, Mapping[str, float]] = field(default_factory=dict)  # column → value → weight
    otherwise: float = 1.0  # the weight of people without any such value

    def __post_init__(self) -> None:
        worth = [one for one in (self.exact, self.nearer) if one is not None]
        if not np.isfinite([*worth, self.wrong, self.silent]).all():
            raise InvalidInputError(message("guesses must be worth a finite number each; got another"))
        if not worth:
            raise InvalidInputError(
                message("a scenario must ask for something; got neither exact nor nearer. Set one of them")
            )
        if sorted(worth, reverse=True) != worth or worth[-1] < max(self.wrong, self.silent):
            msg = message(
                "guesses must be worth the more the better they are: exact, then nearer, then wrong and silent"
            )
            raise InvalidInputError(msg)
        if not 0 <= self.closer < 100:
            raise InvalidInputError(
                message("closer must lie between 0 and 100 percent; got {closer}", closer=numeral(self.closer, "g"))
            )
        weights = [self.otherwise, *(weight for values in self.interest.values() for weight in values.values())]
        if not all(0 <= weight < np.inf for weight in weights):
            raise InvalidInputError(message("weights of interest must be finite numbers of at least 0; got others"))

    @property
    def most(self) -> float:
        """The reward of the truth."""
        return self.nearer or 0.0 if self.exact is None else self.exact

    def worth(self, exact: Bool, nearer: Bool, spoke: Bool) -> Float64:
        """Return the reward of each guess, by its properties."""
        result = np.where(spoke, self.wrong, self.silent)
        if self.nearer is not None:
            result = np.where(nearer, self.nearer, result)
        if self.exact is not None:
            result = np.where(exact, self.exact, result)
        return np.asarray(result, np.float64)

    def weights(self, people: Table) -> Float64:
        """Return the weight of each person, (rows,): the product of the weights of the person's values."""
        result, weighted = np.ones(people.n_rows), np.zeros(people.n_rows, bool)
        for name, weight_of in self.interest.items():
            attribute, column = people.schema[name], people[name]
            if attribute.is_numeric:
                _require_distinct(name, weight_of)
            for value, weight in weight_of.items():
                if attribute.is_numeric:
                    here = column == _number(name, value)
                    if not here.any():
                        msg = message(
                            "value of {name} must be a number of the column; got {value}. Leave it out",
                            name=name,
                            value=repr(value),
                        )
                        raise InvalidInputError(msg)
                elif value not in attribute.values:
                    raise InvalidInputError.unknown_name(message("value of {name}", name=name), value, attribute.values)
                else:
                    here = column == attribute.values.index(value)
                result[here] *= weight
                weighted |= here
        return np.where(weighted, result, self.otherwise)


def _require_distinct(column: str, values: Iterable[str]) -> None:
    """Raise an error if one number is written in two ways: its weights would be multiplied."""
    first: dict[float, str] = {}
    for value in values:
        other = first.setdefault(_number(column, value), value)
        if other != value:
            msg = message(
                "values of {column} must be different numbers; got {other} and {value}. Keep one of them",
                column=column,
                other=repr(other),
                value=repr(value),
            )
            raise InvalidInputError(msg)


def _number(column: str, value: str) -> float:
    try:
        return float(value)
    except ValueError:
        raise InvalidInputError(
            message(
                "value of {column} must be a number, since its values are; got {value}",
                column=column,
                value=repr(value),
            )
        ) from None


PARTIAL = Scenario(nearer=1.0)
"""Any disclosure counts, for all people alike: scenario A of the paper on fusion."""

EXACT = Scenario(exact=1.0)
"""Only the true value counts, for all people alike: its scenario B."""
