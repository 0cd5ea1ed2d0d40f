"""Declared cells for counting people, independent of the data, so that a release depends on counts alone.

Which values occur is also information about people. So cells come from the declaration of a column, or from the
publisher, and people outside all cells are not counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from math import isfinite
from typing import Annotated, TypeAlias, cast, get_args

import numpy as np

from unmask.arrays import Float64, Int32, starts
from unmask.dates import Level, end_of_day, period_of
from unmask.errors import InvalidInputError
from unmask.hierarchies import multiples, number_text
from unmask.masks.cells import Cells
from unmask.masks.declared_ranges import lacks_values, numbers_of
from unmask.masks.levels import LevelLabels
from unmask.number_format import numeral
from unmask.numerics.numerals import NUMERAL, canonical, make_numbers
from unmask.parameters import TextForm
from unmask.schema import (
    MARK,
    UNKNOWN,
    Attribute,
    Categorical,
    Numeric,
    Ordered,
    domain_values,
    labels_of,
    mark_for,
    recode,
)
from unmask.table import Table
from unmask.wording import marked, message

Grid: TypeAlias = tuple[str | float, ...] | int | str
"""Edges or values of the cells of a column, a level of its hierarchy, or a period of dates."""

PERIODS = tuple(level for level in get_args(Level) if level not in {"day", "age"})
"""The periods of dates that cells can be."""

IN_NONE = UNKNOWN
"""The cell of a person whose value is missing or not declared."""

_MOST = 100_000
"""The largest number of cells of one column."""


@dataclass(frozen=True, slots=True, eq=False)
class DeclaredColumn:
    """The cells of one column, in their order, and the cell of each row."""

    cells: Cells
    cell_of: Int32  # (rows,) or `IN_NONE`

    @property
    def attribute(self) -> Attribute:
        """The column with its declared values only, for publication."""
        return self.cells.attribute


def parse_cells(text: str) -> dict[str, Grid]:
    """Parse cells: `age=17,25,35; sex=f,m; education@2` gives edges or values of each column, or a level.

    A level is a number, or a period of dates as in `born@year`.

    Fails
        With `InvalidInputError` where a part has neither `=` nor `@`, a column occurs twice, or a level is neither.
    """
    grids: dict[str, Grid] = {}
    for part in filter(None, (piece.strip() for piece in text.split(";"))):
        places = [at for at in (part.find("="), part.find("@")) if at > 0]
        name = part[: min(places)].strip() if places else part
        if not places or name in grids:
            what = message("twice" if places else "without cells")
            msg = message(
                "each column must have cells once, as in age=17,25,35; sex=f,m; education@2; got {name} {what}",
                name=repr(name),
                what=what,
            )
            raise InvalidInputError(msg)
        rest = part[min(places) + 1 :]
        grids[name] = tuple(map(_value, rest.split(","))) if part[min(places)] == "=" else _level(name, rest.strip())
    return grids


def _value(text: str) -> str | float:
    """Return a number where writing it gives the same text, else the text."""
    plain = text.strip()
    try:
        number = float(plain)
    except ValueError:
        return plain
    return number if isfinite(number) and number_text(number) == plain else plain


def _level(name: str, text: str) -> int | str:
    if text in PERIODS:
        return text
    if not text.isdecimal():
        msg = message(
            "the level of column {name} must be a whole number of at least 0, or a period of dates "
            "({periods}); got {text}",
            name=repr(name),
            periods=", ".join(PERIODS),
            text=repr(text),
        )
        raise InvalidInputError(msg)
    return int(text)


def cells_text(grids: Mapping[str, Grid]) -> str:
    """Return cells as `parse_cells` reads them."""
    return "; ".join(
        f"{name}@{grid}" if isinstance(grid, (int, str)) else f"{name}={','.join(_texts(grid))}"
        for name, grid in grids.items()
    )


Grids: TypeAlias = Annotated[
    Mapping[str, tuple[str | float, ...] | int | str],
    TextForm(parse_cells, cells_text, marked("a mapping from columns to edges, values or a level")),
]
"""The cells of columns: edges of numbers, values, a level of the hierarchy, or a period of dates."""


def declared_cells(table: Table, name: str, grids: Mapping[str, Grid]) -> DeclaredColumn:
    """Return the cells of a column: those given, else one for each declared value.

    A tuple has the edges of numbers, of which the last belongs to the last cell, or the values of a listed column; a
    whole number is a level of its hierarchy, a text a period of its dates. Numbers beyond the edges count in the
    outermost cells. A step inferred from the data is not used: cells are then half-open between edges.

    Fails
        With `InvalidInputError` where a column has no declaration, or its hierarchy lacks a declared value; also where
        values are declared as numbers or dates and other values occur: one of these changes how all are read.
    """
    attribute = table.schema[name]
    grid = grids.get(name, ())
    numbers = attribute.is_numeric or (_NUMBERS.fits(_texts(grid)) and lacks_values(table, attribute))
    if not numbers and attribute.mark != MARK:
        msg = message(
            "column {name} must leave {mark} to missing values to be counted with noise; it is a value "
            "there. List it with --missing",
            name=repr(name),
            mark=repr(MARK),
        )
        raise InvalidInputError(msg)
    if isinstance(grid, int):
        return _at_level(table, attribute, grid)
    if isinstance(grid, str):
        return _between(table, attribute, _period_edges(attribute, grid), whole=False)
    if numbers:
        edges = _edges(attribute, grid) if grid else _steps(attribute)
        return _between(table, attribute, edges, whole=not grid)
    return _of_values(table, attribute, _texts(grid) if grid else _listed(attribute))


def _texts(grid: Grid) -> tuple[str, ...]:
    return () if isinstance(grid, (int, str)) else tuple(v if isinstance(v, str) else number_text(v) for v in grid)


@dataclass(frozen=True, slots=True)
class _Form:
    """A form of values, used where all values of a column have it; else values are read as written."""

    name: str
    pattern: re.Pattern[str]

    def fits(self, values: Iterable[str]) -> bool:
        """Whether there are values, and all have the form."""
        listed = list(values)
        return bool(listed) and all(map(self.pattern.fullmatch, listed))


_NUMBERS = _Form("numbers", re.compile(NUMERAL))
_FORMS = (_NUMBERS, _Form("dates", re.compile(r"\d{4}-\d{2}-\d{2}")))


def _of_values(table: Table, attribute: Attribute, values: tuple[str, ...]) -> DeclaredColumn:
    domain, column = attribute.domain, table[attribute.name]
    by_hierarchy = isinstance(domain, Categorical) and attribute.hierarchy is not None
    if not isinstance(domain, Numeric) and (not domain.declared or by_hierarchy):
        _require_form(attribute, values, column)
    ordered = isinstance(domain, Ordered) and domain.declared
    published = replace(
        attribute,
        domain=Ordered(values) if ordered else Categorical(values, declared=True),
        hierarchy=None,
        mark=mark_for(values),
    )
    spelled = tuple(map(_spelled, attribute.values))
    code = np.append(recode(spelled, tuple(map(_spelled, values))), np.full(2, IN_NONE, np.int32))
    at = np.arange(len(values), dtype=np.float64)
    cells = Cells.runs(published, at, at, np.zeros(at.size, bool))
    return DeclaredColumn(cells, np.maximum(code[column], IN_NONE).astype(np.int32))


def _spelled(value: str) -> str:
    """Return a number in one form: whether 1.0 is read as 1 depends on all values of its column."""
    return canonical(value) if re.fullmatch(NUMERAL, value) else value


def _require_form(attribute: Attribute, values: Sequence[str], column: Int32) -> None:
    occurring = np.flatnonzero(np.bincount(column[column >= 0], minlength=len(attribute.values)))
    labels = [label for label in (attribute.values[code] for code in occurring) if label != attribute.mark]
    for form in _FORMS:
        if form.fits(values) and labels and not form.fits(labels):
            way_out = make_numbers(labels) if form is _NUMBERS else message("List them with --missing")
            msg = message(
                "column {attribute} must hold {form} only, as its declared values do; other values are there, "
                "which change how all are read. {way_out}, or declare all values by order in roles.toml",
                attribute=repr(attribute.name),
                form=form.name,
                way_out=way_out,
            )
            raise InvalidInputError(msg)


def _between(table: Table, attribute: Attribute, edges: Float64, *, whole: bool) -> DeclaredColumn:
    domain = attribute.domain
    step = domain.declared_step if isinstance(domain, Numeric) else None
    n = edges.size if whole else edges.size - 1
    low, high = edges[:n], edges[:n] if whole else edges[1:].copy()
    half_open = np.zeros(n, bool)
    counted = np.rint(edges / step) if step is not None else edges
    if not whole and step is not None and np.allclose(edges / step, counted, rtol=0, atol=1e-9):
        high[:-1] = multiples(step, counted[1:-1] - 1)
    elif not whole:
        half_open[:-1] = True
    limits = Numeric(float(edges[0]), float(edges[-1]), step, dates=attribute.holds_dates)
    published = replace(attribute, domain=limits, hierarchy=None, mark=MARK)
    one = starts(np.ones(n, np.int64))
    shut, known = np.zeros(n, bool), np.zeros(n, bool)
    cells = Cells(published, one, low, high, shut, half_open, known, known)
    number = numbers_of(table, attribute.name)
    within = np.where(np.isnan(number), edges[0], np.clip(number, edges[0], edges[-1]))
    cell = np.clip(np.searchsorted(edges, within, side="right") - 1, 0, n - 1)
    return DeclaredColumn(cells, np.where(np.isnan(number), IN_NONE, cell).astype(np.int32))


def _at_level(table: Table, attribute: Attribute, level: int) -> DeclaredColumn:
    """Return the labels of a level if the hierarchy has every declared value: else cells would depend on the data."""
    if attribute.hierarchy is None:
        msg = message(
            "column {attribute} must have a hierarchy to be counted at level {level}; it has none",
            attribute=repr(attribute.name),
            level=level,
        )
        raise InvalidInputError(msg)
    if isinstance(attribute.domain, Numeric):
        attribute.hierarchy.require(attribute.name, labels_of(attribute.domain, _steps(attribute)))
    else:
        attribute.hierarchy.require(attribute.name, _listed(attribute))
    known = ~table.missing(attribute.name)
    levels = LevelLabels.of(table.take(known), attribute.name)
    if not 0 <= level < levels.n:
        msg = message(
            "the level of column {attribute} must be one of 0 to {n}; got {level}",
            attribute=repr(attribute.name),
            n=levels.n - 1,
            level=level,
        )
        raise InvalidInputError(msg)
    missing = [leaf for leaf, text in enumerate(levels.texts) if text == attribute.mark]
    kept = np.unique(np.delete(levels.label_of[level], missing))
    cells, place = levels.cells(np.full(kept.size, level), kept).ordered()
    number = np.full(levels.n_labels(level), IN_NONE, np.int32)
    number[kept] = place
    cell_of = np.full(table.n_rows, IN_NONE, np.int32)
    cell_of[known] = number[levels.label_of[level]][levels.leaf]
    return DeclaredColumn(cells, cell_of)


def _listed(attribute: Attribute) -> tuple[str, ...]:
    domain = attribute.domain
    if isinstance(domain, Numeric) or not domain.declared:
        msg = message(
            "column {attribute} must have declared values to be counted by; which ones occur depends on the "
            "data. List them: cells={typed}=A,B,C, or order in roles.toml",
            attribute=repr(attribute.name),
            typed=attribute.name,
        )
        raise InvalidInputError(msg)
    return tuple(value for value in domain.values if value != attribute.mark)  # the mark is listed only if it occurs


def _steps(attribute: Attribute) -> Float64:
    domain, name = attribute.domain, attribute.name
    if not isinstance(domain, Numeric) or domain.low is None or domain.high is None:
        msg = message(
            "column {name} must have a declared range to be counted by; the extremes of the data are values "
            "of people. Declare the edges of its cells: cells={typed}=0,10,20, or low, high and step in "
            "roles.toml",
            name=repr(name),
            typed=name,
        )
        raise InvalidInputError(msg)
    step = domain.declared_step
    if not step:
        msg = message(
            "column {name} must have a declared step to be counted by; one record decides whether all its "
            "numbers are whole. Declare the edges of its cells: cells={typed}=0,10,20, or step or type in "
            "roles.toml",
            name=repr(name),
            typed=name,
        )
        raise InvalidInputError(msg)
    n = round((domain.high - domain.low) / step) + 1
    if n > _MOST:
        msg = message(
            "column {attribute} must have at most {most} cells; got {n}. Declare the edges of fewer",
            attribute=repr(attribute.name),
            most=numeral(_MOST),
            n=numeral(n),
        )
        raise InvalidInputError(msg)
    return multiples(step, np.arange(n), domain.low)


def _period_edges(attribute: Attribute, level: str) -> Float64:
    """Return the first day of each period that the declared range touches, and the last day of the last one."""
    domain, name = attribute.domain, attribute.name
    if not isinstance(domain, Numeric) or not domain.dates or domain.low is None or domain.high is None:
        msg = message(
            "column {name} must hold dates of a declared range to be counted by {level}; the extremes of the "
            "data are values of people. Declare type, low and high in roles.toml",
            name=repr(name),
            level=level,
        )
        raise InvalidInputError(msg)
    first, last = int(domain.low // 1), int(domain.high // 1)
    while _period(first - 1, level) == _period(first, level):
        first -= 1
    while _period(last + 1, level) == _period(last, level):
        last += 1
    begins = [day for day in range(first, last + 1) if day == first or _period(day, level) != _period(day - 1, level)]
    if len(begins) > _MOST:
        msg = message(
            "column {name} must have at most {most} cells; got more. Choose a longer period than {level}",
            name=repr(name),
            most=numeral(_MOST),
            level=level,
        )
        raise InvalidInputError(msg)
    return np.array([*begins, last if domain.declared_step is not None else end_of_day(last)], np.float64)


def _period(day: int, level: str) -> str:
    """Return the period of a day since 1970-01-01."""
    return period_of(date(1970, 1, 1) + timedelta(day), cast("Level", level))


def _edges(attribute: Attribute, grid: Sequence[str | float]) -> Float64:
    texts = _texts(tuple(grid))
    edges = np.asarray(domain_values(attribute.domain if attribute.is_numeric else Numeric(), texts), np.float64)
    if edges.size < 2 or not np.isfinite(edges).all() or (np.diff(edges) <= 0).any():
        what = message("dates" if attribute.holds_dates else "numbers")
        msg = message(
            "the edges of the cells of column {attribute} must be at least two rising {what}; got {texts}",
            attribute=repr(attribute.name),
            what=what,
            texts=repr(",".join(texts)),
        )
        raise InvalidInputError(msg)
    return edges
