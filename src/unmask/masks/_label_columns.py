"""A column of cells read as listed values, sets of them, labels of a hierarchy, and masks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from decimal import Decimal

import numpy as np

from unmask.errors import InvalidInputError
from unmask.masks import _labels, _numbers, _spellings
from unmask.masks._columns import CellsRead, Column, assembled
from unmask.masks._numbers import Piece
from unmask.numerals import in_order
from unmask.schema import Attribute, Categorical, Ordered


def listed(column: Column, declared: Categorical | Ordered) -> CellsRead:
    """Read a column whose cells are values, sets, labels or masks; the domain is all that they and people name."""
    named = _named(column, frozenset(declared.values))
    under = _meanings(column, declared, named.values())
    known = {value for cell in named.values() for value in cell.values}.union(*under.values())
    if column.attribute.hierarchy is not None:
        known.update(column.attribute.hierarchy.leaves)
    of_people = _of_people(column, named.values(), under)
    domain = _domain(
        column,
        declared,
        known,
        frozenset(mask for cell in named.values() for mask in cell.masks),
        frozenset[str]().union(*of_people.values(), *map(column.alike, named)),
    )
    code = {value: float(i) for i, value in enumerate(domain.values)}
    read: dict[str, list[Piece]] = {}
    for body, cell in named.items():
        values = {value for value in cell.values if value not in of_people}
        values.update(*(under[label] for label in (*cell.labels, *cell.masks) if label not in of_people))
        values.update(column.alike(body), *(of_people.get(name, ()) for name in (*cell.values, *cell.labels)))
        read[body] = _numbers.merged((Piece(code[value], code[value]) for value in values), 1.0)
    missing = tuple(
        absent or (body in named and named[body].missing)
        for body, absent in zip(column.bodies, column.missing, strict=True)
    )
    return assembled(replace(column, missing=missing), replace(column.attribute, domain=domain), read)


def _named(column: Column, values: frozenset[str]) -> dict[str, _labels.Cell]:
    """Return what each text names; a declared value is itself, whatever it looks like."""
    named = {}
    for body in column.told:
        cell = _labels.Cell(values=(body,)) if body in values else _labels.parse(body, column.attribute.mark)
        if cell is None:
            msg = (
                f"sets in column {column.attribute.name!r} must be written like {{A, B}}, with every quote closed; "
                f"one is not"
            )
            raise InvalidInputError(msg)
        named[body] = cell
    return named


def _meanings(
    column: Column, declared: Categorical | Ordered, named: Iterable[_labels.Cell]
) -> Mapping[str, frozenset[str]]:
    """Return the values that each label or mask stands for."""
    cells, hierarchy = list(named), column.attribute.hierarchy
    under: dict[str, frozenset[str]] = {}
    for label in {label for cell in cells for label in (*cell.labels, *cell.masks)}:
        leaves = None if hierarchy is None else hierarchy.leaves_under(label)
        under[label] = leaves if leaves is not None else frozenset(() if _labels.is_mask(label) else (label,))
    masks = {mask for cell in cells for mask in cell.masks}
    known = {value for cell in cells for value in cell.values}.union(declared.values, column.also, *under.values())
    known.update(() if hierarchy is None else hierarchy.leaves)
    for mask in masks:
        prefix = mask.rstrip("*")
        under[mask] |= {value for value in known if value.startswith(prefix)}
        if not under[mask]:  # nobody known fits: the mask stands for itself
            under[mask] = frozenset((mask,))
    return under


def _of_people(
    column: Column, named: Iterable[_labels.Cell], under: Mapping[str, frozenset[str]]
) -> Mapping[str, frozenset[str]]:
    """Return the values of people that a name or label stands for beyond itself: other spellings, numbers in a range.

    A name that no person has, and that is another spelling of what people have, stands for that alone. Where a range
    is itself the value of a person, numbers that have a cell of their own are not in it: 1-2 may be a house.
    """
    cells = list(named)
    labels = {label for cell in cells for label in cell.labels}
    names = labels.union(*(cell.values for cell in cells))
    people = column.also.union(() if column.attribute.hierarchy is None else column.attribute.hierarchy.leaves)
    spelled = _spellings.spelled(names, people)
    ranges = {
        label: pieces
        for label in labels
        if under[label] == {label} and (pieces := _spellings.number_pieces(label, column.decimal))
    }
    inside = _spellings.inside(ranges, column.also, column.decimal)
    found: dict[str, frozenset[str]] = {}
    for name in names:
        own = frozenset((name,)) if name in people else frozenset()
        held = inside.get(name, frozenset())
        more = spelled.get(name, frozenset()) | (held - names if own else held)
        if more - own and under.get(name, frozenset((name,))) == {name}:
            is_range = any(piece.low < piece.high for piece in ranges.get(name, ()))
            found[name] = more | (frozenset((name,)) if is_range else own)
    return found


def _domain(
    column: Column,
    declared: Categorical | Ordered,
    known: set[str],
    masks: frozenset[str],
    of_people: frozenset[str],
) -> Categorical | Ordered:
    """Put the values into order: the declared one, else alphabetical, or by size where they are ordered numbers."""
    extra = known.difference(declared.values)
    if declared.values and declared.declared and column.attribute.hierarchy is None:
        prefixes = tuple(mask.rstrip("*") for mask in masks)
        unlisted = sum(not value.startswith(prefixes) for value in extra) if prefixes else len(extra)
        if unlisted:
            msg = (
                f"the declared values of column {column.attribute.name!r} must include all that its cells name; "
                f"{unlisted} are missing. Complete the list, or leave it out"
            )
            raise InvalidInputError(msg)
    extra |= of_people.difference(declared.values)
    by_size = isinstance(declared, Ordered) and all(_numbers.NUMBER.fullmatch(value) for value in extra)
    ordered = sorted(extra, key=Decimal) if by_size else in_order(extra)
    return replace(declared, values=(*declared.values, *ordered))


def hierarchy_labels(attribute: Attribute) -> dict[frozenset[str], str]:
    """Return the labels of the hierarchy that may be written for a set of values: those that reading turns back."""
    hierarchy = attribute.hierarchy
    if hierarchy is None:
        return {}
    result: dict[frozenset[str], str] = {}
    for names, level in zip(hierarchy.labels, hierarchy.label_of, strict=True):
        for number, label in enumerate(names):
            under = frozenset(hierarchy.leaves[i] for i in np.flatnonzero(level == number))
            cell = _labels.parse(label, attribute.mark)
            legible = cell is not None and label in (*cell.labels, *cell.masks) and label not in attribute.values
            if not legible or len(under) < 2 or hierarchy.leaves_under(label) != under or not label.strip("*"):
                continue
            prefix = label.rstrip("*")
            if not _labels.is_mask(label) or all(v in under for v in attribute.values if v.startswith(prefix)):
                result.setdefault(under, label)
    return result
