"""The closing rule of greedy grouping, used by the sanitizer and by the minimality attack."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

from unmask.errors import InvalidInputError
from unmask.wording import message

Coin = Literal["prefix", "group"]
Tail = Literal["closed", "merged", "hidden"]


@dataclass(frozen=True, slots=True)
class GreedyRule:
    """The closing rule: a group ends at the first prefix with enough people and no value too frequent, or by a coin.

    With `positive`, only that value is bounded, and a group without it is safe; else each value has at most a share
    1/l. Without a coin (`p` = 0) every group ends at its first such prefix. A coin per `prefix` continues the group
    with probability p at each of them; a coin per `group` joins a finished minimal group to the next one with
    probability p.

    Fails
        With `InvalidInputError` for an l or a minimum below 1, or a p outside of [0, 1].

    References
    ----------
    Cormode, Li, Li, Srivastava. Minimizing minimality and maximizing utility: analyzing method-based attacks on
    anonymized data. VLDB 2010.
    """

    l: int
    minimum: int  # people
    positive: str | None = None  # the value that is bounded; None: every value
    p: float = 0.0
    coin: Coin = "prefix"

    def __post_init__(self) -> None:
        for name, number in (("l", self.l), ("minimum", self.minimum)):
            if not (number >= 1 and float(number).is_integer()):
                msg = message("{name} must be a whole number of at least 1; got {number}", name=name, number=number)
                raise InvalidInputError(msg)
        if not 0 <= self.p <= 1:
            msg = message("p must be a probability between 0 and 1; got {p}", p=self.p)
            raise InvalidInputError(msg)
        if self.coin not in {"prefix", "group"}:
            raise InvalidInputError.unknown_name("coin", self.coin, ("prefix", "group"))

    def publishable(self, n: int, largest: int) -> bool:
        """Whether n people may be a group, if `largest` of them have its most frequent bounded value."""
        return n >= self.minimum and largest * self.l <= n

    def parameters(self) -> Iterator[tuple[str, Any]]:
        """Yield the parameters as a release publishes them; `of` parses them."""
        yield "l", self.l
        yield "minimum", self.minimum
        if self.positive is not None:
            yield "positive", self.positive
        if self.p:
            yield "p", self.p
            yield "coin", self.coin

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> GreedyRule:
        """Return the rule with the parameters that a release publishes; the minimum is l by default.

        Fails
            With `InvalidInputError` where l is missing, or a parameter is invalid.
        """
        if "l" not in parameters:
            msg = message(
                "the parameters of greedy grouping must include l; got none. Write l under made_by in release.json"
            )
            raise InvalidInputError(msg)
        level = _whole("l", parameters["l"])
        positive = parameters.get("positive")
        return cls(
            level,
            _whole("minimum", parameters.get("minimum", level)),
            None if positive is None else str(positive),
            _number(parameters.get("p", 0.0), message("p must be a probability between 0 and 1")),
            cast("Coin", str(parameters.get("coin", "prefix"))),
        )


def _whole(name: str, value: object) -> int:
    must = message("{name} must be a whole number of at least 1", name=name)
    number = _number(value, must)
    if not number.is_integer():
        raise _misread(must, value)
    return int(number)


def _number(value: Any, must: str) -> float:  # noqa: ANN401 - whatever a file may hold
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise _misread(must, value) from None


def _misread(must: str, value: object) -> InvalidInputError:
    return InvalidInputError(
        message("{must}; got {value}. Correct it under made_by in release.json", must=must, value=repr(value))
    )
