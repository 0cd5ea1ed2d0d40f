"""Limits and attacks, as options and policy.toml give them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from unmask import catalog
from unmask.auditing.findings import AuditReport
from unmask.auditing.judging import beside
from unmask.auditing.limit_results import LimitResult, LimitState
from unmask.auditing.policy import Control, Limits, Location, Policy
from unmask.auditing.scenes import default_attacks
from unmask.commands.inputs.reading_options import Settings
from unmask.commands.notes import Notes
from unmask.errors import InvalidInputError
from unmask.estimate import Estimate
from unmask.files.policies import read_policy, tolerance
from unmask.models.privacy_model import AnyModel, limit_text, settings, titled
from unmask.models.release_assessment import Measured, is_of_identity, measure_all
from unmask.release import Provenance, Release
from unmask.table import Table
from unmask.view import Attack
from unmask.wording import message


@dataclass(frozen=True, slots=True)
class Requirement:
    """A privacy model that a release must meet, as it is written: `k=5`, `t=0.2`, `t=hierarchical:0.2`."""

    name: str
    limit: str  # with the parameters that are written before it

    @classmethod
    def of(cls, text: str) -> Requirement:
        """Read a requirement.

        Fails
            With `InvalidInputError` where it is not written MODEL=VALUE, or names no model.
        """
        name, equals, limit = text.partition("=")
        if not equals:
            msg = message("require must be a list of MODEL=VALUE; got {text}", text=repr(text))
            raise InvalidInputError(msg)
        model = catalog.model(name.strip(), limit.strip())
        return cls(model.name, limit.strip())

    def model(self, made: Provenance = Provenance()) -> AnyModel:
        """Return the model for a release: parameters that are not written are those that the release claims."""
        claimed = catalog.claimed_by(made).get(self.name)
        words = {} if claimed is None else {k: str(v) for k, v in settings(claimed).items() if k != self.name}
        written, _ = catalog.words_before(catalog.named("models", self.name), self.limit)
        return cast("AnyModel", catalog.model(self.name, self.limit, {**words, **written}))


@dataclass(frozen=True, slots=True)
class Demands:
    """A policy, with the required privacy models and budgets."""

    policy: Policy
    location_given: bool  # else a people file may decide it
    models: tuple[Requirement, ...] = ()  # that every release must meet
    max_epsilon: float | None = None  # of all releases that may share people
    max_delta: float | None = None

    def models_for(self, release: Release) -> tuple[AnyModel, ...]:
        """Return the models that a release must meet."""
        return tuple(one.model(release.provenance) for one in self.models)


def demands_of(
    policy: Policy | str | Path | None,
    notes: Notes,
    *,
    max_belief: float | None = None,
    excess: float | None = None,
    tolerate: str | float | None = None,
    location: str | None = None,
    control: str | None = None,
    ignore: Iterable[str] = (),
) -> Demands:
    """Return a policy, with single limits replaced by options.

    Fails
        With `InvalidInputError` for limits that cannot be, and for attacks or models that there are not.
    """
    found = policy if isinstance(policy, Policy) else Policy()
    located, models = isinstance(policy, Policy), tuple[Requirement, ...]()
    budget: tuple[float | None, float | None] = None, None
    if isinstance(policy, (str, Path)):
        found, file = read_policy(Path(policy))
        located = "location" in file.required.model_fields_set
        models = tuple(map(Requirement.of, file.limits.require))
        budget = file.limits.max_epsilon, file.limits.max_delta
        if file.recipient:
            notes.add(message("recipient: {recipient}", recipient=file.recipient))
        if file.next_review:
            notes.add(message("next review: {date}", date=file.next_review))
        if models:
            notes.add(message("every release must meet {models}", models=", ".join(file.limits.require)))
    found = replace(found, ignore=tuple(dict.fromkeys((*found.ignore, *ignore))))
    for name in found.required:
        catalog.named("attacks", name)
    for name, value, known in (
        ("location", location, ("attributes", "row")),
        ("control", control, ("left-out", "held-out", "none")),
    ):
        if value is not None and value not in known:
            raise InvalidInputError.unknown_name(name, value, known)
    return Demands(
        _replaced(found, max_belief, excess, tolerate, location, control),
        location is not None or located,
        models,
        *budget,
    )


def attacks_of(names: Iterable[str], set_: Settings | None) -> list[Attack]:
    """Return the attacks that are named, or one of each name; their settings are written `name.key`.

    Fails
        With `InvalidInputError` for names that there are not, and for settings of an attack that does not run.
    """
    chosen = [catalog.named("attacks", name).name for name in names]
    by_name: dict[str, dict[str, Any]] = {}
    for key, value in (set_ or {}).items():
        name, dot, setting = key.partition(".")
        if not dot or not setting:
            msg = message("attack-set must be written NAME.KEY=VALUE; got {key}", key=repr(key))
            raise InvalidInputError(msg)
        by_name.setdefault(catalog.named("attacks", name).name, {})[setting] = value
    every = chosen or [attack.name for attack in default_attacks()]
    unused = next((name for name in by_name if name not in every), None)
    if unused is not None:
        msg = message(
            "attack-set must be about an attack that runs; got {unused}. Add --attack {unused}", unused=unused
        )
        raise InvalidInputError(msg)
    return [catalog.build("attacks", name, by_name.get(name)) for name in dict.fromkeys(every)]


def with_models(
    report: AuditReport, releases: Sequence[Release], models: Sequence[Requirement], population: Table | None
) -> AuditReport:
    """Return a report whose verdict also covers required privacy models.

    Fails
        With `InvalidInputError` where a model asks for a population or a sensitive attribute that is missing.
    """
    if not models:
        return report
    doubt = {facts.name: facts.doubt for facts in report.releases}
    results = []
    for release in releases:
        for one in measure_all(release, [model.model(release.provenance) for model in models], population=population):
            why = one.why or (doubt.get(release.name, "") if is_of_identity(one.model) else "")
            results.append(of_model(release.name, release.n_people, one, why))
    return report.with_limits(results)


def of_model(release: str, n_people: float, found: Measured, why: str) -> LimitResult:
    """Return whether a release meets a required model; `why` says why that is not decided."""
    state = LimitState.NOT_DECIDED if why else LimitState.KEPT if found.holds else LimitState.BROKEN
    asked = required(found.model)
    reason = message(
        "{release}: {requirement} is required; found {value}",
        release=release, requirement=asked, value=value_text(found),
    )  # fmt: skip
    if why:
        reason = message(
            "{release}: {requirement} is required; not decided: {reason}",
            release=release, requirement=asked, reason=why,
        )  # fmt: skip
    change = message("Kept if {model} were {limit}", model=titled(found.model), limit=limit_text(found.model))
    if state is LimitState.KEPT:
        change = message("Kept as long as {model} is {limit}", model=titled(found.model), limit=limit_text(found.model))
    value = Estimate.undefined(why) if why else Estimate.exact(float(found.value), n_people)
    return LimitResult(
        found.model.name, state, reason, asked, float(found.model.limit), value, releases=(release,),
        would_change=change,
    )  # fmt: skip


def value_text(measured: Measured) -> str:
    """Return a measured value as text, so that a limit missed by little does not look met."""
    return f"{measured.value:.4g}" if measured.holds else beside(measured.value, measured.model.limit)


def required(model: AnyModel) -> str:
    """Return the requirement of a model as text."""
    return message("{model} of {limit}", model=titled(model), limit=limit_text(model))


def _replaced(
    policy: Policy,
    max_belief: float | None,
    excess: float | None,
    tolerate: str | float | None,
    location: str | None,
    control: str | None,
) -> Policy:
    before = policy.limits
    share, is_share = (before.tolerate, before.tolerate_is_share) if tolerate is None else tolerance(tolerate)
    limits = Limits(
        before.max_belief if max_belief is None else max_belief,
        before.excess if excess is None else excess,
        share,
        is_share,
        before.max_risk,
    )
    if tolerate is not None and limits.max_belief is None:
        msg = message(
            "tolerate must come with max-belief: it says how many people may be exposed. Write --max-belief X"
        )
        raise InvalidInputError(msg)
    return replace(
        policy,
        limits=limits,
        location=cast("Location", location or policy.location),
        control=cast("Control", control or policy.control),
    )
