"""Tables of people: read-only coded columns with a schema."""
# Over 300 lines: a table and the coding of its columns share one convention of codes and missing values.

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unmask.arrays import Float64, Int32, Int64, distinct_numbers, distinct_tuples, frozen
from unmask.errors import InvalidInputError
from unmask.hierarchies import number_text
from unmask.number_format import numeral
from unmask.numerics.numerals import LONGEST, are_whole, canonical, extreme, in_order
from unmask.repeated_columns import RepeatedColumns
from unmask.schema import (
    ATTACHED,
    MARK,
    OUTSIDE,
    UNKNOWN,
    Attribute,
    Categorical,
    Missing,
    Numeric,
    Ordered,
    Role,
    Schema,
    domain_values,
    labels_of,
    recode,
)
from unmask.visible_text import visible
from unmask.wording import message

Column = NDArray[Any]
"""Int32 codes (`UNKNOWN` is missing) for categories, float64 (NaN is missing) for numbers."""


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """People and their attributes.

    Categories are codes into the attribute's domain, numbers are float64; -1 and NaN are missing.

    Fails
        With `InvalidInputError` where columns, schema and person keys do not belong together.
    """

    schema: Schema
    columns: Mapping[str, Column]  # name → (rows,)
    n_rows: int
    person_of: Int32 | None = None  # (rows,) number of the person
    household_of: Int32 | None = None  # (rows,)
    weight: Float64 | None = None  # (rows,) sampling weight: people of the population per row

    def __post_init__(self) -> None:
        if set(self.columns) != set(self.schema.names):
            msg = message(
                "a table must have one column for each attribute; got {columns}", columns=sorted(self.columns)
            )
            raise InvalidInputError(msg)
        if isinstance(self.columns, RepeatedColumns):
            kind, n_kinds = frozen(self.columns.kind, np.int32), self.columns.n_kinds
            if kind.shape != (self.n_rows,):
                msg = message(
                    "the kinds of {n_rows} rows must be given; got {shape}", n_rows=self.n_rows, shape=kind.shape
                )
                raise InvalidInputError(msg)
            columns: Mapping[str, Column] = RepeatedColumns(self._coded(self.columns.of_kind, n_kinds), n_kinds, kind)
        else:
            columns = self._coded(self.columns, self.n_rows)
        object.__setattr__(self, "columns", columns)
        for name, dtype in (("person_of", np.int32), ("household_of", np.int32), ("weight", np.float64)):
            extra = getattr(self, name)
            if extra is not None:
                object.__setattr__(self, name, frozen(extra, dtype))
                if extra.shape != (self.n_rows,):
                    msg = message(
                        "{name} must have {n_rows} rows; got {shape}", name=name, n_rows=self.n_rows, shape=extra.shape
                    )
                    raise InvalidInputError(msg)

    def __repr__(self) -> str:
        return f"<Table: {self.n_rows:,} rows of {', '.join(map(visible, self.schema.names))}>"

    def _coded(self, given: Mapping[str, Column], n_rows: int) -> dict[str, Column]:
        """Return columns of that many rows as the schema codes them, read-only."""
        columns = {}
        for attribute in self.schema:
            column = frozen(given[attribute.name], np.float64 if attribute.is_numeric else np.int32)
            if column.shape != (n_rows,):
                msg = message(
                    "column {attribute} must have {n_rows} rows; got {shape}",
                    attribute=repr(attribute.name),
                    n_rows=n_rows,
                    shape=column.shape,
                )
                raise InvalidInputError(msg)
            if not attribute.is_numeric and column.size:
                top = len(attribute.values)
                if column.max() >= top or column.min() < OUTSIDE:
                    msg = message(
                        "codes of column {attribute} must lie below {top}", attribute=repr(attribute.name), top=top
                    )
                    raise InvalidInputError(msg)
            columns[attribute.name] = column
        return columns

    @classmethod
    def of(
        cls,
        columns: Mapping[str, Sequence[Any]],
        *,
        quasi: Iterable[str] = (),
        sensitive: Iterable[str] = (),
        insensitive: Iterable[str] = (),
        orders: Mapping[str, Sequence[str]] | None = None,
        missing: Missing = Missing.OWN,
    ) -> Table:
        """Return a table of Python columns: numbers stay numbers, text becomes categories, None is missing."""
        roles = {
            Role.QUASI_IDENTIFIER: list(quasi),
            Role.SENSITIVE: list(sensitive),
            Role.INSENSITIVE: list(insensitive),
        }
        attributes, coded, rows = [], {}, 0
        for role, names in roles.items():
            for name in names:
                if name not in columns:
                    raise InvalidInputError.unknown_name("column", name, columns)
                rows = len(columns[name])
                attribute, coded[name] = encode(name, role, columns[name], (orders or {}).get(name), missing)
                attributes.append(attribute)
        return cls(Schema(tuple(attributes)), coded, rows)

    @cached_property
    def kinds(self) -> tuple[Table, Int32] | None:
        """The kinds of rows, and the kind of each row, (rows,); None where rows are kept one by one."""
        if not isinstance(self.columns, RepeatedColumns):
            return None
        return Table(self.schema, self.columns.of_kind, self.columns.n_kinds), self.columns.kind

    def _repeating(self, kinds: Table, kind: Int32) -> Table:
        """Return the table with rows of other kinds."""
        return replace(self, schema=kinds.schema, columns=RepeatedColumns(kinds.columns, kinds.n_rows, kind))

    def __getitem__(self, name: str) -> Column:
        self.schema[name]  # suggests a similar name
        return self.columns[name]

    def only(self, names: Iterable[str]) -> Table:
        """Return the table with the selected columns."""
        schema = self.schema.only(names)
        if self.kinds is not None:
            kinds, kind = self.kinds
            return self._repeating(kinds.only(schema.names), kind)
        return replace(self, schema=schema, columns={name: self.columns[name] for name in schema.names})

    def visible(self, about: str | None) -> Table:
        """Return an intruder's possible knowledge: the quasi-identifiers, except the attribute in question."""
        return self.only(a.name for a in self.schema.quasi if a.name != about)

    def take(self, rows: Int64 | Int32 | NDArray[np.bool_]) -> Table:
        """Return the selected rows, in the given order."""
        wanted: NDArray[Any] = np.flatnonzero(rows) if rows.dtype == bool else rows

        def part(array: NDArray[Any] | None) -> NDArray[Any] | None:
            return None if array is None else array[wanted]

        return replace(
            self,
            columns=self.columns.take(wanted)
            if isinstance(self.columns, RepeatedColumns)
            else {name: column[wanted] for name, column in self.columns.items()},
            n_rows=int(wanted.size),
            person_of=part(self.person_of),
            household_of=part(self.household_of),
            weight=part(self.weight),
        )

    def missing(self, name: str) -> NDArray[np.bool_]:
        """Whether each row lacks a value in the column, (rows,)."""
        if self.kinds is not None:
            kinds, kind = self.kinds
            return kinds.missing(name)[kind]
        column = self[name]
        return np.isnan(column) if self.schema[name].is_numeric else column == UNKNOWN

    def excluded(self) -> NDArray[np.bool_]:
        """Whether each row is left out, (rows,): it lacks a value in a column with the policy to leave out rows."""
        if self.kinds is not None:
            kinds, kind = self.kinds
            return kinds.excluded()[kind]
        out = np.zeros(self.n_rows, bool)
        for attribute in self.schema.having(Role.QUASI_IDENTIFIER, Role.SENSITIVE):
            if attribute.missing is Missing.EXCLUDED:
                out |= self.missing(attribute.name)
        return out

    def ranks(self, name: str) -> tuple[Int32, Column]:
        """Return the ranks of a column among its sorted distinct values, -1 if missing; and those values."""
        if self.kinds is not None:
            kinds, kind = self.kinds
            codes, distinct = kinds.ranks(name)
            return codes[kind], distinct
        column = self[name]
        known = ~self.missing(name)
        codes = np.full(self.n_rows, UNKNOWN, np.int32)
        if not self.schema[name].is_numeric and not (column == OUTSIDE).any():  # codes are counted, not sorted
            present = np.bincount(column[known], minlength=1) > 0
            codes[known] = (np.cumsum(present, dtype=np.int32) - 1)[column[known]]
            return codes, np.flatnonzero(present).astype(np.int32)
        distinct, codes[known] = distinct_numbers(column[known].astype(np.float64))
        return codes, distinct.astype(column.dtype)

    @cached_property
    def _profiles(self) -> tuple[Int32, Int64]:
        if not self.columns:
            return np.zeros(self.n_rows, np.int32), np.zeros(min(self.n_rows, 1), np.int64)
        outside = (self.columns[a.name] == OUTSIDE for a in self.schema if not a.is_numeric)
        ranks = (self.ranks(name)[0] for name in self.schema.names)
        return distinct_tuples(chain(ranks, (column for column in outside if column.any())), self.n_rows)

    def profiles(self) -> tuple[Int32, Table]:
        """Return the number of each row among the distinct rows, (rows,), and the table of sorted distinct rows."""
        if self.kinds is not None:
            kinds, kind = self.kinds
            number, profiles = kinds.profiles()
            return number[kind], profiles
        number, example = self._profiles
        return number, replace(self.take(example), person_of=None, household_of=None, weight=None)

    def aligned(self, schema: Schema) -> Table:
        """Return the table in another schema's domains, by label; other attributes are left out.

        A value that the other domain lacks becomes `OUTSIDE` (infinity for numbers): known, but without a match. An
        attribute that this table lacks is missing everywhere, under the wildcard policy: it matches everything.
        """
        if self.kinds is not None:
            kinds, kind = self.kinds
            return self._repeating(kinds.aligned(schema), kind)
        columns: dict[str, Column] = {}
        attributes = []
        for theirs in schema:
            if theirs.name not in self.schema:
                empty = np.full(self.n_rows, np.nan) if theirs.is_numeric else np.full(self.n_rows, UNKNOWN, np.int32)
                columns[theirs.name] = empty
                attributes.append(replace(theirs, missing=Missing.WILDCARD))
                continue
            columns[theirs.name] = convert(self.columns[theirs.name], self.schema[theirs.name], theirs)
            attributes.append(theirs)
        return replace(self, schema=Schema(tuple(attributes)), columns=columns)


