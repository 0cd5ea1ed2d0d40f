"""Generalization hierarchies.

The file format is ARX's: a line per leaf, levels from left to right, separated by `;` or `,`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from io import StringIO

import numpy as np

from unmask.arrays import Float64, Int32, Int64, frozen
from unmask.csv_writing import BrokenRowsError, line, read_rows, unharmed
from unmask.errors import InvalidInputError, quoted
from unmask.number_format import numeral
from unmask.wording import message

ROOT = "*"


@dataclass(frozen=True, slots=True, eq=False)
class Hierarchy:
    """Levels of ever coarser labels over the same leaves.

    Level 0 is the leaves. Levels need not be nested: intervals of 5, 10 and 20 years are, of 20 and 50 years are not.
    A hierarchy that was built from the values of a table is not `declared`: its leaves are data, so a release
    publishes only its labels. Where a `preset` gave the labels, a reader obtains them from its name and own values.

    Fails
        With `InvalidInputError` where a leaf is repeated or levels have different lengths.
    """

    leaves: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...]  # per level above the leaves, distinct labels in order of first appearance
    label_of: tuple[Int32, ...]  # per level above the leaves, (leaves,) index into labels
    declared: bool = True
    preset: str | None = None  # its name
    _index: dict[str, int] = field(init=False, repr=False)
    _numbers: tuple[dict[str, int], ...] = field(init=False, repr=False)  # per level above the leaves, of each label

    def __post_init__(self) -> None:
        index = {leaf: i for i, leaf in enumerate(self.leaves)}
        if len(index) != len(self.leaves):
            twice = next(leaf for i, leaf in enumerate(self.leaves) if index[leaf] != i)
            msg = message(
                "a hierarchy must list each leaf once; got {twice} twice. Keep one of its lines", twice=quoted(twice)
            )
            raise InvalidInputError(msg)
        object.__setattr__(self, "_index", index)
        numbers = tuple({name: number for number, name in enumerate(names)} for names in self.labels)
        object.__setattr__(self, "_numbers", numbers)
        object.__setattr__(self, "label_of", tuple(frozen(level, np.int32) for level in self.label_of))
        if any(level.size != len(self.leaves) for level in self.label_of):
            msg = message("every level of a hierarchy must have a label for each leaf")
            raise InvalidInputError(msg)

    @classmethod
    def from_rows(cls, rows: Iterable[Sequence[str]]) -> Hierarchy:
        """Return a hierarchy from one row per leaf: the leaf, then its label on each coarser level."""
        table = [tuple(cell.strip() for cell in row) for row in rows]
        if not table:
            msg = message("a hierarchy must have at least one line; got none. Write a value and its labels on each")
            raise InvalidInputError(msg)
        depth = len(table[0])
        for number, row in enumerate(table, 1):
            if len(row) != depth:
                msg = message(
                    "line {number} of a hierarchy must have {depth} levels like the first; got {n}. Write its labels "
                    "again where they stay the same",
                    number=number,
                    depth=depth,
                    n=len(row),
                )
                raise InvalidInputError(msg)
        labels, label_of = [], []
        for level in range(1, depth):
            code_of: dict[str, int] = {}
            label_of.append(np.array([code_of.setdefault(row[level], len(code_of)) for row in table], np.int32))
            labels.append(tuple(code_of))
        return cls(tuple(row[0] for row in table), tuple(labels), tuple(label_of))

    @classmethod
    def from_csv(cls, text: str) -> Hierarchy:
        """Parse ARX's format; the separator is the more frequent one of `;` and `,` in the first line."""
        text = text.removeprefix("\ufeff").lstrip()
        first = text.partition("\n")[0]
        delimiter = ";" if first.count(";") >= first.count(",") else ","
        try:
            rows = list(read_rows(StringIO(text, newline=""), delimiter=delimiter))
        except BrokenRowsError:
            msg = message(
                "a hierarchy must have a leaf in each line, then its labels; one cannot be taken apart. See its quotes"
            )
            raise InvalidInputError(msg) from None
        return cls.from_rows([unharmed(label) for label in row] for row in rows if "".join(row).strip())

    def to_csv(self) -> str:
        """Return ARX's format, with `;`."""
        rows = (
            [leaf, *(names[level[i]] for names, level in zip(self.labels, self.label_of, strict=True))]
            for i, leaf in enumerate(self.leaves)
        )
        return "".join(line(row, ";") for row in rows)

    @classmethod
    def masks(cls, values: Iterable[str]) -> Hierarchy:
        """Return a hierarchy that masks codes from the right, a character per level: `13012`, `1301*`, ... `*****`."""
        leaves = sorted(set(values))
        width = max((len(leaf) for leaf in leaves), default=0)
        padded = {leaf: leaf.ljust(width) for leaf in leaves}
        return cls.from_rows(
            [leaf, *(padded[leaf][: width - n].rstrip() + "*" * n for n in range(1, width + 1))] for leaf in leaves
        )

    @classmethod
    def intervals(
        cls, values: Iterable[float | str], widths: Sequence[float | str], *, origin: float | str = 0
    ) -> Hierarchy:
        """Return a hierarchy of half-open intervals of the given widths, then `*`: 20 with width 10 is `[20, 30)`.

        Numbers are exact decimals, and so are bounds: 0.6 with width 0.1 is `[0.6, 0.7)`.
        """
        steps = [exact(width) for width in widths]
        if not steps or any(step <= 0 for step in steps):
            got = ", ".join(width if isinstance(width, str) else number_text(width) for width in widths)
            msg = message("interval widths must be greater than 0; got {got}", got=got or "none")
            raise InvalidInputError(msg)
        begin = exact(origin)

        def label(value: Fraction, width: Fraction) -> str:
            low = begin + (value - begin) // width * width
            return f"[{decimal_text(low)}, {decimal_text(low + width)})"

        leaves = {value if isinstance(value, str) else number_text(value): exact(value) for value in values}
        ordered = sorted(leaves.items(), key=lambda leaf: leaf[1])
        return cls.from_rows([text, *(label(value, step) for step in steps), ROOT] for text, value in ordered)

    @property
    def n_levels(self) -> int:
        """The number of levels, the leaves included."""
        return 1 + len(self.labels)

    def require(self, column: str, values: Iterable[str]) -> None:
        """Fail where values are not leaves."""
        distinct = dict.fromkeys(values)
        lacking = sum(value not in self._index for value in distinct)
        if lacking:
            msg = message(
                "the hierarchy of column {column} must list every value of the column; it lacks {lacking} of "
                "{n}. Add a line for each, or make the hierarchy anew from the data",
                column=repr(column),
                lacking=numeral(lacking),
                n=numeral(len(distinct)),
            )
            raise InvalidInputError(msg)

    def place(self, label: str, level: int | None = None) -> tuple[int, int] | None:
        """Return the level of a label and its number in it: on the given level, else the finest level with the label.

        None if no level has the label; level 0 is the leaves.
        """
        if level and label in self._numbers[level - 1]:
            return level, self._numbers[level - 1][label]
        if label in self._index:
            return 0, self._index[label]
        return next(((at, known[label]) for at, known in enumerate(self._numbers, 1) if label in known), None)

    def under(self, level: int, number: int) -> Int64:
        """Return the leaves under a label of a level, (leaves under it,)."""
        return np.array([number]) if level == 0 else np.flatnonzero(self.label_of[level - 1] == number)

    def leaves_under(self, label: str, level: int | None = None) -> frozenset[str] | None:
        """Return the leaves under a label, on the given level, else the finest level with it; None if none has it."""
        place = self.place(label, level)
        return None if place is None else frozenset(self.leaves[i] for i in self.under(*place))

    def only(self, values: Iterable[str]) -> Hierarchy:
        """Return the hierarchy of some of the leaves; a root is added if the last level has several labels.

        So distances between levels stay the same, whichever labels remain.
        """
        wanted = frozenset(values)
        kept = [i for i, leaf in enumerate(self.leaves) if leaf in wanted]
        rooted = bool(self.labels) and len(self.labels[-1]) == 1
        levels = list(zip(self.labels, self.label_of, strict=True))
        root = [] if rooted else [ROOT]
        return Hierarchy.from_rows([self.leaves[i], *(names[at[i]] for names, at in levels), *root] for i in kept)

    def above(self, level: int) -> Hierarchy:
        """Return the hierarchy of the labels of a level: they are the leaves; a root is added if there is none.

        Fails
            With `InvalidInputError` where a label of the level has several labels on the next one.
        """
        pairs = np.unique(np.stack(self.label_of[level - 1 :], axis=1), axis=0)
        if np.unique(pairs[:, 0]).size < pairs.shape[0]:
            msg = message(
                "levels from {level} up must be nested for values to be published at that level; one of its "
                "labels is split above it. Choose another level, or correct the hierarchy",
                level=level,
            )
            raise InvalidInputError(msg)
        names = self.labels[level - 1 :]
        root = [] if len(names) > 1 and len(names[-1]) == 1 else [ROOT]
        return replace(
            Hierarchy.from_rows([*(n[at] for n, at in zip(names, row, strict=True)), *root] for row in pairs.tolist()),
            declared=self.declared,
        )

    def is_nested(self) -> bool:
        """Whether each label is a union of labels of the level below."""
        for fine, coarse in zip(self.label_of, self.label_of[1:], strict=False):
            pairs = np.unique(np.stack([fine, coarse], axis=1), axis=0)
            if np.unique(pairs[:, 0]).size != pairs.shape[0]:
                return False
        return True


