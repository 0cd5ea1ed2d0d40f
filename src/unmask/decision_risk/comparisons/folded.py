"""Folded comparison: equal text without case and accents."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import ClassVar

from unmask.decision_risk.comparison import DistinctValues


def folded(text: str) -> str:
    """Return a text in lower case, without accents, with single blanks: `José  DÍAZ` and `jose diaz` become one."""
    apart = unicodedata.normalize("NFKD", text.casefold())
    return " ".join("".join(letter for letter in apart if not unicodedata.combining(letter)).split())


@dataclass(frozen=True)
class Folded:
    """Match if both values are equal up to case, accents and the number of blanks.

    Letters that are no accented form of another (ø, ł) are unchanged.
    """

    name: ClassVar[str] = "folded"

    def key(self, values: DistinctValues) -> list[str]:
        """Return the values folded."""
        return [folded(label) for label in values.labels]
