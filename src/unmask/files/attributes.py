"""What is declared of a column, made into an attribute: hierarchy, missing policy, mark, harm."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

from unmask.errors import InvalidInputError
from unmask.files.encodings import as_utf8
from unmask.files.raw import Kind
from unmask.files.reading import require_file
from unmask.files.roles import ColumnRole, Roles
from unmask.hierarchy import ROOT, Hierarchy, exact, number_text
from unmask.schema import MARK, Attribute, Categorical, Domain, Harm, Numeric, Ordered, Role

_MARKS = (MARK, "NA", "NULL", "missing", "no value")


def attribute_of(name: str, role: Role, kind: Kind, labels: Sequence[str], roles: Roles) -> Attribute:
    """Return the attribute of a raw column with these distinct values, its domain not yet known.

    Fails
        With `InvalidInputError` where the hierarchy lacks a value of the column.
    """
    declared = roles.of_column(name)
    hierarchy = hierarchy_of(name, declared, roles, labels, dated=kind is Kind.DATE)
    if hierarchy is not None:
        hierarchy.require(name, labels)
    harm = Harm(frozenset(declared.harmless), dict(declared.limit))
    return Attribute(name, role, Categorical(()), hierarchy, roles.policy, harm, mark_for(labels))


def mark_for(values: Iterable[str]) -> str:
    """Return how a missing value is written in a column: `?`, unless that is one of its values."""
    taken = set(values)
    return next((mark for mark in _MARKS if mark not in taken), "?" * (1 + max((len(v) for v in taken), default=0)))


def declared_domain(declared: ColumnRole) -> Domain | None:
    """Return what is declared of a published column's values; None leaves it to the cells."""
    if declared.order is not None:
        return Ordered(declared.order)
    if declared.type == "integer":
        return Numeric(declared.low, declared.high, declared.step or 1.0)
    if declared.type == "number" or declared.step is not None:
        return Numeric(declared.low, declared.high, declared.step)
    return None if declared.type is None and not declared.mask else Categorical(())


def hierarchy_of(
    name: str, declared: ColumnRole, roles: Roles, labels: Sequence[str], *, dated: bool = False
) -> Hierarchy | None:
    """Return the hierarchy that is declared of a column: read from a file, or made of the column's values."""
    ways = [key for key in ("hierarchy", "mask", "bins", "levels") if getattr(declared, key)]
    if len(ways) > 1:
        msg = f"column {name!r} must be generalized in one way; got {' and '.join(ways)}. Keep one of them"
        raise InvalidInputError(msg)
    if declared.hierarchy is not None:
        return read_hierarchy(roles.file(declared.hierarchy))
    if not labels or not ways:
        return None
    if declared.mask:
        return Hierarchy.masks(labels)
    if declared.bins:
        return _binned(name, labels, declared.bins)
    if not dated:
        msg = f"column {name!r} must hold dates to have the levels {', '.join(declared.levels or ())}; it does not"
        raise InvalidInputError(msg)
    return Hierarchy.from_rows([day, *(_period(day, level) for level in declared.levels or ()), ROOT] for day in labels)


def read_hierarchy(path: Path) -> Hierarchy:
    """Read a hierarchy in ARX's CSV form, in any encoding."""
    require_file(path)
    with as_utf8(path, path.name) as text:
        try:
            return Hierarchy.from_csv(text.path.read_text(encoding="utf-8-sig"))
        except InvalidInputError as error:
            msg = f"{path.name!r}: {error}"
            raise InvalidInputError(msg) from None


def _binned(name: str, labels: Sequence[str], bins: Sequence[float]) -> Hierarchy:
    try:
        numbers = {label: exact(label) for label in labels}
    except ValueError:
        msg = f"column {name!r} must hold numbers to be put into bins; some of its values are none"
        raise InvalidInputError(msg) from None
    if len(bins) == 1:
        return Hierarchy.intervals(labels, bins)
    if (np.diff(bins) <= 0).any():
        msg = f"the edges of the bins of column {name!r} must rise; they do not"
        raise InvalidInputError(msg)
    edges = [exact(edge) for edge in bins]
    texts = [number_text(edge) for edge in bins]
    names = [f"<{texts[0]}", *(f"[{a}, {b})" for a, b in pairwise(texts)), f">={texts[-1]}"]
    ordered = sorted(numbers, key=numbers.__getitem__)
    return Hierarchy.from_rows([text, names[bisect_right(edges, numbers[text])], ROOT] for text in ordered)


def _period(day: str, level: str) -> str:
    year, month = day[:4], int(day[5:7])
    return {"year": year, "quarter": f"{year}-Q{(month + 2) // 3}", "month": f"{year}-{month:02}"}[level]