def encode(
    name: str,
    role: Role,
    values: Sequence[Any],
    order: Sequence[str] | None = None,
    missing: Missing = Missing.OWN,
    mark: str = MARK,
) -> tuple[Attribute, Column]:
    """Return the attribute and the codes of one column of Python values; None and NaN are missing.

    Sensitive and insensitive columns and person keys become categories, even numbers; under the policy `OWN` the mark
    of a missing value is one of them, except in a person key: each row without one is another person's.
    """
    absent = [value is None or (isinstance(value, float) and np.isnan(value)) for value in values]
    known = [value for value, gone in zip(values, absent, strict=True) if not gone]
    numbers_only = all(isinstance(v, (int, float, np.integer, np.floating)) and not isinstance(v, bool) for v in known)
    numeric = (
        bool(known)
        and order is None
        and numbers_only
        and not any(isinstance(v, (int, np.integer)) and abs(int(v)) >= 10**LONGEST for v in known)
        and not extreme(np.array(known, np.float64)).any()
    )
    listed = role in ATTACHED  # columns on rows are categories
    if numeric and not listed:
        numbers = np.array([np.nan if gone else float(v) for v, gone in zip(values, absent, strict=True)])
        whole = are_whole(np.array(known, np.float64))
        observed = Numeric(step=1.0 if whole else None, observed=True)
        return Attribute(name, role, observed, missing=missing, mark=mark), numbers
    write = number_text if numeric else _long_number_text if numbers_only and order is None else str
    labels = [None if gone else write(v) for v, gone in zip(values, absent, strict=True)]
    if order is not None:
        domain = tuple(map(str, order))
    elif numeric:
        domain = tuple(map(number_text, sorted(set(map(float, known)))))
    else:
        domain = tuple(in_order({label for label in labels if label is not None}))
    if listed and role is not Role.PERSON_KEY and missing is Missing.OWN and any(absent):
        labels = [mark if label is None else label for label in labels]
        domain = domain if mark in domain else (*domain, mark)
    index: dict[str | None, int] = {label: code for code, label in enumerate(domain)}
    index[None] = UNKNOWN
    lacking = dict.fromkeys(label for label in labels if label not in index)
    if lacking:
        msg = message(
            "the declared order of column {name} must list every value; it lacks {n} of the {known} in the "
            "data. Complete it",
            name=repr(name),
            n=numeral(len(lacking)),
            known=numeral(len(set(labels) - {None})),
        )
        raise InvalidInputError(msg)
    codes = np.array([index[label] for label in labels], np.int32)
    kind = Ordered(domain, declared=order is not None) if numeric or order is not None else Categorical(domain)
    return Attribute(name, role, kind, missing=missing, mark=mark), codes


