"""One line on how the cells of a column were read: `age: 12 bands, 1 word: N`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from unmask.hierarchies import number_text
from unmask.masks.notation import date_cells, label_cells
from unmask.masks.notation._columns import CellsRead, Column
from unmask.masks.notation._spellings import number_pieces
from unmask.masks.notation.number_cells import Piece
from unmask.masks.notation.number_spellings import units
from unmask.number_format import numeral
from unmask.visible_text import visible
from unmask.wording import counted, joined, message

_MOST = 3  # examples
_LONGEST = 20  # letters of an example
_LITERAL = {"number", "word", "date", "label"}

_COUNTED: Mapping[str, Callable[[int], str]] = {
    "label": lambda n: counted("{n} label of the hierarchy", "{n} labels of the hierarchy", n, n=numeral(n)),
    "word": lambda n: counted("{n} word", "{n} words", n, n=numeral(n)),
    "number": lambda n: counted("{n} number", "{n} numbers", n, n=numeral(n)),
    "set": lambda n: counted("{n} set", "{n} sets", n, n=numeral(n)),
    "band": lambda n: counted("{n} band", "{n} bands", n, n=numeral(n)),
    "mask": lambda n: counted("{n} mask", "{n} masks", n, n=numeral(n)),
    "range": lambda n: counted("{n} range", "{n} ranges", n, n=numeral(n)),
    "date": lambda n: counted("{n} date", "{n} dates", n, n=numeral(n)),
    "period": lambda n: counted("{n} period", "{n} periods", n, n=numeral(n)),
}
"""What a cell can be read as, with a number of them as text."""


def describe(read: CellsRead) -> str:
    """Return how many cells were read as what; empty where each is one value, as it is written.

    Only published texts are named.
    """
    column = read.column
    if column is None:
        return ""
    bodies = column.distinct_bodies
    pieces = {} if column.dates else {body: own for body in bodies if (own := number_pieces(body, column.style))}
    kinds = {body: _kind(column, body, pieces.get(body)) for body in bodies}
    counts = Counter(kinds.values())
    remarks = [] if column.cells == "labels" else list(_remarks(read, column, kinds, pieces))
    if not remarks and counts.keys() <= _LITERAL:
        return ""
    words = counts.pop("word", 0)
    parts = [_COUNTED[kind](n) for kind, n in counts.items()]
    if words:
        examples = _examples([body for body, kind in kinds.items() if kind == "word"])
        parts.append(joined([_COUNTED["word"](words), *([examples] if counts else [])], ": "))
    return joined([column.attribute.name, joined([joined(parts, ", "), *remarks])], ": ")


def _kind(column: Column, body: str, pieces: Sequence[Piece] | None) -> str:
    if body in column.declared:
        return "label"
    if column.cells == "labels":
        return "word"
    if column.dates:
        return _kind_of_dates(column.parse(body) or ())
    if pieces and len(pieces) == 1 and pieces[0].low == pieces[0].high:
        return "number"
    if body in column.also and column.cells is None:
        return "word"
    if pieces:
        return "set" if all(piece.low == piece.high for piece in pieces) else "band"
    return _kind_of_text(column, body)


def _kind_of_text(column: Column, body: str) -> str:
    if label_cells.is_mask(body):
        return "mask"
    if body.startswith("{"):
        return "set"
    cell = label_cells.parse(body, column.attribute.mark)
    dates = date_cells.parse(body) if any(map(str.isdigit, body)) else None
    return _kind_of_dates(dates) if dates else "range" if cell is not None and cell.ends else "word"


def _kind_of_dates(pieces: Sequence[Piece]) -> str:
    is_day = len(pieces) == 1 and pieces[0].high - pieces[0].low <= pieces[0].high_open
    return "date" if is_day else "period"


def _remarks(read: CellsRead, column: Column, kinds: dict[str, str], pieces: dict[str, list[Piece]]) -> Iterator[str]:
    """Yield what could be read in another way, and the option that would do so."""
    if column.dates:
        return
    yield from _on_signs(column)
    if not column.style.one_unit and (found := units(kinds)):
        yield message("several units ({found}), so numbers with units are words", found=", ".join(sorted(found)))
    bands = [own for body, own in pieces.items() if kinds[body] == "band" and body[0] not in "[(]"]
    closed = [piece for own in bands for piece in own if piece.low < piece.high and not piece.high_open]
    shared = {piece.high for piece in closed} & {piece.low for piece in closed}
    if shared and column.cells is None:
        yield message(
            'ends occur twice, as {shared}, which fits both bands; cells = "half-open" leaves upper ends out',
            shared=number_text(min(shared)),
        )
    loose = replace(column.style, loose=True)
    odd = [body for body, kind in kinds.items() if kind == "word" and body not in column.also]
    odd = [body for body in odd if body not in pieces and number_pieces(body, loose)]
    if odd:
        yield message('cells = "bands" would read {examples} as numbers', examples=_examples(odd))
    own = [body for body, kind in kinds.items() if kind == "word" and body in column.also and body in pieces]
    if own and any(number is not None for number in column.people):
        yield message(
            'values of people, too: {examples}; cells = "bands" reads them as numbers', examples=_examples(own)
        )
    if read.respelled:
        yield message(
            "in another spelling than people's values: {examples}", examples=_examples(sorted(read.respelled))
        )
    unmatched = [body for body, kind in kinds.items() if kind == "word" and body in read.unmatched and body not in odd]
    if unmatched:
        yield message("matching no person: {examples}", examples=_examples(unmatched))


def _on_signs(column: Column) -> Iterator[str]:
    """Yield what commas and points mean, where cells leave two readings, or have separated thousands."""
    style, (usual, other) = column.style, column.styles
    if style.grouping:
        says = message("commas separate thousands" if style.grouping == "," else "points separate thousands")
    else:
        says = message("commas are decimal signs" if style.decimal == "," else "points are decimal signs")
    if usual == other:
        if style.grouping:
            yield says
    elif column.is_decided_by_people:
        yield message("{signs}, by people's values", signs=says)
    elif style.grouping:
        yield message("{signs}; --decimal , makes them decimal signs", signs=says)
    else:
        yield message("points are decimal signs; --decimal , makes them separate thousands")


def _examples(texts: Sequence[str]) -> str:
    named = [visible(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…") for text in texts[:_MOST]]
    return ", ".join([*named, *(["…"] if len(texts) > _MOST else [])])
