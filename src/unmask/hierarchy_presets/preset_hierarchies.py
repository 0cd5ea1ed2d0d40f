"""The hierarchy that a preset gives to the values of a column."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from unmask.errors import InvalidInputError, first_of
from unmask.hierarchies import ROOT, Hierarchy, exact
from unmask.hierarchy_presets.all_presets import PRESETS, preset_named
from unmask.hierarchy_presets.names import BY_TABLE, NAMES
from unmask.hierarchy_presets.numbers import quantiles, rounded
from unmask.hierarchy_presets.population_rule import pooled, safe_harbor
from unmask.hierarchy_presets.postcodes import POSTCODES, US

FEWEST_KNOWN = 0.5
"""The least share of distinct values that a preset must know; else it is the wrong one."""


@dataclass(frozen=True, slots=True, eq=False)
class PresetHierarchy:
    """The hierarchy of some values, and those among them that the preset does not know, in order."""

    hierarchy: Hierarchy
    unknown: tuple[str, ...] = ()


def preset_hierarchy(name: str, values: Iterable[str]) -> PresetHierarchy:
    """Return the hierarchy that a preset gives to values; a value that it does not know is under `*` on every level.

    Fails
        With `InvalidInputError` for an unknown name.
    """
    preset = preset_named(name)
    listed = sorted(dict.fromkeys(values))
    if preset.are_numbers:
        listed.sort(key=lambda value: exact(value.strip()) if preset.fits(value) else -1)
    nothing = (ROOT,) * len(preset.levels)
    found = {value: preset.labels(value) for value in listed}
    rows = [(value, *(nothing if labels is None else labels), ROOT) for value, labels in found.items()]
    unknown = tuple(value for value, labels in found.items() if labels is None)
    levels = len(nothing) + 1
    made = Hierarchy.from_rows(rows) if rows else Hierarchy((), ((),) * levels, ((),) * levels)  # type: ignore[arg-type]
    return PresetHierarchy(replace(made, declared=False, preset=name), unknown)


def table_hierarchy(
    name: str, rows: Mapping[str, int], *, column: str = "column", people: Mapping[str, float] | None = None
) -> PresetHierarchy:
    """Return the hierarchy that a preset gives to a column, with the 20,000-people rule if people are given.

    `rows` are the rows with each value.

    Fails
        With `InvalidInputError` for an unknown name, for numbers where values are none, and where the preset knows less
        than half of the distinct values.
    """
    if name not in NAMES:
        raise InvalidInputError.unknown_name("preset", name, NAMES)
    if people is not None and PRESETS.get(name) not in POSTCODES:
        msg = f"a population must belong to a preset of postcodes; got {name}. Leave out --population"
        raise InvalidInputError(msg)
    if name in BY_TABLE:
        try:
            return PresetHierarchy(replace({"quantiles": quantiles, "rounded": rounded}[name](rows), declared=False))
        except ValueError:
            msg = f"column {column!r} must hold numbers for the preset {name}; some of its values are none"
            raise InvalidInputError(msg) from None
    found = preset_hierarchy(name, rows)
    require_known(found, column)
    if people is None:
        return found
    rule = safe_harbor if PRESETS[name] is US else pooled
    return PresetHierarchy(rule(PRESETS[name], found.hierarchy.leaves, people), found.unknown)


def require_known(found: PresetHierarchy, column: str) -> None:
    """Fail where a preset knows less than half of the distinct values of a column."""
    n, unknown, name = len(found.hierarchy.leaves), found.unknown, found.hierarchy.preset
    if len(unknown) > (1 - FEWEST_KNOWN) * n:
        msg = (
            f"preset {name} must know most values of column {column!r}; it does not know {len(unknown)} of {n}: "
            f"{first_of(unknown)}. Choose another preset, or write a hierarchy as a file"
        )
        raise InvalidInputError(msg)


def unknown_note(found: PresetHierarchy) -> str:
    """Return a note on the values that a preset does not know, with the way out; empty if it knows all."""
    if not found.unknown:
        return ""
    return (
        f"values that preset {found.hierarchy.preset} does not know, under * on every level: {len(found.unknown)} "
        f"({first_of(found.unknown)}). Correct them, name marks of missing values with --missing, or write the "
        f"hierarchy with unmask hierarchy --out and change their lines"
    )
