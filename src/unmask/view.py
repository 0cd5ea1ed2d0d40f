"""What an attacker sees: the releases, and what is known beside them. Protocol Attack.

An attack is a function from what an attacker can see to what they then believe.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, Protocol, runtime_checkable

import numpy as np

from unmask.arrays import Int32, Int64, frozen
from unmask.beliefs import About, Beliefs, Question
from unmask.errors import Inapplicable, InvalidInputError, NotApplicableError
from unmask.release import Release, Sanitizer
from unmask.schema import Schema
from unmask.table import Table

IN_IT = -1
"""Located: the person is in the release, their place is not known."""

NOT_IN_IT = -2
"""Located: the person is not in the release."""

PERHAPS = -3
"""Located: nobody told whether the person is in the release."""


@dataclass(frozen=True, slots=True, eq=False)
class Located:
    """Where the attacker knows people to be in one release: a group, or one of the constants above."""

    group: Int32  # (people,)
    row: Int64 | None = None  # (people,) the published row, where it is known; negative where it is not

    def __post_init__(self) -> None:
        object.__setattr__(self, "group", frozen(self.group, np.int32))
        if self.row is not None:
            object.__setattr__(self, "row", frozen(self.row, np.int64))


@dataclass(frozen=True, eq=False)
class Knowledge:
    """What the attacker knows beside the releases.

    The targets are the lines of `people`. The prior says what is asked (`prior.about`), which answers are possible,
    and what is known of them beforehand: "Bob does not have flu" is a zero.
    """

    people: Table  # quasi-identifiers only, never the attribute asked about
    prior: Beliefs
    located: tuple[Located, ...] | None = None  # per release; None: in it, place unknown
    complete: bool = False  # the people listed are all the people of the release
    population: Table | None = None
    sanitizers: tuple[Sanitizer | None, ...] | None = None  # per release: the algorithm, known and open to replay

    def __post_init__(self) -> None:
        if self.prior.n_targets != self.people.n_rows:
            msg = f"the prior must be about the {self.people.n_rows} people known; got {self.prior.n_targets} targets"
            raise InvalidInputError(msg)
        if self.prior.about.question is Question.ATTRIBUTE and self.prior.about.name in self.people.schema:
            msg = f"what is known of people must not include column {self.prior.about.name!r}, which is asked about"
            raise InvalidInputError(msg)
        for place in self.located or ():
            if place.group.shape != (self.people.n_rows,):
                msg = f"places must be known (or said to be unknown) for each of {self.people.n_rows} people"
                raise InvalidInputError(msg)

    @classmethod
    def of_rows(cls, release: Release, prior: Beliefs) -> Knowledge:
        """Take the published rows themselves as targets: their places are known, and of them what the release shows."""
        rows = np.arange(release.n_rows, dtype=np.int64)
        if release.masked.is_exact and release.masked.group_of_line.size == release.n_rows:
            people = release.masked.exact_table()
        else:
            people = Table(Schema(()), {}, release.n_rows)
        return cls(people.visible(prior.about.name), prior, (Located(release.group_of_row, rows),))


@dataclass(frozen=True, slots=True)
class Requirements:
    """What an attack answers, what it needs a view to show, and what it uses beyond that.

    `View.require` checks the question, the number of releases and the counts; the attack checks the rest itself. A
    contract test holds every attack to its requirements.
    """

    question: Question | None = Question.ATTRIBUTE  # None: any
    least_releases: int = 1
    most_releases: int | None = 1  # None: any number
    counts: Literal["exact", "noisy"] | None = "exact"  # of the attribute in each group; noisy in one release at least
    complete_list: Literal["unused", "used", "needed"] = "unused"  # `Knowledge.complete`
    algorithm: bool = False  # how the release was made: provenance, or `Knowledge.sanitizers`
    masked_attribute: bool = False  # the question is a quasi-identifier that published rows, the targets, mask


@dataclass(frozen=True, eq=False)
class View:
    """Releases and knowledge: all that an attack is handed."""

    releases: tuple[Release, ...]
    knowledge: Knowledge

    def __post_init__(self) -> None:
        if not self.releases:
            msg = "a view must have at least one release; got none"
            raise InvalidInputError(msg)
        located = self.knowledge.located
        if located is not None and len(located) != len(self.releases):
            msg = f"places must be given for each of {len(self.releases)} releases; got {len(located)}"
            raise InvalidInputError(msg)

    @property
    def about(self) -> About:
        """The question: what the prior is about."""
        return self.knowledge.prior.about

    @property
    def release(self) -> Release:
        """The only release."""
        self.require(Requirements(question=None, counts=None))
        return self.releases[0]

    def located(self, r: int) -> Int32:
        """Return the group of each person in one release, (people,), or `IN_IT`, `NOT_IN_IT`, `PERHAPS`."""
        if self.knowledge.located is None:
            return np.full(self.knowledge.people.n_rows, IN_IT, np.int32)
        return self.knowledge.located[r].group

    def require(self, needed: Requirements) -> None:
        """Fail with `NotApplicableError` unless question, number of releases and counts are those that are needed."""
        n, exactly = len(self.releases), needed.least_releases == needed.most_releases
        if exactly and n != needed.least_releases:
            msg = f"needs exactly {needed.least_releases} release{'s'[: needed.least_releases != 1]}; this view has {n}"
            raise NotApplicableError(msg, Inapplicable.RELEASES)
        if n < needed.least_releases:
            msg = f"needs at least {needed.least_releases} releases; this view has {n}"
            raise NotApplicableError(msg, Inapplicable.RELEASES)
        if needed.question is not None and self.about.question is not needed.question:
            asked = "an attribute" if needed.question is Question.ATTRIBUTE else "a place"
            msg = f"answers questions about {asked} only"
            raise NotApplicableError(msg, Inapplicable.QUESTION)
        for release in self.releases:
            if needed.counts is not None and self.about.name not in release.counts:
                msg = f"needs {self.about.name!r} among the sensitive attributes of release {release.name!r}"
                raise NotApplicableError(msg)
            if needed.counts == "exact" and self.about.name in release.noise:
                msg = f"needs true counts; those of release {release.name!r} have noise, which noisy-counts reads"
                raise NotApplicableError(msg)
        if needed.counts == "noisy" and not any(self.about.name in release.noise for release in self.releases):
            msg = "needs counts with noise; these are exact, which random-worlds and intersection read"
            raise NotApplicableError(msg)

    def only(self, r: int) -> View:
        """Return the view of one of the releases alone."""
        located = self.knowledge.located
        sanitizers = self.knowledge.sanitizers
        knowledge = replace(
            self.knowledge,
            located=None if located is None else (located[r],),
            sanitizers=None if sanitizers is None else (sanitizers[r],),
        )
        return View((self.releases[r],), knowledge)

    def without(self, groups: Sequence[np.ndarray[tuple[int], np.dtype[np.bool_]]]) -> View:
        """Return the view as if some groups of each release had not been published; who was in them is `IN_IT`."""
        located = self.knowledge.located
        places = None
        if located is not None:
            kept = []
            for place, left_out in zip(located, groups, strict=True):
                number = np.where(left_out, IN_IT, np.cumsum(~left_out) - 1).astype(np.int32)
                known = place.group >= 0
                group = place.group.copy()
                group[known] = number[place.group[known]]
                kept.append(Located(group))
            places = tuple(kept)
        releases = tuple(r.without(g) for r, g in zip(self.releases, groups, strict=True))
        return View(releases, replace(self.knowledge, located=places, sanitizers=None))


@runtime_checkable
class ComparesValues(Protocol):
    """An attack that can match values that are not equal; missing values then match everything."""

    @property
    def compare(self) -> object:
        """How values are compared; empty if they must be equal."""
        ...


@dataclass(frozen=True, slots=True)
class Worlds:
    """The worlds under which an attack's beliefs are exact: what an oracle must enumerate to agree with it.

    `values`: assignments of values to people are `uniform`, independent draws from the `prior`, or drawn from a
    Naive Bayes model with a `dirichlet` prior of parameter `alpha`. `members`: where releases share a person, the
    other members are `afresh` in each or `shared`. `algorithm`: the attacker knows how groups were formed.
    """

    values: Literal["uniform", "prior", "dirichlet"] = "prior"
    members: Literal["afresh", "shared"] = "afresh"
    algorithm: bool = False
    alpha: float = 1.0


class Attack(Protocol):
    """Something that turns what it sees into beliefs."""

    name: ClassVar[str]
    worlds: ClassVar[Worlds | None]  # None: a heuristic
    requirements: ClassVar[Requirements]

    def infer(self, view: View, rng: np.random.Generator) -> Beliefs:
        """Return a belief for each target of the view."""
        ...
