"""Sensitive columns that are published at a level of their hierarchy: the labels of that level are their values."""

from __future__ import annotations

from collections.abc import Sequence

from unmask.errors import InvalidInputError, did_you_mean, quoted
from unmask.files.roles import ColumnRole
from unmask.hierarchies import ROOT, Hierarchy
from unmask.hierarchy_presets.all_presets import PRESETS
from unmask.hierarchy_presets.names import preset_name
from unmask.number_format import numeral
from unmask.schema import Role
from unmask.wording import message


def require_level(name: str, role: Role, declared: ColumnRole) -> None:
    """Fail where a level is declared for a column that is not sensitive, or has no hierarchy."""
    if declared.level is not None and role is not Role.SENSITIVE:
        msg = message(
            "column {name} must be sensitive to have a level; it is {role}. Leave the level out: sanitizers "
            "choose those of quasi-identifiers",
            name=repr(name),
            role=role,
        )
        raise InvalidInputError(msg)
    if declared.level is not None and not (declared.hierarchy or declared.mask or declared.bins or declared.levels):
        msg = message(
            'column {name} must have a hierarchy to have a level; got none. Add hierarchy = "FILE" or "preset:NAME"',
            name=repr(name),
        )
        raise InvalidInputError(msg)


def published_labels(
    name: str, declared: ColumnRole, hierarchy: Hierarchy, values: Sequence[str]
) -> tuple[list[str], Hierarchy]:
    """Return the label of each value, (values,), at the declared level, and the hierarchy above that level.

    Fails
        With `InvalidInputError` for an unknown level, one whose labels are split above it, and values that the preset
        does not know.
    """
    level = level_number(name, declared, hierarchy)
    leaf = {value: i for i, value in enumerate(hierarchy.leaves)}
    at = hierarchy.label_of[level - 1]
    labels = [hierarchy.labels[level - 1][at[leaf[value]]] for value in values]
    unknown = [value for value, label in zip(values, labels, strict=True) if label == ROOT]
    if unknown and len(hierarchy.labels[level - 1]) > 1:
        msg = message(
            "column {name} must have a label for each value to be published at the level {level}; {n} of "
            "{of} have none. Correct them, or name marks of missing values with --missing",
            name=repr(name),
            level=declared.level,
            n=numeral(len(unknown)),
            of=numeral(len(values)),
        )
        raise InvalidInputError(msg)
    return labels, hierarchy.above(level)


def level_number(name: str, declared: ColumnRole, hierarchy: Hierarchy) -> int:
    """Return the number of the declared level: its name in the preset or among the levels of a date, or a number."""
    preset = PRESETS.get(preset_name(declared.hierarchy or "") or "")
    names = list(map(str, declared.levels or ())) if preset is None else list(preset.levels)
    if declared.level in names:
        return 1 + names.index(declared.level)
    level, top = declared.level, len(hierarchy.labels)
    if not isinstance(level, int) or level > top:
        known = (
            message("one of {names}, or a number from 1 to {top}", names=", ".join(names), top=top)
            if names
            else message("a number from 1 to {top}", top=top)
        )
        msg = message(
            "the level of column {name} must be {known}; got {level}.{did_you_mean}",
            name=repr(name),
            known=known,
            level=quoted(str(level)),
            did_you_mean=did_you_mean(str(level), names),
        )
        raise InvalidInputError(msg)
    return level
