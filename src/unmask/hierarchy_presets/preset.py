"""A ready hierarchy: a rule that gives each value of a standard code its labels on named levels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

Labels = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Preset:
    """A ready hierarchy.

    The labels of a value depend on the value alone, so a reader of a release obtains the same labels as its publisher.

    Assumes
        Levels are nested. A label is no other value of the code, and has one meaning on all levels that have it.
    """

    name: str
    description: str  # one line
    source: str  # of the facts
    levels: tuple[str, ...]  # above the values and below the root, finest first
    labels: Callable[[str], Labels | None]  # of a value on each level; None: not a value of this code
    examples: tuple[str, ...]
    are_numbers: bool = False  # intervals of numbers, not labels of codes

    def fits(self, value: str) -> bool:
        """Whether a value belongs to the code."""
        return self.labels(value) is not None


def prefixes(value: str, code: str, lengths: Sequence[int], width: int) -> Labels:
    """Return the first characters of a code on each level, filled with `*` to a width.

    A value that ends above a level keeps its own text there.
    """
    return tuple(code[:n] + "*" * (width - n) if len(code) >= n else value for n in lengths)
