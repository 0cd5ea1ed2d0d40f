"""Prefix comparison: equal beginnings, for example of postal codes or classification codes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from unmask.decision_risk.comparison import DistinctValues
from unmask.errors import InvalidInputError
from unmask.wording import message


@dataclass(frozen=True)
class Prefix:
    """Match if the first `length` characters of both values are equal.

    Fails
        With `InvalidInputError` for a length below 1.
    """

    name: ClassVar[str] = "prefix"
    length: int = 3  # characters

    def __post_init__(self) -> None:
        if self.length < 1:
            msg = message("the length of a prefix must be at least 1; got {length}", length=self.length)
            raise InvalidInputError(msg)

    def key(self, values: DistinctValues) -> list[str]:
        """Return the beginnings of the values."""
        return [label[: self.length] for label in values.labels]
