"""The attacker's view: releases and background knowledge. Protocol Attack.

An attack is a function from a view to beliefs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal, Protocol, runtime_checkable

import numpy as np

from unmask.arrays import Bool, Int32, Int64, frozen
from unmask.beliefs import About, Beliefs, Question
from unmask.errors import Inapplicable, InvalidInputError, NotApplicableError
from unmask.release import Release, Sanitizer
from unmask.runtime.memory_estimate import require_attack_memory
from unmask.schema import Schema
from unmask.table import Table
from unmask.wording import counted, message

IN_IT = -1
"""Located: the person is in the release, in an unknown group."""

NOT_IN_IT = -2
"""Located: the person is not in the release."""

PERHAPS = -3
"""Located: it is unknown whether the person is in the release."""


@dataclass(frozen=True, slots=True, eq=False)
class Located:
    """The known place of each person in one release: a group, or one of the constants above."""

    group: Int32  # (people,)
    row: Int64 | None = None  # (people,) the published row; negative where unknown

    def __post_init__(self) -> None:
        object.__setattr__(self, "group", frozen(self.group, np.int32))
        if self.row is not None:
            object.__setattr__(self, "row", frozen(self.row, np.int64))


@dataclass(frozen=True, eq=False)
class Knowledge:
    """The attacker's background knowledge, apart from the releases.

    The targets are the lines of `people`. The prior holds the question (`prior.about`), the possible answers and their
    probabilities before the attack: "Bob does not have flu" is a zero.
    """

    people: Table  # quasi-identifiers only, never the attribute asked about
    prior: Beliefs
    located: tuple[Located, ...] | None = None  # per release; None: in it, group unknown
    complete: bool = False  # `people` are all the people of the release
    population: Table | None = None
    sanitizers: tuple[Sanitizer | None, ...] | None = None  # per release: the known algorithm, for replay

    def __post_init__(self) -> None:
        if self.prior.n_targets != self.people.n_rows:
            msg = message(
                "the prior must be about the {n_rows} people known; got {n_targets} targets",
                n_rows=self.people.n_rows,
                n_targets=self.prior.n_targets,
            )
            raise InvalidInputError(msg)
        if self.prior.about.question is Question.ATTRIBUTE and self.prior.about.name in self.people.schema:
            msg = message(
                "background knowledge must not include column {about}, which is asked about",
                about=repr(self.prior.about.name),
            )
            raise InvalidInputError(msg)
        for place in self.located or ():
            if place.group.shape != (self.people.n_rows,):
                msg = message(
                    "places must be given (or marked unknown) for each of {n_rows} people", n_rows=self.people.n_rows
                )
                raise InvalidInputError(msg)

    @classmethod
    def of_rows(cls, release: Release, prior: Beliefs) -> Knowledge:
        """Return knowledge of the published rows as targets: their places and published quasi-identifiers are known."""
        rows = np.arange(release.n_rows, dtype=np.int64)
        if release.masked.is_exact and release.masked.group_of_line.size == release.n_rows:
            people = release.masked.exact_table()
        else:
            people = Table(Schema(()), {}, release.n_rows)
        return cls(people.visible(prior.about.name), prior, (Located(release.group_of_row, rows),))

    def take(self, targets: Int64) -> Knowledge:
        """Return the knowledge of some targets alone."""
        places = None
        if self.located is not None:
            places = tuple(
                Located(one.group[targets], None if one.row is None else one.row[targets]) for one in self.located
            )
        prior = replace(self.prior, row_of=self.prior.row_of[targets], unplaced=())
        return replace(self, people=self.people.take(targets), prior=prior, located=places)


@dataclass(frozen=True, slots=True)
class QuickForm:
    """The form of an attack in a quick audit, by the number of people in the releases: never by the clock."""

    parameters: Mapping[str, str | int | float] = field(default_factory=dict)  # in place of the default ones
    least: int = 0  # people in every release; for fewer, the attack runs as in any audit
    most: int | None = None  # people in each release; for more, the attack is left out. None: it never is


@dataclass(frozen=True, slots=True)
class Requirements:
    """The question that an attack answers, the inputs that it needs, those that it also uses, and its quick form.

    `View.require` checks the question, the number of releases and the counts; the attack checks the rest. A contract
    test checks every attack against its requirements.
    """

    question: Question | None = Question.ATTRIBUTE  # None: any
    least_releases: int = 1
    most_releases: int | None = 1  # None: any number
    counts: Literal["exact", "noisy"] | None = "exact"  # of the attribute in each group; noisy: in at least one release
    complete_list: Literal["unused", "used", "needed"] = "unused"  # `Knowledge.complete`
    algorithm: bool = False  # the algorithm of the release: provenance, or `Knowledge.sanitizers`
    linked_rows: bool = False  # a published person key, and targets of whom some are several records of one person
    masked_attribute: bool = False  # the question is a masked quasi-identifier of published rows, the targets
    quick: QuickForm = QuickForm()  # in a quick audit
    ranking: Mapping[str, str | int | float] = field(default_factory=dict)  # parameters that suffice to rank releases


@dataclass(frozen=True, eq=False)
class View:
    """Releases and background knowledge: the complete input of an attack."""

    releases: tuple[Release, ...]
    knowledge: Knowledge

    def __post_init__(self) -> None:
        if not self.releases:
            msg = message("a view must have at least one release; got none")
            raise InvalidInputError(msg)
        located = self.knowledge.located
        if located is not None and len(located) != len(self.releases):
            msg = message(
                "places must be given for each of {n} releases; got {got}", n=len(self.releases), got=len(located)
            )
            raise InvalidInputError(msg)

    @property
    def about(self) -> About:
        """The question: the subject of the prior."""
        return self.knowledge.prior.about

    @property
    def release(self) -> Release:
        """The only release."""
        self.require(Requirements(question=None, counts=None))
        return self.releases[0]

    def require_memory(self, attack: str) -> None:
        """Refuse an attack before it begins where its estimated memory exceeds the share.

        Fails
            With `CostlyError`, which names both.
        """
        masks = [release.masked for release in self.releases]
        lines = sum(one.group_of_line.size for one in masks)
        columns = max(len(one.attributes) for one in masks)
        require_attack_memory(attack, self.knowledge.people.n_rows, lines, columns)

    def located(self, r: int) -> Int32:
        """Return the group of each person in one release, (people,), or `IN_IT`, `NOT_IN_IT`, `PERHAPS`."""
        if self.knowledge.located is None:
            return np.full(self.knowledge.people.n_rows, IN_IT, np.int32)
        return self.knowledge.located[r].group

    def require(self, needed: Requirements) -> None:
        """Fail with `NotApplicableError` unless question, number of releases and counts meet the requirements."""
        n, exactly = len(self.releases), needed.least_releases == needed.most_releases
        if exactly and n != needed.least_releases:
            msg = counted(
                "needs exactly {least_releases} release; this view has {n}",
                "needs exactly {least_releases} releases; this view has {n}",
                needed.least_releases, least_releases=needed.least_releases, n=n,
            )  # fmt: skip
            raise NotApplicableError(msg, Inapplicable.RELEASES)
        if n < needed.least_releases:
            msg = message(
                "needs at least {least_releases} releases; this view has {n}", least_releases=needed.least_releases, n=n
            )
            raise NotApplicableError(msg, Inapplicable.RELEASES)
        if needed.question is not None and self.about.question is not needed.question:
            asked = message("an attribute") if needed.question is Question.ATTRIBUTE else message("a place")
            msg = message("answers questions about {asked} only", asked=asked)
            raise NotApplicableError(msg, Inapplicable.QUESTION)
        for release in self.releases:
            if needed.counts is not None and self.about.name not in release.counts:
                msg = message(
                    "needs {about} among the sensitive attributes of release {release}",
                    about=repr(self.about.name),
                    release=repr(release.name),
                )
                raise NotApplicableError(msg)
            if needed.counts == "exact" and self.about.name in release.noise:
                msg = message(
                    "needs true counts; those of release {release} have noise. Use noisy-counts",
                    release=repr(release.name),
                )
                raise NotApplicableError(msg, Inapplicable.FORM)
        if needed.counts == "noisy" and not any(self.about.name in release.noise for release in self.releases):
            msg = message("needs counts with noise; these are exact. Use random-worlds or intersection")
            raise NotApplicableError(msg, Inapplicable.FORM)

    def only(self, r: int) -> View:
        """Return the view of a single release."""
        located = self.knowledge.located
        sanitizers = self.knowledge.sanitizers
        knowledge = replace(
            self.knowledge,
            located=None if located is None else (located[r],),
            sanitizers=None if sanitizers is None else (sanitizers[r],),
        )
        return View((self.releases[r],), knowledge)

    def without(self, groups: Sequence[np.ndarray[tuple[int], np.dtype[np.bool_]]]) -> View:
        """Return the view without some groups of each release; their members become `IN_IT`."""
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


@dataclass(frozen=True, slots=True, eq=False)
class LeftOutControl:
    """A control that leaves own groups out, of all targets of a view or of some."""

    view: View
    formula: Callable[[View, Sequence[Int32]], Beliefs]  # of the view's targets and their own groups, by release

    def __call__(self, own: Sequence[Int32]) -> Beliefs:
        """Return the control of all targets."""
        return self.formula(self.view, own)

    def of_some(self, own: Sequence[Int32], asked: Bool) -> Beliefs:
        """Return the control of the targets that are asked for, (targets,); the others point to any row."""
        if asked.all():
            return self(own)
        targets = np.flatnonzero(asked) if asked.any() else np.arange(1)
        some = View(self.view.releases, self.view.knowledge.take(targets))
        found = self.formula(some, [one[targets] for one in own])
        row_of = np.zeros(asked.size, np.int32)
        row_of[targets] = found.row_of
        return replace(found, row_of=row_of)


@runtime_checkable
class ComparesValues(Protocol):
    """An attack that can match unequal values; missing values then match everything."""

    @property
    def compare(self) -> object:
        """The comparison of values; empty if they must be equal."""
        ...


@runtime_checkable
class CountsPeople(Protocol):
    """An attack that may be a function of counts of people by group and value: then it runs where the tables are."""

    @property
    def of_counts(self) -> Attack | None:
        """The form that is a function of counts, this one if it is; None if there is none with these parameters."""
        ...


@dataclass(frozen=True, slots=True)
class Worlds:
    """The possible worlds under which an attack's beliefs are exact: an oracle that enumerates them agrees with it.

    `values`: assignments of values to people are `uniform`, independent draws from the `prior`, or drawn from a
    Naive Bayes model with a `dirichlet` prior of parameter `alpha`. `members`: where releases share a person, the
    other members are `afresh` in each or `shared`. `algorithm`: the attacker knows the grouping algorithm.
    """

    values: Literal["uniform", "prior", "dirichlet"] = "prior"
    members: Literal["afresh", "shared"] = "afresh"
    algorithm: bool = False
    alpha: float = 1.0


class Attack(Protocol):
    """An algorithm that infers beliefs from a view."""

    name: ClassVar[str]
    worlds: ClassVar[Worlds | None]  # None: a heuristic
    requirements: ClassVar[Requirements]

    def infer(self, view: View, rng: np.random.Generator) -> Beliefs:
        """Return a belief for each target of the view."""
        ...
