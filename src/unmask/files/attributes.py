"""Attributes from column declarations: hierarchy, missing-value policy, mark, harm."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

from unmask.dates import day_number
from unmask.errors import InvalidInputError, enumerated
from unmask.files.date_hierarchies import date_bins, date_levels
from unmask.files.encodings import as_utf8
from unmask.files.existence import require_file
from unmask.files.raw import Kind
from unmask.files.roles import ColumnRole, Roles
from unmask.hierarchies import ROOT, Hierarchy, decimal_text, exact
from unmask.hierarchy_presets.names import is_of_table, preset_name
from unmask.hierarchy_presets.preset_hierarchies import preset_hierarchy, require_known, table_hierarchy
from unmask.schema import MARK, Attribute, Categorical, Domain, Numeric, Ordered, Role, mark_for
from unmask.wording import message


def attribute_of(name: str, role: Role, kind: Kind, rows: Mapping[str, int], roles: Roles) -> Attribute:
    """Return the attribute of a raw column from its rows with each value; its domain is left empty.

    Fails
        With `InvalidInputError` where the hierarchy lacks a value of the column.
    """
    declared = roles.of_column(name)
    if declared.order is not None and declared.level is None:
        listed = {value: rows.get(value, 0) for value in declared.order if value != MARK}
    else:
        listed = dict(rows)
    hierarchy = hierarchy_of(name, declared, roles, listed, kind)
    if hierarchy is not None:
        hierarchy.require(name, rows)
    return Attribute(name, role, Categorical(()), hierarchy, roles.policy, declared.harm, mark_for(tuple(rows)))


def declared_domain(declared: ColumnRole) -> Domain | None:
    """Return the declared domain of a published column; None: derive it from the cells."""
    if declared.order is not None:
        return Ordered(declared.order)
    if declared.type == "integer" or declared.holds_dates:
        return Numeric(*declared.bounds, declared.step or 1.0, dates=declared.holds_dates)
    if declared.type == "number" or declared.step is not None:
        return Numeric(*declared.bounds, declared.step)
    return None if declared.type is None and not declared.holds_codes else Categorical(())


def hierarchy_of(
    name: str, declared: ColumnRole, roles: Roles, rows: Mapping[str, int], kind: Kind
) -> Hierarchy | None:
    """Return the declared hierarchy of a column: from a file, a preset, or built from the column's values.

    `rows` are the rows with each value.
    """
    labels = tuple(rows)
    ways = [key for key in ("hierarchy", "mask", "bins", "levels") if getattr(declared, key)]
    if len(ways) > 1:
        msg = message(
            "column {name} must be generalized in one way; got {ways}. Keep one of them",
            name=repr(name),
            ways=enumerated(ways),
        )
        raise InvalidInputError(msg)
    if declared.hierarchy is not None and is_of_table(declared.hierarchy):
        return table_hierarchy(preset_name(declared.hierarchy) or "", rows, column=name) if labels else None
    if declared.hierarchy is not None:
        found = named_hierarchy(declared.hierarchy, roles, labels)
        require_known(found, name)
        return found
    if not labels or not ways:
        return None
    return replace(_made(name, declared, labels, kind), declared=False)


def _made(name: str, declared: ColumnRole, labels: Sequence[str], kind: Kind) -> Hierarchy:
    """Build a hierarchy from the values of a column."""
    if declared.mask:
        return Hierarchy.masks(labels)
    if kind is Kind.DATE and declared.bins:
        return date_bins(name, labels, [day_number(one) if isinstance(one, date) else one for one in declared.bins])
    if declared.bins:
        step = declared.step or (1.0 if kind is Kind.INTEGER and declared.type != "number" else None)
        return _binned(name, labels, declared.bins, Numeric(*declared.bounds, step))
    if kind is not Kind.DATE:
        msg = message(
            "column {name} must hold dates to have the levels {levels}; it does not",
            name=repr(name),
            levels=", ".join(declared.levels or ()),
        )
        raise InvalidInputError(msg)
    return date_levels(name, labels, declared.levels or (), declared.reference)


def named_hierarchy(text: str, roles: Roles, values: Iterable[str] = ()) -> Hierarchy:
    """Return the hierarchy that a column declares: read from a file, or that of a preset over some values."""
    preset = preset_name(text)
    return read_hierarchy(roles.file(text)) if preset is None else preset_hierarchy(preset, values)


def read_hierarchy(path: Path) -> Hierarchy:
    """Read a hierarchy in ARX's CSV form, in any encoding."""
    require_file(path)
    with as_utf8(path, path.name) as text:
        try:
            return Hierarchy.from_csv(text.path.read_text(encoding="utf-8-sig"))
        except InvalidInputError as error:
            msg = message("{path}: {error}", path=repr(path.name), error=str(error))
            raise InvalidInputError(msg) from None


def _binned(name: str, labels: Sequence[str], bins: Sequence[float | date], domain: Numeric) -> Hierarchy:
    """Return a hierarchy of bins with the given edges, then `*`; a single edge is the width of all bins."""
    try:
        numbers = {label: exact(label) for label in labels}
    except ValueError:
        msg = message(
            "column {name} must hold numbers to be put into bins; some of its values are none", name=repr(name)
        )
        raise InvalidInputError(msg) from None
    edges = [exact(edge) for edge in bins if not isinstance(edge, date)]
    if len(edges) < len(bins):
        msg = message(
            "the edges of the bins of column {name} must be numbers, as its values are; got dates", name=repr(name)
        )
        raise InvalidInputError(msg)
    if any(low >= high for low, high in pairwise(edges)):
        msg = message("the edges of the bins of column {name} must rise; they do not", name=repr(name))
        raise InvalidInputError(msg)

    def label(number: Fraction) -> str:
        if len(edges) == 1:
            low = number // edges[0] * edges[0]
            return _bin_text(low, low + edges[0], domain)
        at = bisect_right(edges, number)
        return _bin_text(edges[at - 1] if at else None, edges[at] if at < len(edges) else None, domain)

    return Hierarchy.from_rows([text, label(numbers[text]), ROOT] for text in sorted(numbers, key=numbers.__getitem__))


def _bin_text(low: Fraction | None, high: Fraction | None, domain: Numeric) -> str:
    """Write a bin: `<20`, `20-29` for integers, `[20, 30)` for others, `30+`; outer bins end at the domain's bounds."""
    whole = domain.step == 1 and all(end is None or end.denominator == 1 for end in (low, high))
    begin = exact(domain.low) if low is None and domain.low is not None else low
    if begin is None:
        return f"<{decimal_text(high)}" if high is not None else ROOT
    if high is None and domain.high is None:
        return f"{decimal_text(begin)}+" if begin >= 0 else f">={decimal_text(begin)}"
    last = high - 1 if high is not None else exact(domain.high or 0.0)
    if whole and begin >= 0 and last >= begin:
        return f"{decimal_text(begin)}-{decimal_text(last)}"
    if high is None:
        return f"[{decimal_text(begin)}, {decimal_text(last)}]"
    return f"[{decimal_text(begin)}, {decimal_text(high)})"
