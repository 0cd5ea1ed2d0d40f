"""Parser and writer of cells: `[20, 30)`, `20-29`, `<30`, `30+`, `3*`, `130**`, `{A, B}`, `*`, `20-29|?`.

A cell is a set of values. `*` is any value, the column's mark a missing one, `|` means *or*. The notation depends on
the column: `130**` is a code, `3*` may be an age. So a column is parsed as a whole, together with the known values of
people: they determine the lower end of `<30`, and the codes of `130**`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from unmask.errors import InvalidInputError, quoted
from unmask.hierarchy_presets.preset_hierarchies import extended
from unmask.masks.cells import Cells
from unmask.masks.notation import (
    _date_columns,
    _label_columns,
    _number_columns,
    date_cells,
    number_cells,
)
from unmask.masks.notation._columns import CellsRead, Column, apart
from unmask.masks.notation._long_columns import of_long_numbers
from unmask.masks.notation.label_meaning import notation_of
from unmask.masks.notation.number_cells import Piece
from unmask.masks.notation.number_spellings import CellReading, NumberStyle, tidy
from unmask.schema import Attribute, Categorical, Domain, Numeric, Ordered, labels_of
from unmask.wording import message

__all__ = ["CellsRead", "are_numbers", "common_level", "read_cells", "write_cells"]


def read_cells(
    attribute: Attribute,
    texts: Sequence[str],
    *,
    domain: Domain | None = None,
    bounds: tuple[float | None, float | None] = (None, None),
    also: Iterable[str] = (),
    decimal: str = ".",
    level: int | None = None,
    reading: CellReading | None = None,
) -> CellsRead:
    """Parse the distinct texts of a published column.

    `attribute` gives name, role, hierarchy, missing policy and mark. `domain` is the known domain: with None
    the cells decide between numbers and listed values, `Categorical(())` declares listed values taken from the cells,
    `Numeric(step=1)` integers; `bounds` are the declared bounds of numbers inferred from cells. `also` are the values
    of people to compare with the cells. `level` is the level of the hierarchy whose labels the cells are. `reading` is
    how the cells are declared to be read: `bands` as numbers where possible, also where people have the same text or it
    may mean something else, as `20/29`; `half-open` the same, with `20-30` without 30; `labels` as text.

    Assumes
        `20-29` on integers is {20, ..., 29}; on other numbers a closed interval. `3*` is 30 to 39 where every other
        cell and person is a two-digit integer. Open ends (`<30`, `30+`) run to the declared bound, else to the
        smallest or largest finite end or person. `130**` is all known values with that prefix, `A..C` for all
        from A to C. Where every cell and person is a date, a period or a range of dates, and some can be nothing else,
        they are dates; a year alone is a number. Dates of people that are periods, as a month, are listed, and each
        cell covers those that it overlaps. A text that is a label of the
        hierarchy is taken literally, and covers its leaves: of labels of one name the finest. The hierarchy of a preset
        has all codes among cells and people as leaves.
    Fails
        With `InvalidInputError` where a cell does not fit its column, or where digits and stars may be numbers or
        codes.
    """
    also = frozenset(also)
    if attribute.hierarchy is not None:
        attribute = replace(attribute, hierarchy=extended(attribute.hierarchy, (*also, *texts)))
    column = apart(attribute, texts, also, decimal, level, reading)
    if reading == "labels":
        return _label_columns.listed(column, domain if isinstance(domain, (Categorical, Ordered)) else Categorical(()))
    long = of_long_numbers(column, domain)
    if long is not None:
        return long
    dated = _date_columns.dated(column, domain)
    if dated is not None:
        return dated
    if domain is None:
        domain = _decided(column)
        if isinstance(domain, Numeric):
            domain = replace(domain, low=bounds[0], high=bounds[1])
    if isinstance(domain, Numeric):
        return _number_columns.numeric(column, domain)
    return _label_columns.listed(column, domain)


def _decided(column: Column) -> Domain:
    """Return numbers where cells parse as numbers and people have numbers or words; else listed values."""
    bodies = column.distinct_bodies
    masks = {body for body in bodies if number_cells.is_digit_mask(body) and body not in column.declared}
    numbers: list[Piece] = []
    for body in bodies:
        pieces = [] if body in masks else _number_columns.pieces_of(column, body)
        if pieces is None:
            return Categorical(())
        numbers += pieces
    if column.people_have_labels:
        return Categorical(())
    step = _number_columns.step_of(column, numbers)
    if not masks:
        return Numeric(step=step) if bodies else Categorical(())
    if None in column.people:
        return Categorical(())
    inner = number_cells.ends(Piece(p.low + p.low_open, p.high - p.high_open) for p in numbers)
    others = inner.union(person for person in column.people if person is not None)
    if column.cells is not None:
        return Numeric(step=step)
    if step == 1.0 and all(10 <= n <= 99 for n in others) and all(len(mask) == 2 for mask in masks):
        return Numeric(step=1.0)
    width = {len(body) for body in bodies}
    if all(p.low == p.high for p in numbers) and len(width) == 1 and width != {2}:
        return Categorical(())  # masks and codes of one length: 13012, 130**
    msg = message(
        "column {attribute} must say whether {masks} stands for numbers or for codes, since not every "
        'cell and person is a two-digit integer. Set type = "integer" or type = "category" for it in '
        "roles.toml",
        attribute=repr(column.attribute.name),
        masks=quoted(min(masks)),
    )
    raise InvalidInputError(msg)


def are_numbers(texts: Sequence[str], decimal: str, reading: CellReading | None = None) -> bool:
    """Whether all texts of one column can be parsed as numbers or ranges of numbers."""
    style = NumberStyle.of(texts, decimal, cells=reading)[0]
    return all(number_cells.parse(tidy(text, style)) is not None for text in texts)


def write_cells(cells: Cells, level: int | None = None) -> list[str]:
    """Return the text of each distinct cell, (cells,), that parses to the same cell in the same column.

    Publishes
        The declared label of a cell where it has one. Others: integers as `20-29`, other numbers as `[20, 29.5]`, up to
        20 listed values as `{A, B}`, more in a row as `A..Z`, or as the label of the hierarchy with exactly these;
        `*` for anything, the mark for a missing value, `|?` for a cell that may also be missing. `level` is the common
        level of all labels in the hierarchy, if there is one: else a name on several levels is the finest one's.
    """
    attribute, domain, mark = cells.attribute, cells.attribute.domain, cells.attribute.mark
    pieces = _pieces(cells)
    if isinstance(domain, Numeric):
        shorter = [""] * cells.n
        plain = [_number_text(own, domain) if own else "" for own in pieces]
    else:
        shorter, plain = _label_columns.texts_of(attribute, domain, pieces)
    label = cells.label or ("",) * cells.n
    legible = _legible(cells, pieces, [one or other for one, other in zip(label, shorter, strict=True)], level)
    texts = []
    for i, own in enumerate(pieces):
        if cells.anything[i] and not (cells.missing[i] and not own):
            texts.append("*")
        elif i in legible:
            texts.append(legible[i])
        elif not own:
            texts.append(mark if cells.missing[i] else "{}")
        else:
            texts.append(f"{plain[i]}|{mark}" if cells.missing[i] else plain[i])
    return texts


def _number_text(pieces: Sequence[Piece], domain: Numeric) -> str:
    return date_cells.text_of(pieces, timed=domain.timed) if domain.dates else number_cells.text_of(pieces, domain.step)


def common_level(cells: Cells) -> int | None:
    """Return the level of a declared hierarchy that the labels of all cells have in common; None if there is none."""
    hierarchy = cells.attribute.hierarchy
    names = set(filter(None, cells.label))
    if (
        hierarchy is None
        or not hierarchy.declared
        or not names
        or ((np.diff(cells.start) > 0) & [not text for text in cells.label]).any()
    ):
        return None
    pieces = _pieces(cells)
    levels = (at for at, labels in enumerate(hierarchy.labels, 1) if names.issubset(labels))
    n = sum(map(bool, cells.label))
    return next((at for at in levels if len(_legible(cells, pieces, cells.label, at)) == n), None)


def _pieces(cells: Cells) -> list[list[Piece]]:
    ends = [array.tolist() for array in (cells.low, cells.high, cells.low_open, cells.high_open)]
    flat = [Piece(*piece) for piece in zip(*ends, strict=True)]
    return [flat[begin:end] for begin, end in pairwise(cells.start.tolist())]


def _legible(
    cells: Cells, pieces: Sequence[Sequence[Piece]], texts: Sequence[str], level: int | None
) -> dict[int, str]:
    """Return the texts, by number of cell, that parse to their cells; `|?` is added.

    Only declared hierarchies and the names of presets are published, so labels of others must be parsable alone:
    `130**`, `20-29`.
    """
    attribute, mark = cells.attribute, cells.attribute.mark
    if attribute.hierarchy is not None and not attribute.hierarchy.declared and attribute.hierarchy.preset is None:
        attribute = replace(attribute, hierarchy=None)
    domain, top = attribute.domain, np.inf
    if not isinstance(domain, Numeric):
        domain, top = replace(domain, declared=False), len(domain.values) - 1.0
    known = {text for text in texts if text and not (attribute.is_numeric and _is_name(attribute, text))}
    tested = [i for i, text in enumerate(texts) if text in known]
    if not tested:
        return {}
    ends = isinstance(domain, Numeric) and cells.low.size
    also = labels_of(domain, np.array([cells.low.min(), cells.high.max()])) if ends else ()
    read = read_cells(attribute, [texts[i] for i in tested], domain=domain, also=also, level=level)
    back = _pieces(read.cells)
    legible = {}
    for i, cell in zip(tested, read.cell_of.tolist(), strict=True):
        same = [piece._replace(high=min(piece.high, top)) for piece in back[cell] if piece.low <= top]
        if same == pieces[i] and cells.missing[i] >= read.cells.missing[cell] and not read.cells.anything[cell]:
            hides = cells.missing[i] and not read.cells.missing[cell]
            legible[i] = f"{texts[i]}|{mark}" if hides else texts[i]
    return legible


def _is_name(attribute: Attribute, text: str) -> bool:
    """Whether a text is not numeric: neither a notation nor a known label."""
    known = attribute.hierarchy is not None and attribute.hierarchy.place(text) is not None
    notation = date_cells.parse(text) if attribute.holds_dates else notation_of(text)
    return not known and notation is None
