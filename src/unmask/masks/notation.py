"""How cells are written: `[20, 30)`, `20-29`, `<30`, `30+`, `3*`, `130**`, `{A, B}`, `*`, `20-29|?`; read and written.

A cell says which values may stand behind it. `*` is any value, the column's mark a missing one, `|` means *or*. Which
notation is meant depends on the column: `130**` is a code, `3*` may be an age. So a column is read as a whole, together
with what is known of people: they decide what `<30` begins at, and which codes `130**` stands for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from unmask.errors import InvalidInputError
from unmask.masks import _label_columns, _labels, _number_columns, _numbers, _spellings
from unmask.masks._columns import CellsRead, Column, apart
from unmask.masks._long_columns import of_long_numbers
from unmask.masks._numbers import Piece
from unmask.masks.cells import Cells
from unmask.schema import Attribute, Categorical, Domain, Numeric

__all__ = ["CellsRead", "read_cells", "write_cells"]


def read_cells(
    attribute: Attribute,
    texts: Sequence[str],
    *,
    domain: Domain | None = None,
    bounds: tuple[float | None, float | None] = (None, None),
    also: Iterable[str] = (),
    decimal: str = ".",
) -> CellsRead:
    """Read the distinct texts of a published column.

    `attribute` gives name, role, hierarchy, missing policy and mark. `domain` is what is known of the values: None
    lets the cells decide between numbers and listed values, `Categorical(())` declares listed values to be found in
    the cells, `Numeric(step=1)` integers; `bounds` are declared ones for numbers that the cells decide to be. `also`
    are the values of people that the cells will be held against.

    Assumes
        `20-29` on integers is {20, ..., 29}; on other numbers a closed interval. `3*` is 30 to 39 where every other
        cell and person is a two-digit integer. Open ends (`<30`, `30+`) run to the declared bound, else to the
        smallest or largest finite end or person. `130**` stands for all known values with that prefix. Every text is
        read as the finest label of the hierarchy that it is, where the notations above do not claim it.
    Fails
        With `InvalidInputError` where a cell does not fit its column, or where digits and stars may be numbers or
        codes.
    """
    column = apart(attribute, texts, frozenset(also), decimal)
    long = of_long_numbers(column, domain)
    if long is not None:
        return long
    if domain is None:
        domain = _decided(column)
        if isinstance(domain, Numeric):
            domain = replace(domain, low=bounds[0], high=bounds[1])
    if isinstance(domain, Numeric):
        return _number_columns.numeric(column, domain)
    return _label_columns.listed(column, domain)


def _decided(column: Column) -> Domain:
    """Choose numbers where cells read as numbers and people have numbers or words; else listed values, cell by cell."""
    told = column.told
    shown = set(told)
    if any(text in shown or _spellings.number_pieces(text, column.decimal) for text in column.words):
        return Categorical(())  # people are known by ranges or labels, as cells are
    masks = {body for body in told if _numbers.is_digit_mask(body)}
    numbers: list[Piece] = []
    for body in told:
        pieces = [] if body in masks else _number_columns.pieces_of(column, body)
        if pieces is None:
            return Categorical(())
        numbers += pieces
    step = _number_columns.step_of(column, numbers)
    if not masks:
        return Numeric(step=step) if told else Categorical(())
    if None in column.people:
        return Categorical(())
    inner = _numbers.ends(Piece(p.low + p.low_open, p.high - p.high_open) for p in numbers)
    others = inner.union(person for person in column.people if person is not None)
    if step == 1.0 and all(10 <= n <= 99 for n in others) and all(len(mask) == 2 for mask in masks):
        return Numeric(step=1.0)
    width = {len(body) for body in told}
    if all(p.low == p.high for p in numbers) and len(width) == 1 and width != {2}:
        return Categorical(())  # masks and codes of one length: 13012, 130**
    msg = (
        f"column {column.attribute.name!r} must say whether {min(masks)!r} stands for numbers or for codes, since not "
        f'every cell and person is a two-digit integer. Set type = "integer" or type = "category" for it in roles.toml'
    )
    raise InvalidInputError(msg)


def write_cells(cells: Cells) -> list[str]:
    """Write each distinct cell, (cells,), so that reading it in the same column gives it back.

    Publishes
        Integers as `20-29`, other numbers as `[20, 29.5]`, listed values as `{A, B}`, or as the label of the
        hierarchy that stands for exactly these; `*` for anything, the mark for a missing value, `|?` where both may be.
    """
    attribute = cells.attribute
    mark, domain = attribute.mark, attribute.domain
    labels = {} if isinstance(domain, Numeric) else _label_columns.hierarchy_labels(attribute)
    ends = [array.tolist() for array in (cells.low, cells.high, cells.low_open, cells.high_open)]
    pieces = [Piece(*piece) for piece in zip(*ends, strict=True)]
    texts = []
    for i in range(cells.n):
        own = pieces[cells.start[i] : cells.start[i + 1]]
        if cells.anything[i] and not (cells.missing[i] and not own):
            texts.append("*")
        elif not own:
            texts.append(mark if cells.missing[i] else "{}")
        else:
            if isinstance(domain, Numeric):
                text = _numbers.text_of(own, domain.step)
            else:
                values = [domain.values[code] for p in own for code in range(int(p.low), int(p.high) + 1)]
                label = labels.get(frozenset(values)) if len(values) > 1 else None
                text = label or _labels.text_of(values, mark, alone=True)
            texts.append(f"{text}|{mark}" if cells.missing[i] else text)
    return texts
