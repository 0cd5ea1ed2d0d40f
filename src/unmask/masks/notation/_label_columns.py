"""Parser of a column of listed values, sets of them, labels of a hierarchy, and masks."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import islice, takewhile
from operator import methodcaller

import numpy as np

from unmask.dates import moment_number
from unmask.errors import InvalidInputError
from unmask.masks.notation import _spellings, date_cells, label_cells, number_cells
from unmask.masks.notation._columns import CellsRead, Column, assembled
from unmask.masks.notation.number_cells import Piece
from unmask.numerics.numerals import in_order
from unmask.schema import Attribute, Categorical, Ordered
from unmask.wording import message

MOST = 20
"""The largest size of a set for which a label or a range would be equivalent."""


def listed(column: Column, declared: Categorical | Ordered) -> CellsRead:
    """Parse a column of values, sets, labels, masks or ranges; the domain has all values of cells and people."""
    named = _named(column, declared)
    under = _meanings(column, declared, named.values())
    known = {value for cell in named.values() for value in (*cell.values, *cell.ends)}.union(*under.values())
    known.update(_between([cell.ends for cell in named.values() if cell.ends], column.also))
    if column.attribute.hierarchy is not None:
        known.update(column.attribute.hierarchy.leaves)
        known.discard(column.attribute.mark)
    of_people, respelled = _of_people(column, named.values(), under)
    domain = _domain(
        column,
        declared,
        known,
        frozenset(mask for cell in named.values() for mask in cell.masks),
        frozenset[str]().union(*of_people.values(), *map(column.alike, named)),
    )
    code = {value: float(i) for i, value in enumerate(domain.values)}
    read: dict[str, list[Piece]] = {}
    unmatched = set()
    for body, cell in named.items():
        values = {value for value in cell.values if value not in of_people}
        values.update(*(under[label] for label in (*cell.labels, *cell.masks) if label not in of_people))
        values.update(column.alike(body), *(of_people.get(name, ()) for name in (*cell.values, *cell.labels)))
        if column.also and values.isdisjoint(column.also):
            unmatched.add(body)
        run = [Piece(code[cell.ends[0]], code[cell.ends[1]])] if cell.ends else []
        read[body] = number_cells.merged([*run, *(Piece(code[value], code[value]) for value in values)], 1.0)
    missing = tuple(
        absent or (body in named and named[body].missing)
        for body, absent in zip(column.bodies, column.missing, strict=True)
    )
    whole = {body for body, cell in named.items() if cell.ends or under.get(body, {body}) != {body}}
    column = replace(column, missing=missing)
    return assembled(
        column,
        replace(column.attribute, domain=domain),
        read,
        label=whole.union(column.declared),
        respelled=respelled,
        unmatched=frozenset(unmatched),
    )


def _named(column: Column, declared: Categorical | Ordered) -> dict[str, label_cells.LabelCell]:
    """Return the parsed cell of each text; a declared value or label of the hierarchy is taken literally.

    A text is a range only if its ends are in order, and no person has it as a value.
    """
    values, named = frozenset(declared.values), {}
    order = {value: i for i, value in enumerate(declared.values)} if isinstance(declared, Ordered) else {}
    for body in column.distinct_bodies:
        cell: label_cells.LabelCell | None
        if body in column.declared and (column.level or body not in values):
            cell = label_cells.LabelCell(labels=(body,))
        elif body in values or column.cells == "labels":
            cell = label_cells.LabelCell(values=(body,))
        else:
            cell = label_cells.parse(body, column.attribute.mark)
            if cell is not None and cell.ends and _spellings.number_pieces(body, column.style):
                cell = label_cells.LabelCell(labels=(body,))  # $10..$19 is in order of size
        if cell is None:
            msg = message(
                "sets in column {attribute} must be written like {{A, B}}, with every quote closed; one is not",
                attribute=repr(column.attribute.name),
            )
            raise InvalidInputError(msg)
        if cell.ends:
            low, high = (order.get(end, -1) for end in cell.ends) if order else cell.ends
            is_range = low <= high and low != -1 and body not in column.also  # type: ignore[operator]  # of one kind
            cell = cell if is_range else label_cells.LabelCell(labels=(body,))
        named[body] = cell
    return named


def _meanings(
    column: Column, declared: Categorical | Ordered, named: Iterable[label_cells.LabelCell]
) -> Mapping[str, frozenset[str]]:
    """Return the values of each label, mask or period of dates."""
    cells, hierarchy = list(named), column.attribute.hierarchy
    under: dict[str, frozenset[str]] = {}
    for label in {label for cell in cells for label in (*cell.labels, *cell.masks)}:
        leaves = None if hierarchy is None else hierarchy.leaves_under(label, column.level)
        own = frozenset(() if label_cells.is_mask(label) else (label,))
        under[label] = own if leaves is None else leaves - {column.attribute.mark}
    named_values = {value for cell in cells for value in (*cell.values, *cell.ends)}
    exact = named_values.union(declared.values, column.also, () if hierarchy is None else hierarchy.leaves)
    known = exact.union(*under.values()) - {column.attribute.mark}
    masks = {mask for cell in cells for mask in cell.masks if mask not in column.declared}
    in_order = sorted(known) if masks else []
    for mask in masks:
        prefix = mask.rstrip("*")
        first = bisect_left(in_order, prefix)
        under[mask] |= set(takewhile(methodcaller("startswith", prefix), islice(in_order, first, None)))
        if not under[mask]:  # no known person fits: the mask is a value
            under[mask] = frozenset((mask,))
    dated = {value: day for value in known if (day := moment_number(value)) is not None}
    words = (value for value in column.also if value not in dated)
    if dated and not any(letter.isdigit() for value in words for letter in value):
        days, at = list(dated), np.array(list(dated.values()))
        for label in under.keys() - exact - column.declared.keys():
            held = [number_cells.holds(piece, at) for piece in date_cells.parse(label) or ()]
            inside = np.flatnonzero(np.any(held, axis=0)) if held else ()
            if len(inside):
                under[label] = frozenset(days[i] for i in inside)
    return under


def _of_people(
    column: Column, named: Iterable[label_cells.LabelCell], under: Mapping[str, frozenset[str]]
) -> tuple[Mapping[str, frozenset[str]], frozenset[str]]:
    """Return the values of people that a name or label covers, and the names that are other spellings of values.

    A name that no person has, and that is another spelling of people's values, covers those alone. Where a range is the
    value of a person, numbers that have a cell of their own are not in it: 1-2 may be a house.
    """
    people = column.also.union(() if column.attribute.hierarchy is None else column.attribute.hierarchy.leaves)
    if not people or column.cells == "labels":
        return {}, frozenset()
    cells = list(named)
    labels = {label for cell in cells for label in cell.labels if under[label] == {label}}
    names = labels.union(*(cell.values for cell in cells), *(cell.labels for cell in cells))
    ranges = _spellings.inside(labels if column.cells else labels - people, column.also, column.style)
    houses = {} if column.cells else _spellings.inside(labels & people, column.also - names, column.style)
    found = {
        name: values | ({name} if name in people or name in ranges else set())
        for name, values in _spellings.spelled(names, people, column.style).items()
        if name not in under or name in labels
    }
    respelled = frozenset(name for name in found if name not in people)
    for name, values in [*ranges.items(), *houses.items()]:
        found[name] = found.get(name, frozenset()) | values | {name}
    return found, respelled


def _between(ranges: Iterable[tuple[str, ...]], values: Iterable[str]) -> set[str]:
    """Return the values in any of some ranges of text."""
    merged: list[list[str]] = []
    for low, high in sorted(ranges):
        if merged and low <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], high)
        else:
            merged.append([low, high])
    starts = [low for low, _ in merged]
    at = ((value, bisect_right(starts, value) - 1) for value in values)
    return {value for value, i in at if i >= 0 and value <= merged[i][1]}


def _domain(
    column: Column,
    declared: Categorical | Ordered,
    known: set[str],
    masks: frozenset[str],
    of_people: frozenset[str],
) -> Categorical | Ordered:
    """Return the domain in order: declared, else alphabetical, or by size for ordered numbers."""
    extra = known.difference(declared.values)
    if declared.values and declared.declared and column.attribute.hierarchy is None:
        prefixes = tuple(mask.rstrip("*") for mask in masks)
        unlisted = sum(not value.startswith(prefixes) for value in extra) if prefixes else len(extra)
        if unlisted:
            msg = message(
                "the declared values of column {attribute} must include all that its cells name; {unlisted} are "
                "missing. Complete the list, or leave it out",
                attribute=repr(column.attribute.name),
                unlisted=unlisted,
            )
            raise InvalidInputError(msg)
    extra |= of_people.difference(declared.values)
    by_size = isinstance(declared, Ordered) and all(number_cells.NUMBER.fullmatch(value) for value in extra)
    ordered = sorted(extra, key=Decimal) if by_size else in_order(extra)
    return replace(declared, values=(*declared.values, *ordered))


def texts_of(
    attribute: Attribute, domain: Categorical | Ordered, pieces: Sequence[Sequence[Piece]]
) -> tuple[list[str], list[str]]:
    """Return cells of listed values, (cells,), as a label or a range where that can be parsed; and as sets."""
    labels = hierarchy_labels(attribute)
    in_order = isinstance(domain, Ordered) or list(domain.values) == sorted(domain.values)
    short, sets = [], []
    for own in pieces:
        values = [domain.values[code] for p in own for code in range(int(p.low), int(p.high) + 1)]
        are_days = all(moment_number(value) is not None for value in (*values[:1], *values[-1:]))
        most = 2 if are_days else MOST  # days are ranges, like numbers
        is_run = len(own) == 1 and len(values) > most and in_order
        run = label_cells.range_text(values[0], values[-1], attribute.mark) if is_run else ""
        short.append(labels.get(frozenset(values), run) if len(values) > 1 else "")
        sets.append(_set_text(values, labels, attribute.mark) if own else "")
    return short, sets


def _set_text(values: list[str], labels: Mapping[frozenset[str], str], mark: str) -> str:
    """Return the text of a set; longer sets use labels of the hierarchy for all values under them.

    This shortens sets where labels apply.
    """
    left, whole = set(values), []
    if len(values) > MOST:
        for under, label in sorted(labels.items(), key=lambda item: (-len(item[0]), item[1])):
            if under <= left and not set(label) & set(',{}"'):
                whole.append(label)
                left -= under
    return label_cells.text_of([value for value in values if value in left], mark, labels=whole)


def hierarchy_labels(attribute: Attribute) -> dict[frozenset[str], str]:
    """Return the labels of the hierarchy that can be written for a set of values: those parsed as that set."""
    hierarchy = attribute.hierarchy
    if hierarchy is None:
        return {}
    result: dict[frozenset[str], str] = {}
    for names, level in zip(hierarchy.labels, hierarchy.label_of, strict=True):
        for number, label in enumerate(names):
            under = frozenset(hierarchy.leaves[i] for i in np.flatnonzero(level == number))
            cell = label_cells.parse(label, attribute.mark)
            legible = cell is not None and label in (*cell.labels, *cell.masks) and label not in attribute.values
            if not legible or len(under) < 2 or hierarchy.leaves_under(label) != under or not label.strip("*"):
                continue
            prefix = label.rstrip("*")
            if not label_cells.is_mask(label) or all(v in under for v in attribute.values if v.startswith(prefix)):
                result.setdefault(under, label)
    return result
