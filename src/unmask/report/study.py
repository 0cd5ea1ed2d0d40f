"""Reports of a study: the paper's numbers, ours, and their comparison."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from importlib import metadata

from unmask.csv_writing import Rows
from unmask.documents.document_text import document_text
from unmask.documents.study import SCHEMA, StudyJson
from unmask.number_format import numeral
from unmask.reproduction import UNKNOWN, Figure, Listing, Reproduction, Studied
from unmask.visible_text import joined
from unmask.wording import marked, text

WIDTH = 80
LINES = 24

_MARKS = {Reproduction.REPRODUCED: "=", Reproduction.DIFFERS: "!", Reproduction.NOT_DECIDED: "?"}

_FURTHER = {
    Reproduction.NOT_DECIDED: marked("{n} not decided"),
    Reproduction.ARITHMETIC: marked("{n} arithmetic"),
    Reproduction.NOT_COMPARABLE: marked("{n} not comparable"),
}

_CLAIMED = {
    Reproduction.REPRODUCED: marked("holds"),
    Reproduction.DIFFERS: marked("does not hold here"),
    Reproduction.NOT_DECIDED: marked("is not decided"),
    Reproduction.ARITHMETIC: marked("holds by arithmetic"),
    Reproduction.NOT_COMPARABLE: marked("not comparable"),
}


def summary(found: Studied, *, footer: str = "", lines: int = LINES) -> str:
    """Return the summary of a study, one screen: counts, the most important table, differences."""
    end = textwrap.wrap(footer, WIDTH) if footer else []
    screen = [*_head(found)]
    for listing in found.listings:
        more = ["", *listed(listing)]
        if len(screen) + len(more) + len(end) <= lines:
            screen += more
    differing = [f for f in found.figures if f.verdict is Reproduction.DIFFERS and isinstance(f.paper, str)]
    for figure in differing:
        more = _claimed(figure)
        if len(screen) + len(more) + len(end) <= lines:
            screen += more
    return joined([*screen, *end])


def whole(found: Studied) -> str:
    """Write everything: all tables, and every figure with its note."""
    screen = [*_head(found)]
    for listing in found.listings:
        screen += ["", *listed(listing, WIDTH * 2)]
    screen += ["", f"{'':2}{text('figure'):44}{text('paper'):>10}{text('ours'):>12}  {text('95 % range')}"]
    for figure in found.figures:
        if isinstance(figure.paper, str):
            screen += _claimed(figure)
            continue
        paper = "" if figure.paper is None else number(figure.paper)
        around = (
            ""
            if figure.low is None or figure.low == figure.high
            else text("{low} to {high}", low=number(figure.low), high=number(figure.high))
        )
        screen.append(
            f"{_MARKS.get(figure.verdict, ''):2}{figure.id:44}{paper:>10}{number(figure.ours):>12}  {around}".rstrip()
        )
        screen += textwrap.wrap(f"{text(figure.says)}. {text(figure.note)}".rstrip(". "), WIDTH, initial_indent="    ",
                              subsequent_indent="    ")  # fmt: skip
    return joined(screen) + "\n"


def to_json(found: Studied, *, context: Sequence[str] = ()) -> str:
    """Write all figures as one JSON document."""
    document: StudyJson = {
        "schema": SCHEMA,
        "version": metadata.version("unmask"),
        "study": found.name,
        "title": found.title,
        "settings": dict(found.settings),
        "seed": found.seed,
        "context": [*found.notes, *context],
        "counts": {str(verdict): found.count(verdict) for verdict in Reproduction},
        "outside_by_chance": len(found.ranged) / 20,
        "figures": [
            {
                "id": one.id, "says": one.says, "paper": one.paper, "ours": one.ours, "low": one.low, "high": one.high,
                "verdict": one.verdict, "note": one.note,
            }
            for one in found.figures
        ],
    }  # fmt: skip
    return document_text(document)


def to_csv(found: Studied) -> str:
    """Write all figures as a table."""
    rows = Rows(("id", "says", "paper", "ours", "low", "high", "verdict", "note"))
    for one in found.figures:
        rows.add((one.id, one.says, one.paper, one.ours, one.low, one.high, str(one.verdict), one.note))
    return rows.text


def number(value: float | None) -> str:
    """Write a number with four digits that count."""
    if value is None:
        return text("unknown")
    return text(numeral(value, ".0f" if abs(value) >= 10_000 else ".4g"))


def _head(found: Studied) -> Iterator[str]:
    yield from textwrap.wrap(found.title, WIDTH)
    ranged = found.ranged
    outside = sum(figure.verdict is Reproduction.DIFFERS for figure in ranged)
    summary = _counts(found)
    if ranged:
        expected = text(
            "Of {n} numbers with a range {outside} lie outside; by chance about {expected} would.",
            n=len(ranged),
            outside=outside,
            expected=numeral(len(ranged) / 20, ".0f"),
        )
        summary = f"{summary} {expected}"
    yield from textwrap.wrap(summary, WIDTH)
    for note in found.notes:
        yield from textwrap.wrap(text(note), WIDTH)


def _counts(found: Studied) -> str:
    """Return how many of the paper's numbers and claims have each verdict, and how many figures it does not print."""
    theirs = [one for one in found.figures if one.paper is not None]
    differing = [one for one in theirs if one.verdict is Reproduction.DIFFERS]
    unexplained = sum(UNKNOWN in one.note.lower() for one in differing)
    parts = [text("{n} reproduced", n=found.count(Reproduction.REPRODUCED)), text("{n} differ", n=len(differing))]
    if unexplained:
        explained = len(differing) - unexplained
        parts[1] = text("{n} differ with a tested cause, {m} with an unknown one", n=explained, m=unexplained)
    for verdict, words in _FURTHER.items():
        n = sum(one.verdict is verdict for one in theirs)
        parts += [text(words, n=n)] if n else []
    counts = ", ".join(parts)
    others = len(found.figures) - len(theirs)
    return text(
        "{n} printed numbers and claims: {counts}. {others} figures that the paper does not print.",
        n=len(theirs), counts=counts, others=others,
    )  # fmt: skip


