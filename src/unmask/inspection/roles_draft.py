"""A commented `roles.toml`, drafted from the inspection of a table."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from unmask.hierarchy_presets.all_presets import PRESETS
from unmask.hierarchy_presets.names import preset_name
from unmask.inspection.field_knowledge import Topic
from unmask.inspection.table_inspection import InspectedColumn, TableInspection
from unmask.schema import Role

_BARE = re.compile(r"[A-Za-z0-9_-]+")
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
    if one.profile.column.doubtful_dates:
        yield "day and month are ambiguous: set day_first = true or false, then type and levels"


def _declared(one: InspectedColumn) -> Iterator[str]:
    yield f'role = "{one.role}"'
    if one.hierarchy is not None and one.role in {Role.QUASI_IDENTIFIER, Role.SENSITIVE}:
        yield f"hierarchy = {json.dumps(one.hierarchy, ensure_ascii=False)}"
        return
    if one.role is not Role.QUASI_IDENTIFIER:
        return
    column = one.profile.column
    if column.holds_dates:
        yield 'type = "date", levels = ["month", "quarter", "year"]'
    elif one.proposal.topic is Topic.POSTCODE:
        yield "mask = true"
    elif column.is_numeric and one.proposal.categories:
        yield 'type = "category"'


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else json.dumps(name, ensure_ascii=False).replace("\x7f", "\\u007f")


def _comment(text: str) -> str:
    """Return text for a comment: TOML allows no controls in it."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)
