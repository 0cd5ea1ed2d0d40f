"""The difference between two reports of an audit, as documents: limits, attacks, policy, releases, people, version."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from unmask.auditing.limit_results import LimitState

Document = Mapping[str, Any]

_POLICY = {
    "max_belief": "max-belief", "excess": "excess", "tolerate": "tolerate", "max_risk": "max-risk",
    "location": "location", "control": "control", "required": "required attacks", "ignore": "ignored columns",
}  # fmt: skip
_SIZES = {"people": "people", "groups": "groups", "suppressed": "suppressed people", "smallest_group": "smallest group"}


class Cause(StrEnum):
    """What changed between two audits."""

    VERSION = "version"
    ATTACKS = "attacks"
    LIMITS = "limits"
    RELEASE = "release"
    PEOPLE = "people"


class Reason(NamedTuple):
    """One reason for a change of results, as text."""

    cause: Cause
    text: str


@dataclass(frozen=True, slots=True)
class LimitChange:
    """A limit by one attack, in both reports: its state and the measured number; None where it was not judged."""

    limit: str
    attack: str | None
    about: str | None
    before: tuple[LimitState, float | None] | None
    after: tuple[LimitState, float | None] | None

    @property
    def differs(self) -> bool:
        """Whether the state or the number changed."""
        return self.before != self.after

    def __str__(self) -> str:
        by = f" by {self.attack}" if self.attack else ""
        on = f" on {self.about}" if self.about else ""
        return f"{self.limit}{by}{on}: {_state(self.before)}, now {_state(self.after)}"


def _state(one: tuple[LimitState, float | None] | None) -> str:
    if one is None:
        return "not judged"
    return one[0] if one[1] is None else f"{one[0]} ({one[1]:,.4g})"


def limit_changes(before: Document, after: Document) -> tuple[LimitChange, ...]:
    """Return all limits of both reports, each once by attack and attribute; of several releases the worst."""
    ours, theirs = _limits(before), _limits(after)
    return tuple(LimitChange(*key, ours.get(key), theirs.get(key)) for key in dict.fromkeys((*ours, *theirs)))


_SEVERITY = (LimitState.KEPT, LimitState.NOT_DECIDED, LimitState.BROKEN)


def _limits(document: Document) -> dict[tuple[str, str | None, str | None], tuple[LimitState, float | None]]:
    found: dict[tuple[str, str | None, str | None], tuple[LimitState, float | None]] = {}
    for one in document.get("limits", ()):
        key = (one["limit"], one["attack"], one["about"])
        state = (LimitState(one["state"]), None if one["measured"] is None else one["measured"]["value"])
        known = found.get(key)
        if known is None or _SEVERITY.index(state[0]) > _SEVERITY.index(known[0]):
            found[key] = state
    return found


def reasons(before: Document, after: Document) -> Iterator[Reason]:
    """Yield what changed, as far as the reports show it: by version, attacks, limits, releases, people."""
    if before["version"] != after["version"]:
        yield Reason(Cause.VERSION, f"unmask {after['version']}, was {before['version']}")
    yield from _attacks(before, after)
    yield from _of_policy(before["policy"], after["policy"])
    yield from _releases(before, after)
    if before["n_targets"] != after["n_targets"]:
        text = f"{after['n_targets']:,} {after['unit']} attacked, were {before['n_targets']:,}"
        yield Reason(Cause.PEOPLE, text)


def _attacks(before: Document, after: Document) -> Iterator[Reason]:
    ours, theirs = ({one["name"] for one in document["attacks"]} for document in (before, after))
    ran, runs = ({one["name"] for one in document["attacks"] if one["ran"]} for document in (before, after))
    for name in sorted(runs - ran):
        yield Reason(Cause.ATTACKS, f"{name} runs now, {'did not then' if name in ours else 'was not tried then'}")
    for name in sorted(ran - runs):
        why = next((one["reason"] for one in after["attacks"] if one["name"] == name), "")
        yield Reason(Cause.ATTACKS, f"{name} ran then, does not now{f': {why}' if name in theirs and why else ''}")


def _of_policy(before: Document, after: Document) -> Iterator[Reason]:
    for key, name in _POLICY.items():
        if before.get(key) != after.get(key):
            yield Reason(Cause.LIMITS, f"{name} is {_value(after.get(key))}, was {_value(before.get(key))}")


def _value(value: Any) -> str:  # noqa: ANN401 - a value of JSON
    if value is None or value == []:
        return "none"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _releases(before: Document, after: Document) -> Iterator[Reason]:
    """Yield the differences of releases in their order: method, size, groups."""
    if len(before["releases"]) != len(after["releases"]):
        text = f"{len(after['releases'])} releases are attacked, were {len(before['releases'])}"
        yield Reason(Cause.RELEASE, text)
        return
    for old, new in zip(before["releases"], after["releases"], strict=True):
        where = f"{new['name']}: " if len(after["releases"]) > 1 else ""
        made, makes = ((one["sanitizer"], one["parameters"]) for one in (old, new))
        if made != makes:
            yield Reason(Cause.RELEASE, f"{where}made by {_method(*makes)}, was {_method(*made)}")
        for key, name in _SIZES.items():
            if old[key] != new[key]:
                yield Reason(Cause.RELEASE, f"{where}{name}: {_value(new[key])}, was {_value(old[key])}")
        checks, known = _leaks(new), _leaks(old)
        for kind in sorted(checks - known):
            yield Reason(Cause.RELEASE, f"{where}leak checks: {kind} is new")
        for kind in sorted(known - checks):
            yield Reason(Cause.RELEASE, f"{where}leak checks: {kind} is gone")


def _method(name: str | None, parameters: Document) -> str:
    if name is None:
        return "an undeclared method"
    return f"{name} ({', '.join(f'{k}={v}' for k, v in parameters.items())})" if parameters else name


def _leaks(release: Document) -> set[str]:
    found = release.get("leak_checks") or {"findings": ()}
    return {" ".join(filter(None, (one["kind"], one["column"] and f"({one['column']})"))) for one in found["findings"]}
