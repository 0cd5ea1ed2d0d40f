"""A commented `roles.toml`, drafted from the inspection of a table."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from unmask.hierarchy_presets.all_presets import PRESETS
from unmask.hierarchy_presets.names import preset_name
from unmask.hierarchy_presets.preset_hierarchies import preset_hierarchy
from unmask.inspection.field_knowledge import Topic
from unmask.inspection.table_inspection import InspectedColumn, TableInspection
from unmask.number_format import numeral
from unmask.schema import Role
from unmask.wording import marked, plural, text

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_LEVELS = ("month", "quarter", "year")
_LEVELS_OF_BIRTH = ("year", "5-years", "decade")
_MANY_VALUES = 100  # sensitive values that a release should have at most, where codes can be joined
_HEAD = marked(
    "Drafted by unmask inspect from {name} ({rows} rows): proposals from the names, forms and counts of columns.\n"
    "Check each of them. What could an attacker know of a person? That is a quasi-identifier. "
    "What must stay private?\n"
    'That is sensitive. No column is safe by itself; role = "insensitive" publishes one unchanged, '
    "and is yours to declare."
)


def roles_draft(found: TableInspection) -> str:
    """Return the proposed roles as `roles.toml`, each column with the reason as a comment."""
    head = text(_HEAD, name=_comment(found.name), rows=numeral(found.unit.rows))
    lines = [*(f"# {line}" for line in head.splitlines()), "", *_unit(found)]
    if found.missing:
        marks = json.dumps(list(found.missing), ensure_ascii=False)
        lines += [f"missing = {marks}  # {text('marks that occur')}", ""]
    lines.append("[columns]")
    keys = [_key(one.name) for one in found.columns]
    width = min(max(map(len, keys)), 24)
    for key, one in zip(keys, found.columns, strict=True):
        lines += [f"# {_comment(reason)}" for reason in _reasons(one)]
        lines.append(f"{key:{width}} = {{ {', '.join(_declared(one))} }}")
    return "\n".join(lines) + "\n"


def _unit(found: TableInspection) -> Iterator[str]:
    unit = found.unit
    if unit.person_key is not None:
        protected = text(
            "Unit of protection: {people} people in {rows} rows, by {key}.",
            people=numeral(unit.people),
            rows=numeral(unit.rows),
            key=_comment(unit.person_key),
        )
    else:
        protected = text(
            "Unit of protection: each row counts as a person. If people have several rows, declare a person-key."
        )
    yield f"# {protected}"
    if unit.repeated:
        yield f"# {text('{n} rows repeat another row exactly.', n=numeral(unit.repeated))}"
    yield ""


def _reasons(one: InspectedColumn) -> Iterator[str]:
    n = one.profile.distinct
    yield plural(
        "{type}, {n} value: {reason}", "{type}, {n} values: {reason}", n,
        type=text(one.profile.type), n=numeral(n), reason=text(one.proposal.reason),
    )  # fmt: skip
    if one.harbor is not None:
        kind, remedy = text(one.harbor.kind), text(one.harbor.remedy)
        yield text("HIPAA Safe Harbor, {kind}: {remedy}", kind=kind, remedy=remedy)
    preset = PRESETS.get(preset_name(one.hierarchy or "") or "")
    if preset is not None and preset.levels:
        yield f"{text(preset.description)}: {', '.join(preset.levels)}"
    if one.role is Role.SENSITIVE and (level := _published_level(one)):
        yield text(
            "published at level {level}, since {n} values are many; without level: the codes", level=level, n=numeral(n)
        )
    if one.profile.column.n_impossible:
        impossible = f"{one.profile.column.n_impossible:,}"
        yield text("{n} dates name no such day: correct them, then set type and levels", n=impossible)
    elif one.profile.column.doubtful_dates:
        yield text("day and month are ambiguous: set day_first = true or false, then type and levels")


def _declared(one: InspectedColumn) -> Iterator[str]:
    yield f'role = "{one.role}"'
    if one.hierarchy is not None and one.role in {Role.QUASI_IDENTIFIER, Role.SENSITIVE}:
        yield f"hierarchy = {json.dumps(one.hierarchy, ensure_ascii=False)}"
        if one.role is Role.SENSITIVE and (level := _published_level(one)):
            yield f'level = "{level}"'
        return
    if one.role is not Role.QUASI_IDENTIFIER:
        return
    column = one.profile.column
    if column.holds_dates:
        levels = _LEVELS_OF_BIRTH if one.proposal.topic is Topic.BIRTH else _LEVELS
        yield f'type = "date", levels = {json.dumps(levels)}'
    elif one.proposal.topic is Topic.POSTCODE:
        yield "mask = true"
    elif column.is_numeric and one.proposal.categories:
        yield 'type = "category"'


def _published_level(one: InspectedColumn) -> str | None:
    """Return the finest level of a sensitive column's preset that has few labels, else the coarsest; None: no need."""
    preset = PRESETS.get(preset_name(one.hierarchy or "") or "")
    if preset is None or not preset.levels or one.profile.distinct <= _MANY_VALUES:
        return None
    found = preset_hierarchy(preset.name, one.profile.column.values)
    sizes = zip(preset.levels, found.labels, strict=False)
    return next((level for level, labels in sizes if len(labels) <= _MANY_VALUES), preset.levels[-1])


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else json.dumps(name, ensure_ascii=False).replace("\x7f", "\\u007f")


def _comment(words: str) -> str:
    """Return words for a comment: TOML allows no controls in it."""
    return "".join(letter if letter.isprintable() else "?" for letter in words)
