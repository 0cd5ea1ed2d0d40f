"""Protocol Guarantee: what theory promises of a release."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

from unmask.beliefs import About
from unmask.release import Release


@dataclass(frozen=True, slots=True)
class Promise:
    """A limit that a guarantee puts on a measured number, and what it assumes."""

    guarantee: str
    metric: str
    limit: float
    assumes: str
    vacuous: bool = False


class Guarantee(Protocol):
    """Something that reads a promise off releases."""

    name: ClassVar[str]

    def promises(self, releases: Sequence[Release], about: About) -> Promise | None:
        """Return what is promised about this question, or None where nothing is."""
        ...
