"""What explains a belief about a person: groups, releases, attributes, records and miners, as data and as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from unmask.attacks.definetti.attribute_contributions import Contribution, Explanation
from unmask.number_format import numeral
from unmask.visible_text import joined
from unmask.wording import counted, text
from unmask.wording import joined as message_of

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
    row: tuple[int, int] | None = None  # its number among the person's rows, from 1, and how many; None if it is one
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
        yield self._belief()
        if self.row is not None:
            n, m = self.row
            yield f"  {text('row {n} of {m} of this person: no other row is exposed more', n=n, m=m)}"
        if self.attributes and self.fitting:
            known = message_of((message_of(one, " ") for one in self.attributes.items()), ", ")
            yield f"  {text('known of the person: {attributes}', attributes=known)}"
        for release, n in self.fitting.items():
            yield from (f"  {line}" for line in self._of_release(release, n))
        if self.possible is not None:
            left, n = self.possible
            yield f"  {text('values possible in all releases: {left} of {n}', left=left, n=n)}"
        for one in self.variants:
            yield f"  {text(one.what):{_WIDE}} {_probability(one.probability)}"
        for miner, prediction in self.miners.items():
            yield f"  {miner:{_WIDE}} {text(prediction)}"
        for factors in self.factors:
            yield from (f"  {line}" for line in self._of_attributes(factors))

    def _belief(self) -> str:
        values = {"person": self.person, "about": self.about, "after": _probability(self.after)}
        if self.is_place:
            before = text(numeral(self.before, ".3g"))
            return text(
                "{person}: a row of {about} is named rightly with probability {after}; without the release {before}",
                before=before, **values,
            )  # fmt: skip
        values |= {"value": self.value, "before": _probability(self.before)}
        if len(self.fitting) > 1:
            return text("{person}: {about} {value} is believed with {after}; without the releases {before}", **values)
        return text("{person}: {about} {value} is believed with {after}; without the release {before}", **values)

    def _of_release(self, release: str, n: int) -> Iterator[str]:
        groups = [one for one in self.groups if one.release == release]
        if n == 0:
            yield text("{release}: no group fits", release=release)
        elif n > len(groups):
            yield text("{release}: {n} groups fit; the likeliest:", release=release, n=numeral(n))
        for one in groups:
            if n == 1:
                yield f"{release}: {_group(one)}"
            else:
                yield text(
                    "{release}: {group}, with probability {probability}",
                    release=release, group=_group(one), probability=_probability(one.weight),
                )  # fmt: skip

    def _of_attributes(self, found: AttributeFactors) -> Iterator[str]:
        why = found.why
        if len(self.factors) > 1 or abs(why.after - self.after) > _SAME:
            yield text(
                "learned from {release} alone: believed with {after}, by the group's list with {before}",
                release=found.release, after=_probability(why.after), before=_probability(why.before),
            )  # fmt: skip
        for one in why.moved:
            if _matters(one):
                who = text(message_of([one.attribute, self.attributes.get(one.attribute, "")], " "))
                times = _factor(one.factor)
                yield f"{who:{_WIDE}}{text('{n} times as likely with it as with the other values', n=times)}"
        if abs(np.log(why.others)) > _LEAST:
            yield _of_others(why.others, exact=found.exact)
        small = [one.attribute for one in why.moved if not _matters(one)]
        if small:
            yield text("next to nothing: {attributes}", attributes=", ".join(small))


def _of_others(factor: float, *, exact: bool) -> str:
    """Return the line on what the rest of the group, or the attributes together, do to the odds."""
    odds = _factor(factor)
    if not exact:
        return f"{text('attributes taken together'):{_WIDE}}{text('{n} times the odds', n=odds)}"
    if factor > 1:
        says = text("{n} times the odds: they fit the other values better", n=odds)
    else:
        says = text("{n} times the odds: they fit it, too, or better", n=odds)
    return f"{text('the others of the group'):{_WIDE}}{says}"


def _group(one: MatchedGroup) -> str:
    people = counted("{n} person", "{n} people", round(one.people), n=numeral(one.people, ",.0f"))
    cells = ", ".join(f"{name} {cell}" for name, cell in one.cells.items())
    if cells:
        group = text("group {name} ({cells}) of {people}", name=one.name, cells=cells, people=people)
    else:
        group = text("group {name} of {people}", name=one.name, people=people)
    counts = list(one.counts.items())
    if not counts:
        return group
    listed = ", ".join(f"{value} {text(numeral(n, '.4g'))}" for value, n in counts[:_MOST_COUNTS])
    if len(counts) > _MOST_COUNTS:
        listed = text("{counts} and {n} other values", counts=listed, n=len(counts) - _MOST_COUNTS)
    return f"{group}; {text('counts with noise: {counts}', counts=listed) if one.noisy else listed}"


def _matters(one: Contribution) -> bool:
    return abs(float(np.log(one.factor))) > _LEAST


def _factor(factor: float) -> str:
    return text(numeral(factor, "6.2f"))


def _probability(probability: float) -> str:
    return text(numeral(probability, ".3f"))