def listed(listing: Listing, width: int = WIDTH) -> Iterator[str]:
    """Yield the lines of a table; where it is too wide, its head is wrapped."""
    titles = [text(head) for head in listing.head]
    rows = [[text(cell) for cell in row] for row in listing.rows]
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(titles)
    heads = [title.split(" ") if i else [title] for i, title in enumerate(titles)]
    if sum(max([len(titles[i]), *map(len, columns[i])]) + 2 for i in range(len(heads))) <= width:
        heads = [[title] for title in titles]
    most = [max([*map(len, heads[i]), *map(len, columns[i])], default=0) for i in range(len(heads))]
    room = width - sum(n + 2 for n in most[1:])
    first = min(most[0], max(room, 20))
    depth = max(map(len, heads))
    yield from textwrap.wrap(text(listing.title), WIDTH)
    for level in range(depth):
        words = [([""] * (depth - len(head)) + head)[level] for head in heads]
        yield _row(words, first, most)
    for row in rows:
        lead = textwrap.wrap(row[0], first, subsequent_indent="  ") or [""]
        yield from lead[:-1]
        yield _row([lead[-1], *row[1:]], first, most)
    if listing.remark:
        yield from textwrap.wrap(text(listing.remark), WIDTH)


def _row(cells: Sequence[str], first: int, most: Sequence[int]) -> str:
    rest = "".join(f"  {cell:>{n}}" for cell, n in zip(cells[1:], most[1:], strict=True))
    return f"{cells[0]:<{first}}{rest}".rstrip()


def _claimed(figure: Figure) -> list[str]:
    result = text(_CLAIMED[figure.verdict])
    line = f'{_MARKS.get(figure.verdict, " ")} "{figure.paper}" {result}: {number(figure.ours)}. {text(figure.note)}'
    return textwrap.wrap(line, WIDTH, subsequent_indent="    ")
