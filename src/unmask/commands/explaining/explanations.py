"""Explain the beliefs of an attack about chosen people: which cells, which group, which release, which pattern."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from unmask import catalog
from unmask.attacks.definetti.attribute_contributions import Explainable
from unmask.attacks.fusion.predicted_rows import PredictedRows
from unmask.attacks.random_worlds import RandomWorlds
from unmask.beliefs import Beliefs, Question
from unmask.commands.explaining.attribute_factors import LearnedPattern, Stream, known_attributes, learner_of
from unmask.commands.explaining.chosen_people import Chosen, view_of
from unmask.commands.explaining.explained import AttributeFactors, BeliefVariant, Explained
from unmask.commands.explaining.matched_groups import matched_groups
from unmask.commands.explaining.miner_predictions import miner_predictions
from unmask.errors import ContradictionError, InvalidInputError, NotApplicableError
from unmask.files.published import ReadRelease
from unmask.metrics.exposure import NO_HARMLESS
from unmask.numerics.rounding import at_least
from unmask.schema import Harm
from unmask.view import Attack, View
from unmask.wording import joined, message

_LIKELIEST = 2  # values of a person whose factors are given

_CANNOT = (NotApplicableError, ContradictionError, InvalidInputError)
"""Why a variant has no probability: what it leaves out is needed."""


@dataclass(frozen=True, eq=False)
class Explanations:
    """The beliefs of an attack from a view, and what is needed to explain them.

    `beliefs` are those of the attack with the same stream, inside of `work.keeping`.
    """

    attack: Attack
    view: View
    beliefs: Beliefs
    releases: Sequence[ReadRelease]  # of the view, as read
    stream: Stream
    predicted: PredictedRows | None = None  # of fusion
    harm: Harm = NO_HARMLESS  # of the values of the attribute

    def of(self, person: Chosen) -> Iterator[Explained]:
        """Yield the explanation of a person's likeliest answer, and factors of the next one where some were learned.

        Of several records, the one with the highest belief is explained: in a harmful value, or of a row.

        Fails
            With `NotApplicableError` where the attack uses no release: there is nothing to explain.
        """
        if self.attack.name == catalog.BASELINE:
            msg = message("uses no release: its beliefs are those before. Explain another attack")
            raise NotApplicableError(msg)
        target = max(person.targets, key=self._exposure)  # the first of equal ones
        person = person.beginning_with(target)
        seen = view_of(self.view, person.targets)
        place = self.view.about.question is Question.PLACE
        found = matched_groups(view_of(self.view, [target]), self.releases)
        first = Explained(
            person.key, self.view.about.name, *self._answer(target), is_place=place, row=person.row,
            attributes=known_attributes(seen.knowledge.people), groups=found.groups, fitting=found.fitting,
            possible=self._possible(target),
        )  # fmt: skip
        believed = {} if place else self.beliefs.of(target)
        values = list(dict.fromkeys([first.value, *believed]))[:_LIKELIEST] if believed else []
        learned = list(self._learned(target)) if values else []
        factors = {value: tuple(_factors(learned, value)) for value in values}
        yield replace(
            first,
            variants=tuple(self._variants(person, seen, first.value)),
            miners={} if self.predicted is None else miner_predictions(self.predicted, target, first.value),
            factors=factors.get(first.value, ()),
        )
        for value in values[1:]:
            if factors[value]:
                before = self.view.knowledge.prior.of(target).get(value, 0.0)
                after = self.beliefs.of(target)[value]
                yield Explained(
                    person.key, first.about, value, before, after, row=first.row, attributes=first.attributes,
                    factors=factors[value],
                )  # fmt: skip

    def _exposure(self, target: int) -> tuple[bool, float]:
        """Return how exposed a target is: whether a value's own limit is reached, and the probability of the answer."""
        if self.view.about.question is Question.PLACE:
            return False, _named(self.beliefs, target)[1]
        return _exposing(self.beliefs.of(target), self.harm)[0]

    def _possible(self, target: int) -> tuple[int, int] | None:
        """Return how many values several releases leave possible, and how many there are; None for one release."""
        if len(self.view.releases) < 2:
            return None
        return sum(p > 0 for p in self.beliefs.of(target).values()), len(self.beliefs.values)

    def _answer(self, target: int) -> tuple[str, float, float]:
        """Return the likeliest answer, harmful where one is, and its probability before and after."""
        prior = self.view.knowledge.prior
        if self.view.about.question is Question.PLACE:
            value, after = _named(self.beliefs, target)
            people = self.view.releases[0].people
            entries = _entries(prior, target)
            before = float((prior.rows.data[entries] / people[prior.rows.column[entries]]).max(initial=0.0))
            return value, before, after if value else before
        believed = self.beliefs.of(target) or prior.of(target)
        likeliest = _exposing(believed, self.harm)[1] or next(iter(believed))
        return likeliest, prior.of(target).get(likeliest, 0.0), believed[likeliest]

    def _variants(self, person: Chosen, seen: View, value: str) -> Iterator[BeliefVariant]:
        """Yield the belief in the same answer with less: without a release, an attribute, a record, or a pattern."""
        if self.view.about.question is Question.ATTRIBUTE and self.predicted is None:
            yield from self._alone(seen, value)
        if self._is_cheap and any((seen.located(r) < 0).any() for r in range(len(seen.releases))):
            for name in seen.knowledge.people.schema.names:
                yield from self._variant(
                    message("without {column}", column=name),
                    self.attack,
                    view_of(self.view, person.targets, name),
                    value,
                )
        for target in sorted(person.targets[1:]) if self.attack.requirements.linked_rows else ():
            others = [one for one in person.targets if one != target]
            known = known_attributes(view_of(self.view, [target]).knowledge.people)
            record = joined([joined(one, " ") for one in known.items()], ", ")
            what = message("without record {i} ({record})", i=person.number_of(target), record=record)
            yield from self._variant(what, self.attack, view_of(self.view, others), value)

    def _alone(self, seen: View, value: str) -> Iterator[BeliefVariant]:
        """Yield what each release says alone, and the lists of the person's own groups."""
        several = len(seen.releases) > 1
        lists = RandomWorlds()
        if several:
            for r, release in enumerate(seen.releases):
                attack = self.attack if release.noise else lists
                yield from self._variant(message("{release} alone", release=release.name), attack, seen.only(r), value)
            if self.attack.requirements.complete_list == "needed":
                what = message("own groups of all releases")
                yield from self._variant(what, catalog.attack("intersection"), seen, value)
        elif self.attack.name != lists.name:
            if self.attack.requirements.algorithm:
                what = message("without knowing {sanitizer}", sanitizer=seen.release.provenance.sanitizer)
            else:
                what = message("the group's list alone")
            yield from self._variant(what, lists, seen, value)

    def _variant(self, what: str, attack: Attack, seen: View, value: str) -> Iterator[BeliefVariant]:
        try:
            beliefs = attack.infer(seen, self.stream())
        except _CANNOT:
            return
        probability = (
            _named(beliefs, 0)[1] if self.view.about.question is Question.PLACE else beliefs.of(0).get(value, 0)
        )
        yield BeliefVariant(what, float(probability))

    def _learned(self, target: int) -> Iterator[_Learned]:
        """Yield what the attack learned from each release, and believes of a target by it."""
        for r, pattern in enumerate(self._patterns):
            seen = view_of(self.view.only(r), [target])
            is_own = isinstance(self.attack, Explainable)
            try:
                beliefs = _one(self.beliefs, target) if is_own else pattern.learner.infer(seen, self.stream())
            except _CANNOT:
                continue
            yield _Learned(pattern, seen, beliefs)

    @cached_property
    def _patterns(self) -> tuple[LearnedPattern, ...]:
        """What was learned from each release; not from cells beside a complete list, which says more than they do."""
        learner, lists = learner_of(self.attack), self.view.knowledge.complete
        if learner is None or (lists and not all(release.masked.is_exact for release in self.view.releases)):
            return ()
        return tuple(LearnedPattern(learner, self.view.only(r), self.stream) for r in range(len(self.view.releases)))

    @property
    def _is_cheap(self) -> bool:
        """Whether the attack can be repeated for one person in no time: it learns, draws and lists nothing."""
        needed = self.attack.requirements
        lists = self.view.knowledge.complete or needed.algorithm or needed.masked_attribute
        return not (lists or self.beliefs.is_drawn or learner_of(self.attack) is not None)


