"""The hierarchy that a preset gives to the values of a column."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from unmask.errors import InvalidInputError
from unmask.hierarchies import ROOT, Hierarchy, exact
from unmask.hierarchy_presets.all_presets import PRESETS, preset_named
from unmask.hierarchy_presets.names import BY_TABLE, NAMES
from unmask.hierarchy_presets.numbers import quantiles, rounded
from unmask.hierarchy_presets.periods import periods
from unmask.hierarchy_presets.population_rule import pooled, safe_harbor
from unmask.hierarchy_presets.postcodes import POSTCODES, US
from unmask.wording import message

FEWEST_KNOWN = 0.5
"""The least share of distinct values that a preset must know; else it is the wrong one."""


def preset_hierarchy(name: str, values: Iterable[str]) -> Hierarchy:
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
    levels = len(nothing) + 1
    made = Hierarchy.from_rows(rows) if rows else Hierarchy((), ((),) * levels, ((),) * levels)  # type: ignore[arg-type]
    return replace(made, declared=False, preset=name)


def extended(hierarchy: Hierarchy, values: Iterable[str]) -> Hierarchy:
    """Return the hierarchy of a preset with the codes among further values as leaves too; another one unchanged."""
    if hierarchy.preset is None:
        return hierarchy
    codes = set(filter(preset_named(hierarchy.preset).fits, values)).difference(hierarchy.leaves)
    return preset_hierarchy(hierarchy.preset, codes.union(hierarchy.leaves)) if codes else hierarchy


def table_hierarchy(
    name: str, rows: Mapping[str, int], *, column: str = "column", people: Mapping[str, float] | None = None
) -> Hierarchy:
    """Return the hierarchy that a preset gives to a column, with the 20,000-people rule if people are given.

    `rows` are the rows with each value.

    Fails
        With `InvalidInputError` for an unknown name, for numbers where values are none, and where the preset knows less
        than half of the distinct values.
    """
    if name not in NAMES:
        raise InvalidInputError.unknown_name(message("preset"), name, NAMES)
    if people is not None and PRESETS.get(name) not in POSTCODES:
        msg = message(
            "a population must belong to a preset of postcodes; got {name}. Leave out --population", name=name
        )
        raise InvalidInputError(msg)
    if name in BY_TABLE:
        try:
            return replace({"dates": periods, "quantiles": quantiles, "rounded": rounded}[name](rows), declared=False)
        except ValueError:
            kind = message("dates" if name == "dates" else "numbers")
            msg = message(
                "column {column} must hold {kind} for the preset {name}; some of its values are none",
                column=repr(column),
                kind=kind,
                name=name,
            )
            raise InvalidInputError(msg) from None
    found = preset_hierarchy(name, rows)
    require_known(found, column)
    if people is None:
        return found
    rule = safe_harbor if PRESETS[name] is US else pooled
    return rule(PRESETS[name], found.leaves, people)


def require_known(hierarchy: Hierarchy, column: str) -> None:
    """Fail where the preset of a hierarchy knows less than half of the distinct values of a column."""
    n, unknown, name = len(hierarchy.leaves), unknown_values(hierarchy), hierarchy.preset
    if len(unknown) > (1 - FEWEST_KNOWN) * n:
        msg = message(
            "preset {name} must know most values of column {column}; it does not know {n} of {levels}. Choose "
            "another preset, or write a hierarchy as a file",
            name=name,
            column=repr(column),
            n=len(unknown),
            levels=n,
        )
        raise InvalidInputError(msg)


def unknown_values(hierarchy: Hierarchy) -> list[str]:
    """Return the leaves of a hierarchy that its preset does not know; none without a preset."""
    if hierarchy.preset is None:
        return []
    fits = preset_named(hierarchy.preset).fits
    return [leaf for leaf in hierarchy.leaves if not fits(leaf)]