def number_text(value: float) -> str:
    """Return the shortest text of a number that parses to the same number, without `.0`."""
    return str(int(value)) if float(value).is_integer() and abs(value) < 1e15 else repr(float(value))


def exact(number: float | str) -> Fraction:
    """Return a number as the exact decimal of its text: the float 0.6 is 6/10.

    Fails
        With `ValueError` for text that is not a finite number.
    """
    try:
        return Fraction(Decimal(number if isinstance(number, str) else number_text(number)))
    except (ArithmeticError, ValueError):
        msg = f"a number must be finite; got {number!r}"
        raise ValueError(msg) from None


def decimal_text(number: Fraction) -> str:
    """Return the exact text of a number with finitely many decimals, without an exponent."""
    decimals = 0
    while (10**decimals * number).denominator > 1:
        decimals += 1
    digits = str(abs(int(10**decimals * number))).rjust(decimals + 1, "0")
    sign = "-" if number < 0 else ""
    return sign + (f"{digits[:-decimals]}.{digits[-decimals:]}" if decimals else digits)


def multiples(step: float, number: Float64 | Int64, origin: float = 0.0) -> Float64:
    """Return the origin plus numbers of steps, (numbers,), rounded from exact decimals: 3 steps of 0.1 are 0.3."""
    first, width = exact(origin), exact(step)
    unit = math.lcm(first.denominator, width.denominator)
    return np.asarray((np.asarray(number, np.float64) * int(width * unit) + int(first * unit)) / unit)
