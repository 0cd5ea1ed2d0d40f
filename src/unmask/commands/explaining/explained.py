"""What explains a belief about a person: groups, releases, attributes, records and miners, as data and as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from unmask.attacks.definetti.attribute_contributions import Contribution, Explanation
from unmask.visible_text import joined

_LEAST = 0.05  # logarithm of a factor that is worth a line
_SAME = 1e-9  # probabilities up to which two beliefs are one
_MOST_COUNTS = 6  # values of a group that a line lists
_WIDE = 34  # characters of the first column


@dataclass(frozen=True, slots=True)
class MatchedGroup:
    """A group of a release that a person may be in."""

    release: str
    name: str  # in the release's files; else its number
    cells: Mapping[str, str]  # as published; empty where lines of the group differ
    people: float
    weight: float  # that the person is in it, among all groups that fit
    counts: Mapping[str, float] = field(default_factory=dict)  # published people by value, the most frequent first
    noisy: bool = False  # counts have noise


@dataclass(frozen=True, slots=True)
class BeliefVariant:
    """The probability of the same answer under a change of what the attacker has: its size is what the change costs."""

    what: str
    probability: float


@dataclass(frozen=True, slots=True)
class AttributeFactors:
    """The factors of a person's attributes, as learned from other people of a release."""

    release: str
    why: Explanation
    exact: bool = True  # exact rows: the group's other rows hold the rest


@dataclass(frozen=True, slots=True)
class Explained:
    """Why an attack believes a value, or a row, of a person."""

    person: str
    about: str  # the attribute, or the release whose row is named
    value: str  # the likeliest; of a row, its group
    before: float  # without the release
    after: float
    is_place: bool = False
    attributes: Mapping[str, str] = field(default_factory=dict)  # that the attacker knows of the person
    groups: tuple[MatchedGroup, ...] = ()  # that fit, the likeliest of each release
    fitting: Mapping[str, int] = field(default_factory=dict)  # release → number of groups that fit
    possible: tuple[int, int] | None = None  # of several releases: values of positive belief, of how many
    variants: tuple[BeliefVariant, ...] = ()
    miners: Mapping[str, str] = field(default_factory=dict)  # miner → what it predicts of the person
    factors: tuple[AttributeFactors, ...] = ()  # of each release from which the attack learned

    @property
    def why(self) -> Explanation | None:
        """The factors learned from the only, or the first, release; None where the attack learns none."""
        return self.factors[0].why if self.factors else None

    def __str__(self) -> str:
        return joined(self._text())

    def _text(self) -> Iterator[str]:
        if self.is_place:
            yield (
                f"{self.person}: a row of {self.about} is named rightly with probability {self.after:.3f}; without "
                f"the release {self.before:.3g}"
            )
        else:
            release = "the releases" if len(self.fitting) > 1 else "the release"
            yield (
                f"{self.person}: {self.about} {self.value} is believed with {self.after:.3f}; without {release} "
                f"{self.before:.3f}"
            )
        known = ", ".join(f"{name} {value}" for name, value in self.attributes.items())
        if known and self.fitting:
            yield f"  known of the person: {known}"
        for release, n in self.fitting.items():
            yield from self._of_release(release, n)
        if self.possible is not None:
            yield "  values possible in all releases: {} of {}".format(*self.possible)
        for one in self.variants:
            yield f"  {one.what:{_WIDE}} {one.probability:.3f}"
        for miner, prediction in self.miners.items():
            yield f"  {miner:{_WIDE}} {prediction}"
        for factors in self.factors:
            yield from self._of_attributes(factors)

    def _of_release(self, release: str, n: int) -> Iterator[str]:
        groups = [one for one in self.groups if one.release == release]
        if n == 0:
            yield f"  {release}: no group fits"
        elif n > len(groups):
            yield f"  {release}: {n:,} groups fit; the likeliest:"
        for one in groups:
            likely = "" if n == 1 else f", with probability {one.weight:.3f}"
            yield f"  {release}: {_group(one)}{likely}"

    def _of_attributes(self, found: AttributeFactors) -> Iterator[str]:
        why = found.why
        if len(self.factors) > 1 or abs(why.after - self.after) > _SAME:
            yield (
                f"  learned from {found.release} alone: believed with {why.after:.3f}, by the group's list with "
                f"{why.before:.3f}"
            )
        for one in why.moved:
            if _matters(one):
                who = f"{one.attribute} {self.attributes.get(one.attribute, '')}"
                yield f"  {who:{_WIDE}}{_times(one.factor)} as likely with it as with the other values"
        if abs(np.log(why.others)) > _LEAST and found.exact:
            says = "fit the other values better" if why.others > 1 else "fit it, too, or better"
            yield f"  {'the others of the group':{_WIDE}}{_times(why.others)} the odds: they {says}"
        elif abs(np.log(why.others)) > _LEAST:
            yield f"  {'attributes taken together':{_WIDE}}{_times(why.others)} the odds"
        small = [one.attribute for one in why.moved if not _matters(one)]
        if small:
            yield f"  next to nothing: {', '.join(small)}"


def _group(one: MatchedGroup) -> str:
    cells = ", ".join(f"{name} {cell}" for name, cell in one.cells.items())
    people = f"{one.people:,.0f} {'person' if round(one.people) == 1 else 'people'}"
    counts = list(one.counts.items())
    listed = ", ".join(f"{value} {n:.4g}" for value, n in counts[:_MOST_COUNTS])
    more = f" and {len(counts) - _MOST_COUNTS} other values" if len(counts) > _MOST_COUNTS else ""
    noise = "counts with noise: " if one.noisy else ""
    published = f" ({cells})" if cells else ""
    return f"group {one.name}{published} of {people}{f'; {noise}{listed}{more}' if listed else ''}"


def _matters(one: Contribution) -> bool:
    return abs(float(np.log(one.factor))) > _LEAST


def _times(factor: float) -> str:
    return f"{factor:6.2f} times"