def _long_number_text(value: float | np.number[Any]) -> str:
    """Return the text of a number of a non-computable column as in files: 1.0 is 1, 1e20 is spelled out."""
    return (
        canonical(repr(float(value))) if isinstance(value, (float, np.floating)) and np.isfinite(value) else str(value)
    )


def convert(column: Column, ours: Attribute, theirs: Attribute) -> Column:
    """Return a column recoded from one domain into another, by label."""
    if isinstance(ours.domain, Numeric) and isinstance(theirs.domain, Numeric):
        return _renumbered(column, ours.domain, theirs.domain)
    if ours.is_numeric:
        known = ~np.isnan(column)
        distinct, inverse = np.unique(column[known], return_inverse=True)
        codes = np.full(column.size, UNKNOWN, np.int32)
        labels = labels_of(ours.domain, distinct)
        recoded = recode(labels, theirs.values)
        if not ours.holds_dates:
            spelled_out = recode(tuple(map(canonical, labels)), theirs.values)  # 1e-07 among numbers of any length
            recoded = np.where(recoded == OUTSIDE, spelled_out, recoded)
        codes[known] = recoded[inverse.ravel()]
        return codes
    lookup: NDArray[Any]
    if theirs.is_numeric:
        lookup = np.concatenate([domain_values(theirs.domain, ours.values), [np.inf, np.nan]])  # OUTSIDE, then UNKNOWN
    else:
        lookup = np.concatenate([recode(ours.values, theirs.values), [OUTSIDE, UNKNOWN]]).astype(np.int32)
    return lookup[column]


def _renumbered(column: Column, ours: Numeric, theirs: Numeric) -> Column:
    """Return numbers of one domain as numbers of another: a date-time is on its day where the other has days.

    A date is no number.
    """
    if ours.dates != theirs.dates:
        return np.where(np.isnan(column), column, np.inf)
    return np.floor(column) if ours.timed and theirs.dates and not theirs.timed else column