@dataclass(frozen=True, eq=False)
class _Learned:
    """A learned pattern, the view of one person, and the learner's beliefs about this person."""

    pattern: LearnedPattern
    seen: View
    beliefs: Beliefs


def _factors(learned: Sequence[_Learned], value: str) -> Iterator[AttributeFactors]:
    """Yield the factors of attributes for a value, of each release where the belief in it moved."""
    for one in learned:
        try:
            found = one.pattern.factors(one.seen, one.beliefs, value) if value in one.beliefs.values else None
        except _CANNOT:
            continue
        if found is not None:
            yield found


def _exposing(believed: Mapping[str, float], harm: Harm) -> tuple[tuple[bool, float], str | None]:
    """Return how exposed a target is, and by which harmful value: whether its own limit is reached, its probability."""
    degree = {
        value: (bool(at_least(probability, harm.limit.get(value, 1.0))), probability)
        for value, probability in believed.items()
        if value not in harm.harmless
    }
    value = max(degree, key=degree.__getitem__, default=None)  # of equal ones the first, as beliefs list them
    return (False, 0.0) if value is None else degree[value], value


def _entries(beliefs: Beliefs, target: int) -> slice:
    row = int(beliefs.row_of[target])
    return slice(0, 0) if row < 0 else slice(int(beliefs.rows.start[row]), int(beliefs.rows.start[row + 1]))


def _named(beliefs: Beliefs, target: int) -> tuple[str, float]:
    """Return the group in which a row is named rightly with the largest probability, and that probability."""
    entries = _entries(beliefs, target)
    chance = beliefs.rows.data[entries] / (1.0 if beliefs.ways is None else beliefs.ways[entries])
    if not chance.size:
        return "", 0.0
    best = int(np.argmax(chance))
    return beliefs.values[int(beliefs.rows.column[entries][best])], float(chance[best])


def _one(beliefs: Beliefs, target: int) -> Beliefs:
    """Return the beliefs about one target."""
    return replace(
        beliefs,
        row_of=beliefs.row_of[[target]],
        unplaced=tuple(mask[[target]] for mask in beliefs.unplaced),
        left_out=None,
    )
