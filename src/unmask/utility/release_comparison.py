"""Comparing releases: what each gives away, and what each is still good for."""

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

GUESS, ROW, ATTRIBUTES = "guess", "random-worlds-row", "random-worlds-attributes"
"""How often a sensitive value is guessed rightly: without the release, by the row, by the attributes of a person."""


@dataclass(frozen=True, slots=True)
class ReleaseMeasure:
    """One number of one release: what it measures, of what, and which direction is better for whom it is about."""

    kind: Literal["risk", "utility"]
    name: str
    detail: str  # the sensitive attribute, or the settings that tell namesakes apart
    estimate: Estimate
    higher_is_better: bool
    parts: Mapping[str, Estimate] = field(default_factory=dict)

    @property
    def key(self) -> tuple[str, str]:
        """What tells it from other numbers of the release."""
        return self.name, self.detail


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredRelease:
    """One of the releases, and all its numbers."""

    facts: ReleaseFacts
    numbers: tuple[ReleaseMeasure, ...]

    def get(self, name: str, detail: str = "") -> Estimate:
        """Return a number; undefined where it was not taken."""
        for one in self.numbers:
            if one.key == (name, detail):
                return one.estimate
        return Estimate.undefined("not measured")


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """Several releases, measured alike: the same people held out, the same queries asked."""

    releases: tuple[MeasuredRelease, ...]
    seed: int | None
    against: Literal["original", "held out", "nothing"]  # what utility was measured against


def compare(
    cases: Sequence[PublishedTable], *, seed: int, measures: Sequence[Any] | None = None, keep_seed: bool = True
) -> Comparison:
    """Measure risk and utility of each case, all with the same random numbers.

    `measures` are those of utility, all of the catalog by default.

    Fails
        With `InvalidInputError` without a release, or where two have one name.
    """
    names = [case.release.name for case in cases]
    if not names or len(set(names)) < len(names):
        twice = next((name for i, name in enumerate(names) if name in names[:i]), "")
        msg = "releases to compare must be at least one, each with a name of its own; got " + (
            f"{twice!r} twice. Rename one" if names else "none"
        )
        raise InvalidInputError(msg)
    if measures is None:
        measures = [example for entry in catalog.entries("utility").values() for example in entry.examples]
    labels = _labels(measures)
    found = []
    with work.keeping():
        for case in cases:
            with work.step(f"measuring {case.release.name}", len(measures) + 1) as step:
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
            found.append(MeasuredRelease(ReleaseFacts.of(case.release), tuple(numbers)))
    against: Literal["original", "held out", "nothing"] = "nothing"
    if any(case.original is not None for case in cases):
        against = "original"
    elif any(case.held_out is not None for case in cases):
        against = "held out"
    return Comparison(tuple(found), seed if keep_seed else None, against)


def _labels(measures: Sequence[Any]) -> list[str]:
    """Return what tells each measure from its namesakes."""
    settings = [catalog.settings_of(measure) for measure in measures]
    labels = []
    for measure, own in zip(measures, settings, strict=True):
        same = [other for one, other in zip(measures, settings, strict=True) if one.name == measure.name]
        differing = [key for key in own if len({str(other.get(key)) for other in same}) > 1]
        labels.append(", ".join(str(own[key]) for key in differing))
    return labels


def _risks(case: PublishedTable) -> Iterator[ReleaseMeasure]:
    """Yield what a release gives away: by the sizes and values of its groups, and by what is guessed rightly."""
    release = case.release
    counted = [a.name for a in release.schema.sensitive if a.name in release.counts]
    models: list[PrivacyModel] = [KAnonymity(), *([MaxShareL()] if counted else []), MaxRisk(), AverageRisk()]
    for model, one in zip(models, measure_all(release, models), strict=True):
        value = Estimate.exact(one.value, release.n_people)
        if np.isnan(one.value):
            value = Estimate.undefined(one.why or "there is nobody, or no value is known")
        yield ReleaseMeasure("risk", model.name, "", value, model.higher_is_safer)
    for name in counted:
        if case.original is not None and name in case.original.schema:
            yield from _guessed(release, case.original, name, case.group_of)


def _guessed(release: Release, people: Table, name: str, group_of: Int32 | None) -> Iterator[ReleaseMeasure]:
    """Yield how often a value is guessed rightly, of all people of the original table."""
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
            "risk", ROW, name, Estimate.undefined("nobody said who is in which group"), higher_is_better=False
        )


__all__ = ["ATTRIBUTES", "GUESS", "ROW", "Comparison", "MeasuredRelease", "ReleaseMeasure", "compare"]
