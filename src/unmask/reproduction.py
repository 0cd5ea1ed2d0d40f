"""Study results: a paper's figures beside those of the same experiment here, and the study protocol."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from pathlib import Path
from typing import ClassVar, Protocol, TypeAlias

import numpy as np
import scipy

from unmask.arrays import Float64
from unmask.errors import InvalidInputError
from unmask.wording import joined, marked, message

FOLDER = "UNMASK_DATA"
"""The environment variable with the folder of data that is not bundled."""


def place(folder: str) -> Path:
    """Return the given folder, else that of the environment variable."""
    return Path(folder or os.environ.get(FOLDER, ""))


Range: TypeAlias = tuple[float, float]

PERCENT: Range = (0.0, 100.0)
"""The range of a share in percent."""

UNKNOWN = message("the cause is unknown")
"""The cause of a difference that no test explains."""


class Reproduction(StrEnum):
    """The result of comparing a figure of the paper with ours."""

    REPRODUCED = marked("reproduced")
    DIFFERS = marked("differs")
    NOT_DECIDED = marked("not decided")  # our own number is too uncertain to differ
    ARITHMETIC = marked("arithmetic")  # true by definition or theorem, whatever the data: no reproduction
    NOT_COMPARABLE = marked("not comparable")  # the paper has no such number, or one of something else


@dataclass(frozen=True, slots=True)
class Figure:
    """One number or claim of a paper, and ours.

    `low` to `high` is the 95 % prediction range for the paper's number: our own variance plus the error of the paper's
    sample; None without one, as of two runs. `paper` is a printed number, a claim of the text, or None: claims are
    quotations, and are never translated. The comparing methods take the cause of a possible difference as `cause`, and
    drop it if nothing differs.
    """

    id: str
    says: str  # description
    paper: float | str | None
    ours: float | None
    low: float | None
    high: float | None
    verdict: Reproduction
    note: str = ""

    def __post_init__(self) -> None:
        if self.verdict is Reproduction.DIFFERS and not self.note:
            msg = message(
                "figure {id} differs: its note must name the cause that was tested, or say that none is known",
                id=repr(self.id),
            )
            raise InvalidInputError(msg)
        if self.verdict is not Reproduction.DIFFERS and UNKNOWN in self.note.lower():
            msg = message(
                "figure {id} does not differ: its note must name no cause. Pass it as cause", id=repr(self.id)
            )
            raise InvalidInputError(msg)
        for end in ("low", "high"):
            limit = getattr(self, end)
            if limit is not None and not np.isfinite(limit):
                object.__setattr__(self, end, None)

    @classmethod
    def exact(cls, key: str, says: str, ours: Fraction | float, printed: str | None, note: str = "") -> Figure:
        """Compare a number without uncertainty with a printed one, within its rounding; fractions exactly."""
        value = float(ours)
        if printed is None:
            return cls(key, says, None, value, value, value, Reproduction.NOT_COMPARABLE, note)
        theirs = float(Fraction(printed))
        digits = len(printed.partition(".")[2])
        same = abs(value - theirs) < 1e-9 if "/" in printed else abs(value - theirs) <= 0.5 * 10**-digits + 1e-9
        return cls(
            key, says, theirs, value, value, value, Reproduction.REPRODUCED if same else Reproduction.DIFFERS, note
        )

    @classmethod
    def ranged(
        cls,
        key: str,
        says: str,
        ours: float,
        around: tuple[float, float],
        paper: float | None,
        note: str = "",
        *,
        cause: str = "",
        within: Range | None = None,
    ) -> Figure:
        """Compare a printed number with its prediction range; `within` is the range that such a number can have.

        A range wider than half of what is possible decides nothing.
        """
        low, high = _clipped(around, within)
        if paper is None:
            return cls(key, says, None, ours, low, high, Reproduction.NOT_COMPARABLE, note)
        if not low <= paper <= high:
            return cls(key, says, paper, ours, low, high, Reproduction.DIFFERS, _explained(note, cause))
        verdict = Reproduction.REPRODUCED if _is_narrow((low, high), within) else Reproduction.NOT_DECIDED
        return cls(key, says, paper, ours, low, high, verdict, note)

    @classmethod
    def claim(
        cls,
        key: str,
        claim: str,
        ours: float,
        around: tuple[float, float] | None,
        *,
        holds: bool,
        note: str = "",
        cause: str = "",
        within: Range | None = None,
        is_arithmetic: bool = False,
    ) -> Figure:
        """Compare a claim of the paper with our number for it, which has a value `within` a range.

        A claim that is true by definition or theorem is arithmetic; one that fails here differs all the same.
        """
        low, high = _clipped(around or (ours, ours), within)
        if not _is_narrow((low, high), within):
            return cls(key, note, claim, ours, low, high, Reproduction.NOT_DECIDED, note)
        if not holds:
            return cls(key, note, claim, ours, low, high, Reproduction.DIFFERS, _explained(note, cause))
        verdict = Reproduction.ARITHMETIC if is_arithmetic else Reproduction.REPRODUCED
        return cls(key, note, claim, ours, low, high, verdict, note)

    @property
    def by_chance(self) -> bool:
        """Whether the printed number is outside its range by chance at a rate of one in twenty."""
        has_range = self.low is not None and self.high is not None and self.low < self.high
        return has_range and isinstance(self.paper, float | int) and self.verdict in _COMPARED


_COMPARED = (Reproduction.REPRODUCED, Reproduction.DIFFERS)


def _clipped(around: Range, within: Range | None) -> Range:
    """Return a range without what is not possible."""
    if within is None:
        return around
    return max(around[0], within[0]), min(around[1], within[1])


def _is_narrow(around: Range, within: Range | None) -> bool:
    """Whether a range is finite, and no wider than half of what is possible."""
    width = around[1] - around[0]
    return bool(np.isfinite(width)) and (within is None or width <= (within[1] - within[0]) / 2)


def _explained(note: str, cause: str) -> str:
    """Return a note that ends with the cause of a difference."""
    return joined((note, cause), ". ") if note and cause else note or cause


@dataclass(frozen=True, slots=True)
class Listing:
    """A text table beside the figures; messages in heads and cells are translated where they are printed."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    remark: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Studied:
    """The results of a study; `files` are written only if a folder is given."""

    name: str
    title: str
    figures: tuple[Figure, ...]
    listings: tuple[Listing, ...]  # the first one is printed
    settings: Mapping[str, object]
    seed: int
    notes: tuple[str, ...] = ()
    files: Mapping[str, Callable[[], str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        ids = [figure.id for figure in self.figures]
        twice = next((one for i, one in enumerate(ids) if one in ids[:i]), None)
        if twice is not None:
            msg = message("each figure of a study must have a name of its own; got {twice} twice", twice=repr(twice))
            raise InvalidInputError(msg)

    def count(self, verdict: Reproduction) -> int:
        """Return how many figures have a verdict."""
        return sum(figure.verdict is verdict for figure in self.figures)

    @property
    def ranged(self) -> Sequence[Figure]:
        """The figures with `by_chance`."""
        return [figure for figure in self.figures if figure.by_chance]


class Study(Protocol):
    """The experiment of one paper; its fields are the parameters."""

    name: ClassVar[str]
    title: ClassVar[str]  # author, title, where it appeared

    def quick(self) -> Study:
        """Return a quick version that takes a minute or two."""
        ...

    def run(self, seed: int) -> Studied:
        """Run the study; every random stream is derived from the seed by name."""
        ...


def around(runs: Float64, digits: float = 0.0) -> tuple[float, float]:
    """Return the 95 % prediction range of one more run, widened by rounding to `digits`; of two runs, no limits."""
    if runs.size < 3:
        return float("-inf"), float("inf")
    half = (
        float(scipy.special.stdtrit(runs.size - 1, 0.975) * runs.std(ddof=1) * np.sqrt(1 + 1 / runs.size)) + digits / 2
    )
    return float(runs.mean()) - half, float(runs.mean()) + half
