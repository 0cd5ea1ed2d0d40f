"""Comparison of releases by risk and utility."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from unmask import catalog
from unmask.arrays import Int32
from unmask.attacks.baseline import Baseline
from unmask.attacks.random_worlds import RandomWorlds
from unmask.attacks.shared.pooling import default_prior
from unmask.auditing.findings import ReleaseFacts
from unmask.beliefs import About
from unmask.errors import InvalidInputError, NotApplicableError
from unmask.estimate import Estimate, Tally, Truth
from unmask.metrics.accuracy import Accuracy
from unmask.models.average_risk import AverageRisk
from unmask.models.k_anonymity import KAnonymity
from unmask.models.l_diversity import MaxShareL
from unmask.models.max_risk import MaxRisk
from unmask.models.privacy_model import PrivacyModel
from unmask.models.release_assessment import measure_all
from unmask.people_counts import where_several
from unmask.release import Release
from unmask.runtime import work
from unmask.runtime.streams import stream
from unmask.table import Table
from unmask.utility.utility_measure import PublishedTable, Quality
from unmask.view import NOT_IN_IT, Knowledge, Located, View
from unmask.wording import message

GUESS, ROW, ATTRIBUTES = "guess", "random-worlds-row", "random-worlds-attributes"
"""Accuracy of guessing a sensitive value: without the release, from the person's row, from the person's attributes."""


@dataclass(frozen=True, slots=True)
class ReleaseMeasure:
    """One risk or utility measure of one release."""

    kind: Literal["risk", "utility"]
    name: str
    detail: str  # the sensitive attribute, or the parameters that distinguish measures of one name
    estimate: Estimate
    higher_is_better: bool
    parts: Mapping[str, Estimate] = field(default_factory=dict)

    @property
    def key(self) -> tuple[str, str]:
        """The measure's key within the release."""
        return self.name, self.detail


@dataclass(frozen=True, slots=True, eq=False)
class ComparedRelease:
    """One of the releases, and all its measures."""

    facts: ReleaseFacts
    numbers: tuple[ReleaseMeasure, ...]

    def get(self, name: str, detail: str = "") -> Estimate:
        """Return a measure; undefined if it was not taken."""
        for one in self.numbers:
            if one.key == (name, detail):
                return one.estimate
        return Estimate.undefined(message("not measured"))


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """Several releases, measured with the same held-out people and the same queries."""

    releases: tuple[ComparedRelease, ...]
    seed: int | None
    against: Literal["original", "held out", "nothing"]  # what utility was measured against


def compare(
    cases: Sequence[PublishedTable], *, seed: int, measures: Sequence[Any] | None = None, keep_seed: bool = True
) -> Comparison:
    """Measure risk and utility of each release, all with the same random numbers.

    `measures` are utility measures, by default all of the catalog.

    Fails
        With `InvalidInputError` without a release, or where two have one name.
    """
    names = [case.release.name for case in cases]
    if not names or len(set(names)) < len(names):
        twice = next((name for i, name in enumerate(names) if name in names[:i]), "")
        msg = message("releases to compare must be at least one, each with a name of its own; got none")
        if names:
            msg = message(
                "releases to compare must be at least one, each with a name of its own; got {name} twice. Rename one",
                name=repr(twice),
            )
        raise InvalidInputError(msg)
    if measures is None:
        measures = [example for entry in catalog.entries("utility").values() for example in entry.examples]
    labels = _labels(measures)
    found = []
    with work.keeping():
        for case in cases:
            with work.step(message("measuring {release}", release=case.release.name), len(measures) + 1) as step:
                numbers = list(_risks(case))
                step.advance()
                for measure, detail in zip(measures, labels, strict=True):
                    rng = stream(seed, "utility", measure.name)
                    try:
                        quality = measure.measure(case, rng)
                    except NotApplicableError as error:
                        quality = Quality.undefined(str(error))
                    better = measure.higher_is_better
                    numbers.append(
                        ReleaseMeasure("utility", measure.name, detail, quality.value, better, quality.parts)
                    )
                    step.advance()
            found.append(ComparedRelease(ReleaseFacts.of(case.release), tuple(numbers)))
    against: Literal["original", "held out", "nothing"] = "nothing"
    if any(case.original is not None for case in cases):
        against = "original"
    elif any(case.held_out is not None for case in cases):
        against = "held out"
    return Comparison(tuple(found), seed if keep_seed else None, against)


def _labels(measures: Sequence[Any]) -> list[str]:
    """Return the parameters that distinguish each measure from others of its name."""
    settings = [catalog.settings_of(measure) for measure in measures]
    labels = []
    for measure, own in zip(measures, settings, strict=True):
        same = [other for one, other in zip(measures, settings, strict=True) if one.name == measure.name]
        differing = [key for key in own if len({str(other.get(key)) for other in same}) > 1]
        labels.append(", ".join(str(own[key]) for key in differing))
    return labels


def _risks(case: PublishedTable) -> Iterator[ReleaseMeasure]:
    """Yield the risk measures of a release: of its groups, and the accuracy of guesses."""
    release = case.release
    counted = [a.name for a in release.schema.sensitive if a.name in release.counts]
    models: list[PrivacyModel] = [KAnonymity(), *([MaxShareL()] if counted else []), MaxRisk(), AverageRisk()]
    for model, one in zip(models, measure_all(release, models), strict=True):
        value = Estimate.exact(one.value, release.n_people)
        if np.isnan(one.value):
            value = Estimate.undefined(one.why or message("the table has no people, or no known value"))
        yield ReleaseMeasure("risk", model.name, "", value, model.higher_is_safer)
    for name in counted:
        if case.original is not None and name in case.original.schema:
            yield from _guessed(release, case.original, name, case.group_of)


def _guessed(release: Release, people: Table, name: str, group_of: Int32 | None) -> Iterator[ReleaseMeasure]:
    """Yield the accuracy of guessing a value, over all people of the original table."""
    prior = default_prior((release,), name, people.n_rows)
    attribute = people.schema[name]
    person_of = where_several(people.person_of)
    truth = Truth(About.attribute(name), attribute.values, people[name], person_of, weight=people.weight)
    known = people.visible(name)
    where = {} if group_of is None else {ROW: (Located(np.where(group_of < 0, NOT_IN_IT, group_of).astype(np.int32)),)}
    for key, located in {GUESS: None, **where, ATTRIBUTES: None}.items():
        attack = Baseline() if key == GUESS else RandomWorlds()
        view = View((release,), Knowledge(known, prior, located))
        beliefs = attack.infer(view, np.random.default_rng(0))  # both are exact and draw nothing
        yield ReleaseMeasure("risk", key, name, Accuracy().measure(Tally.of(beliefs, truth)), higher_is_better=False)
    if group_of is None:
        yield ReleaseMeasure(
            "risk",
            ROW,
            name,
            Estimate.undefined(message("the group of each person is unknown")),
            higher_is_better=False,
        )


__all__ = ["ATTRIBUTES", "GUESS", "ROW", "ComparedRelease", "Comparison", "ReleaseMeasure", "compare"]
