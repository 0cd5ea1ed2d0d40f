"""The base relations: rows counted by combination of cells, and groups with their sizes.

Columns of the table have names of our own from here on: `q0`, `q1`, … for quasi-identifiers, `s0`, `s1`, … for
sensitive ones, `g` for a published group, `n` for numbers of rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from sqlglot import exp

from unmask.warehouse.engine import CellType, Source
from unmask.warehouse.expressions import (
    any_of,
    as_real,
    as_text,
    both,
    case,
    column,
    columns,
    equal,
    flag,
    grouped,
    inner,
    is_known,
    is_null,
    named,
    rows,
    select,
    table,
    text,
    total,
)  # fmt: skip

SUPPRESSED = "*"


@dataclass(frozen=True, slots=True)
class Known:
    """A column that the attacker knows."""

    column: str
    starred: bool = True  # `*` is a suppressed cell, not a value


@dataclass(frozen=True, slots=True)
class EngineCells:
    """The columns of a table by role, and how a cell is read as missing."""

    source: Source
    known: tuple[Known, ...]
    sensitive: tuple[str, ...] = ()
    group: str | None = None  # the column of published groups
    marks: tuple[str, ...] = ("", "?", "NA", "NULL")
    missing_matches: bool = False  # a row without any value is suppressed, as one of `*` is

    @property
    def keys(self) -> tuple[str, ...]:
        """The columns that make a group."""
        return (*(("g",) if self.group is not None else ()), *self.cells)

    @property
    def cells(self) -> tuple[str, ...]:
        """The columns of quasi-identifiers."""
        return tuple(f"q{i}" for i in range(len(self.known)))

    @property
    def attributes(self) -> tuple[str, ...]:
        """The columns of sensitive attributes."""
        return tuple(f"s{i}" for i in range(len(self.sensitive)))

    def counted(self) -> exp.Select:
        """Return the number of rows of each combination of cells and sensitive values: the one scan of the table."""
        given = [
            *([(self.group, "g")] if self.group is not None else []),
            *zip((one.column for one in self.known), self.cells, strict=True),
            *zip(self.sensitive, self.attributes, strict=True),
        ]
        return grouped(
            select(*columns(one for _, one in given), named(rows(), "n")).from_(
                inner(self._read(given), "t"), copy=False
            ),
            columns(one for _, one in given),
        )

    def groups(self, counted: str) -> exp.Select:
        """Return the size of each group, and whether it consists of suppressed records."""
        return grouped(
            select(*columns(self.keys), named(total(column("n")), "size"), named(self.is_starred(), "starred")).from_(
                table(counted), copy=False
            ),
            columns(self.keys),
        )

    def combinations(self, others: Sequence[str]) -> exp.Select:
        """Return the number of rows of each combination of all published columns; `others` are without protection."""
        given = [*zip((one.column for one in self.known), self.cells, strict=True)]
        given += [(one, f"o{i}") for i, one in enumerate((*self.sensitive, *others))]
        read = inner(self._read(given, self._published), "t")
        return grouped(select(named(rows(), "n")).from_(read, copy=False), columns(one for _, one in given))

    def values(self, one: str) -> exp.Select:
        """Return the number of rows of each known value of one column."""
        read = inner(self._read([(one, "v")]), "t")
        return grouped(
            select(named(rows(), "n")).from_(read, copy=False).where(is_known(column("v")), copy=False), [column("v")]
        )

    def is_wild(self, i: int) -> exp.Expression:
        """Return whether the cell of a quasi-identifier is missing or suppressed."""
        cell, known = column(f"q{i}"), self.known[i]
        return any_of(is_null(cell), *([self._is_star(cell)] if self._has_stars(known) else []))

    def is_starred(self) -> exp.Expression:
        """Return whether no cell of a group shows anything."""
        if len(self.known) < 2 or not all(one.starred for one in self.known):
            return flag(any_of())
        equal_stars = [
            self.is_wild(i) if self.missing_matches else self._is_star(column(f"q{i}"))
            for i, one in enumerate(self.known)
            if self.missing_matches or self._has_stars(one)
        ]
        return flag(both(*equal_stars) if len(equal_stars) == len(self.known) else any_of())

    def value(self, i: int, *, missing: exp.Expression) -> exp.Expression:
        """Return the value of a sensitive attribute as a text that begins with `=`, or that of a missing one."""
        cell = column(f"s{i}")
        stars = [self._is_star(cell)] if self._kind(self.sensitive[i]).is_text else []
        known = exp.DPipe(this=text("="), expression=as_text(cell.copy()), safe=True)
        return case(any_of(is_null(cell.copy()), *stars), missing, known)

    def _read(
        self, given: Iterable[tuple[str, str]], cell: Callable[[str], exp.Expression] | None = None
    ) -> exp.Select:
        """Return columns of the table under names of our own, with missing values as NULL."""
        values = (named((cell or self._cell)(theirs), ours) for theirs, ours in given)
        return select(*values).from_(self.source.relation.copy(), copy=False)

    def _published(self, one: str) -> exp.Expression:
        """Return a cell; where what is missing matches everything, a suppressed sensitive value is missing."""
        cell = self._cell(one)
        if not (self.missing_matches and one in self.sensitive and self._kind(one).is_text):
            return cell
        return case(self._is_star(cell), exp.Null(), cell.copy())

    def _cell(self, one: str) -> exp.Expression:
        cell, kind = column(one), self._kind(one)
        if kind.is_text:
            cut = exp.Trim(this=as_text(cell) if kind is CellType.UNKNOWN else cell)
            marks = [text(mark) for mark in dict.fromkeys(("", *self.marks))]
            return case(exp.In(this=cut, expressions=marks), exp.Null(), cut.copy())
        none: list[exp.Expression] = []
        if kind is CellType.REAL:
            none += [equal(cell, as_real(text(odd))) for odd in ("NaN", "Infinity", "-Infinity")]
        if numbers := [mark for mark in self.marks if _is_number(mark)]:
            none.append(exp.In(this=as_text(cell.copy()), expressions=[text(mark) for mark in numbers]))
        return case(any_of(*none), exp.Null(), cell.copy()) if none else cell

    def _kind(self, one: str) -> CellType:
        return self.source.columns[one]

    def _has_stars(self, known: Known) -> bool:
        return known.starred and self._kind(known.column).is_text

    @staticmethod
    def _is_star(cell: exp.Expression) -> exp.Expression:
        return equal(cell.copy(), text(SUPPRESSED))


def _is_number(mark: str) -> bool:
    try:
        float(mark)
    except ValueError:
        return False
    return True
