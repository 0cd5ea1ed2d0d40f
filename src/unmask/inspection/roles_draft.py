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
from unmask.schema import Role

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_LEVELS = ("month", "quarter", "year")
_LEVELS_OF_BIRTH = ("year", "5-years", "decade")
_MANY_VALUES = 100  # sensitive values that a release should have at most, where codes can be joined
_HEAD = """\
# Drafted by unmask inspect from {name} ({rows:,} rows): proposals from the names, forms and counts of columns.
# Check each of them. What could an attacker know of a person? That is a quasi-identifier. What must stay private?
# That is sensitive. No column is safe by itself; role = "insensitive" publishes one unchanged, and is yours to declare.
"""


def roles_draft(found: TableInspection) -> str:
    """Return the proposed roles as `roles.toml`, each column with the reason as a comment."""
    lines = [_HEAD.format(name=_comment(found.name), rows=found.unit.rows), *_unit(found)]
    if found.missing:
        lines += [f"missing = {json.dumps(list(found.missing), ensure_ascii=False)}  # marks that occur", ""]
    lines.append("[columns]")
    keys = [_key(one.name) for one in found.columns]
    width = min(max(map(len, keys)), 24)
    for key, one in zip(keys, found.columns, strict=True):
        lines += [f"# {_comment(text)}" for text in _reasons(one)]
        lines.append(f"{key:{width}} = {{ {', '.join(_declared(one))} }}")
    return "\n".join(lines) + "\n"


def _unit(found: TableInspection) -> Iterator[str]:
    unit = found.unit
    if unit.person_key is not None:
        yield f"# Unit of protection: {unit.people:,} people in {unit.rows:,} rows, by {_comment(unit.person_key)}."
    else:
        yield "# Unit of protection: each row counts as a person. If people have several rows, declare a person-key."
    if unit.repeated:
        yield f"# {unit.repeated:,} rows repeat another row exactly."
    yield ""


def _reasons(one: InspectedColumn) -> Iterator[str]:
    counts = f"{one.profile.type}, {one.profile.distinct:,} value{'s'[: one.profile.distinct != 1]}"
    yield f"{counts}: {one.proposal.reason}"
    if one.harbor is not None:
        yield f"HIPAA Safe Harbor, {one.harbor.kind}: {one.harbor.remedy}"
    preset = PRESETS.get(preset_name(one.hierarchy or "") or "")
    if preset is not None and preset.levels:
        yield f"{preset.description}: {', '.join(preset.levels)}"
    if one.role is Role.SENSITIVE and (level := _published_level(one)):
        yield f"published at level {level}, since {one.profile.distinct:,} values are many; without level: the codes"
    if one.profile.column.n_impossible:
        yield f"{one.profile.column.n_impossible:,} dates name no such day: correct them, then set type and levels"
    elif one.profile.column.doubtful_dates:
        yield "day and month are ambiguous: set day_first = true or false, then type and levels"


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


def _comment(text: str) -> str:
    """Return text for a comment: TOML allows no controls in it."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)
