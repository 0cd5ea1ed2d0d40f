"""The difference between two reports of an audit, as documents: limits, attacks, policy, releases, people, version."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

from unmask.auditing.limit_results import LimitState
from unmask.number_format import numeral
from unmask.unit import Unit
from unmask.wording import Message, counted, marked, message

Document = Mapping[str, Any]

_POLICY = {
    "max_belief": "max-belief", "excess": "excess", "tolerate": "tolerate", "max_risk": "max-risk",
    "location": "location", "control": "control", "required": marked("required attacks"),
    "ignore": marked("ignored columns"),
}  # fmt: skip
_SIZES = {
    "people": marked("people"), "groups": marked("groups"), "suppressed": marked("suppressed people"),
    "smallest_group": marked("smallest group"),
}  # fmt: skip


class Cause(StrEnum):
    """What changed between two audits."""

    VERSION = "version"
    ATTACKS = "attacks"
    LIMITS = "limits"
    RELEASE = "release"
    PEOPLE = "people"

    @property
    def words(self) -> Message:
        """The cause as a person reads it."""
        return message(_CAUSES[self])


_CAUSES = {
    Cause.VERSION: marked("version"), Cause.ATTACKS: marked("attacks"), Cause.LIMITS: marked("limits"),
    Cause.RELEASE: marked("release"), Cause.PEOPLE: marked("people"),
}  # fmt: skip


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
        limit: str = self.limit
        if self.attack:
            limit = message("{limit} by {attack}", limit=limit, attack=self.attack)
        if self.about:
            limit = message("{limit} on {column}", limit=limit, column=self.about)
        return message(
            "{limit}: {before}, now {after}", limit=limit, before=_state(self.before), after=_state(self.after)
        )


def _state(one: tuple[LimitState, float | None] | None) -> Message:
    if one is None:
        return message("not judged")
    state, value = one
    if value is None:
        return message(state)
    return message("{state} ({value})", state=message(state), value=numeral(value, ",.4g"))


def limit_changes(before: Document, after: Document) -> tuple[LimitChange, ...]:
    """Return all limits of both reports, each once by attack and attribute; of several releases the worst."""
    ours, theirs = _limits(before), _limits(after)
    return tuple(
        LimitChange(*key, ours.get(key) or _of_all_attacks(ours, key), theirs.get(key) or _of_all_attacks(theirs, key))
        for key in dict.fromkeys((*ours, *theirs))
    )


_SEVERITY = (LimitState.KEPT, LimitState.NOT_DECIDED, LimitState.BROKEN)

_Key: TypeAlias = tuple[str, str | None, str | None]  # limit, attack, attribute
_Judged: TypeAlias = tuple[LimitState, float | None]  # and the measured number


def _of_all_attacks(found: Mapping[_Key, _Judged], key: _Key) -> _Judged | None:
    """Return the limit on beliefs for all attacks together where the report leaves it out: it is that of the worst.

    A report has a line of its own where all attacks together expose more people than one, or leave another state.
    """
    limit, attack, about = key
    if limit != "max-belief" or attack is not None:
        return None
    apart = [one for (name, by, on), one in found.items() if name == limit and by and about in {None, on}]
    return max(apart, key=lambda one: (_SEVERITY.index(one[0]), one[1] or 0.0), default=None)


def _limits(document: Document) -> dict[_Key, _Judged]:
    found: dict[_Key, _Judged] = {}
    for one in document.get("limits", ()):
        key = (one["limit"], one["attack"], one["about"])
        state = (LimitState(one["state"]), None if one["measured"] is None else one["measured"]["value"])
        known = found.get(key)
        if known is None or _SEVERITY.index(state[0]) > _SEVERITY.index(known[0]):
            found[key] = state
    return found


def reasons(before: Document, after: Document, why: Mapping[str, str] = MappingProxyType({})) -> Iterator[Reason]:
    """Yield what changed, as far as the reports show it: by version, attacks, limits, releases, people.

    `why` are the reasons of attacks that did not run this time, by name.
    """
    if before["version"] != after["version"]:
        text = message("unmask {version}, was {before}", version=after["version"], before=before["version"])
        yield Reason(Cause.VERSION, text)
    yield from (Reason(Cause.ATTACKS, text) for text in _attacks(before, after, why))
    yield from (Reason(Cause.LIMITS, text) for text in _of_policy(before["policy"], after["policy"]))
    yield from (Reason(Cause.RELEASE, text) for text in _releases(before, after))
    if before["n_targets"] != after["n_targets"]:
        text = message(
            "{people} attacked, were {before}",
            people=Unit(after["unit"]).counted(after["n_targets"]),
            before=numeral(before["n_targets"]),
        )
        yield Reason(Cause.PEOPLE, text)


def _attacks(before: Document, after: Document, why: Mapping[str, str]) -> Iterator[Message]:
    ours, theirs = ({one["name"] for one in document["attacks"]} for document in (before, after))
    ran, runs = ({one["name"] for one in document["attacks"] if one["ran"]} for document in (before, after))
    for name in sorted(runs - ran):
        if name in ours:
            yield message("{attack} runs now, did not then", attack=name)
        else:
            yield message("{attack} runs now, was not tried then", attack=name)
    for name in sorted(ran - runs):
        if name in theirs and why.get(name):
            yield message("{attack} ran then, does not now: {reason}", attack=name, reason=why[name])
        else:
            yield message("{attack} ran then, does not now", attack=name)


def _of_policy(before: Document, after: Document) -> Iterator[Message]:
    for key, name in _POLICY.items():
        if before.get(key) != after.get(key):
            yield _differing(name, after.get(key), before.get(key))


def _differing(name: str, now: Any, before: Any) -> Message:  # noqa: ANN401 - values of JSON
    return message("{name} is {value}, was {before}", name=message(name), value=_value(now), before=_value(before))


def _value(value: Any) -> str:  # noqa: ANN401 - a value of JSON
    if value is None or value == []:
        return message("none")
    if isinstance(value, (int, float)):
        return numeral(value, "")
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _releases(before: Document, after: Document) -> Iterator[Message]:
    """Yield the differences of releases in their order: method, size, groups."""
    n = len(after["releases"])
    if len(before["releases"]) != n:
        yield counted(
            "{n} release is attacked, were {before}", "{n} releases are attacked, were {before}", n,
            n=n, before=len(before["releases"]),
        )  # fmt: skip
        return
    for old, new in zip(before["releases"], after["releases"], strict=True):
        for change in _changed(old, new):
            yield message("{release}: {change}", release=new["name"], change=change) if n > 1 else change


def _changed(old: Document, new: Document) -> Iterator[Message]:
    made, makes = ((one["sanitizer"], one["parameters"]) for one in (old, new))
    if made != makes:
        yield message("made by {method}, was {before}", method=_method(*makes), before=_method(*made))
    for key, name in _SIZES.items():
        if old[key] != new[key]:
            yield message(
                "{name}: {value}, was {before}", name=message(name), value=_value(new[key]), before=_value(old[key])
            )
    checks, known = _leaks(new), _leaks(old)
    yield from (message("leak checks: {kind} is new", kind=_kind(*one)) for one in sorted(checks - known))
    yield from (message("leak checks: {kind} is gone", kind=_kind(*one)) for one in sorted(known - checks))


def _method(name: str | None, parameters: Document) -> str:
    if name is None:
        return message("an undeclared method")
    return f"{name} ({', '.join(f'{k}={v}' for k, v in parameters.items())})" if parameters else name


def _leaks(release: Document) -> set[tuple[str, str]]:
    """Return the findings of leak checks: their kinds and columns."""
    found = release.get("leak_checks") or {"findings": ()}
    return {(one["kind"], one["column"] or "") for one in found["findings"]}


def _kind(kind: str, column: str) -> Message:
    return message("{kind} ({column})", kind=message(kind), column=column) if column else message(kind)
