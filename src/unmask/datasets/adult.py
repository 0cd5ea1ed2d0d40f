"""Adult: 32,561 people of the 1994 US census survey, 30,162 of them without a missing value."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from functools import lru_cache
from importlib import resources

import numpy as np

from unmask.arrays import Float64, Int32
from unmask.errors import InvalidInputError
from unmask.schema import MARK, UNKNOWN, Attribute, Categorical, Domain, Numeric, Ordered, Role, Schema
from unmask.table import Table

COLUMNS = (
    "age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation", "relationship", "race",
    "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country", "income",
)  # fmt: skip

NUMBERS = ("age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week")


def adult(*, quasi: Sequence[str], sensitive: Sequence[str] = (), complete: bool = True) -> Table:
    """Return the training part of UCI Adult; only people without a missing value, unless `complete` is off.

    Education is in its natural order (education-num), other text in alphabetical order, numbers are numbers; sensitive
    columns are listed values. A missing value, if any, counts as a value of its own. Each row is another person's.

    References
    ----------
    Becker, Kohavi. Adult. UCI Machine Learning Repository 1996, doi 10.24432/C5XW20. CC BY 4.0.
    """
    return _adult(tuple(quasi), tuple(sensitive), complete=complete)


@lru_cache(maxsize=8)
def _adult(quasi: tuple[str, ...], sensitive: tuple[str, ...], *, complete: bool) -> Table:
    """Return Adult with some of its columns; the same table again, whose arrays are read-only."""
    packed = resources.files("unmask.datasets").joinpath("adult.csv.gz").read_bytes()
    lines = gzip.decompress(packed).decode().splitlines()[1:]
    rows = [line.split(",") for line in lines]  # no cell has a comma or a quote
    if complete:
        rows = [row for row in rows if MARK not in row]
    text = dict(zip(COLUMNS, zip(*rows, strict=True), strict=True))
    attributes, columns = [], {}
    for role, names in ((Role.QUASI_IDENTIFIER, quasi), (Role.SENSITIVE, sensitive)):
        for name in names:
            if name not in text:
                raise InvalidInputError.unknown_name("column", name, COLUMNS)
            domain, columns[name] = _coded(text, name, listed=role is Role.SENSITIVE)
            attributes.append(Attribute(name, role, domain))
    return Table(Schema(tuple(attributes)), columns, len(rows), person_of=np.arange(len(rows), dtype=np.int32))


def _coded(text: dict[str, tuple[str, ...]], name: str, *, listed: bool) -> tuple[Domain, Float64 | Int32]:
    column = text[name]
    if name in NUMBERS and not listed:
        return Numeric(step=1.0), np.array([float(value) for value in column])
    distinct = set(column)
    values = sorted(distinct - {MARK})
    if name in NUMBERS:
        values.sort(key=int)
    if name == "education":
        years = dict(zip(column, text["education-num"], strict=True))
        values.sort(key=lambda value: int(years[value]))
    if listed and MARK in distinct:
        values.append(MARK)
    code = {MARK: UNKNOWN, **{value: i for i, value in enumerate(values)}}
    kind = Ordered if name in {*NUMBERS, "education"} else Categorical
    return kind(tuple(values)), np.array([code[value] for value in column], np.int32)


__all__ = ["COLUMNS", "adult"]
