"""Adult: 32,561 people of the 1994 US census survey, 30,162 of them without a missing value."""

from __future__ import annotations

import gzip
import io
from collections.abc import Sequence
from importlib import resources

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv

from unmask.arrays import Float64, Int32
from unmask.errors import InvalidInputError
from unmask.schema import Attribute, Categorical, Domain, Numeric, Ordered, Role, Schema
from unmask.table import Table

COLUMNS = (
    "age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation", "relationship", "race",
    "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country", "income",
)  # fmt: skip

NUMBERS = ("age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week")


def adult(*, quasi: Sequence[str], sensitive: Sequence[str] = (), complete: bool = True) -> Table:
    """Return the training part of UCI Adult; only people without any missing value, unless `complete` is off.

    Education is in its natural order (education-num), other text in alphabetical order, numbers are numbers; sensitive
    columns are listed values.

    References
    ----------
    Becker, Kohavi. Adult. UCI Machine Learning Repository 1996, doi 10.24432/C5XW20. CC BY 4.0.
    """
    packed = resources.files("unmask.datasets").joinpath("adult.csv.gz").read_bytes()
    as_text = pacsv.ConvertOptions(column_types=dict.fromkeys(COLUMNS, pa.string()))
    rows = pacsv.read_csv(io.BytesIO(gzip.decompress(packed)), convert_options=as_text)
    if complete:
        whole = np.ones(rows.num_rows, bool)
        for name in COLUMNS:
            whole &= rows[name].to_numpy() != "?"
        rows = rows.filter(pa.array(whole))
    attributes, columns = [], {}
    for role, names in ((Role.QUASI_IDENTIFIER, quasi), (Role.SENSITIVE, sensitive)):
        for name in names:
            if name not in COLUMNS:
                raise InvalidInputError.unknown_name("column", name, COLUMNS)
            domain, columns[name] = _coded(rows, name, listed=role is Role.SENSITIVE)
            attributes.append(Attribute(name, role, domain))
    return Table(Schema(tuple(attributes)), columns, rows.num_rows)


def _coded(rows: pa.Table, name: str, *, listed: bool) -> tuple[Domain, Float64 | Int32]:
    text = rows[name].to_numpy()
    if name in NUMBERS and not listed:
        return Numeric(step=1.0), text.astype(np.float64)
    values = np.unique(text)
    if name in NUMBERS:
        values = values[np.argsort(values.astype(np.int64))]
    if name == "education":
        years = dict(zip(text, rows["education-num"].to_numpy().astype(np.int64), strict=True))
        values = np.array(sorted(values, key=lambda value: years[value]))
    code = {value: i for i, value in enumerate(values)}
    codes = np.array([code[value] for value in text], np.int32)
    labels = tuple(str(value) for value in values)
    return (Ordered(labels) if name in {*NUMBERS, "education"} else Categorical(labels)), codes


__all__ = ["COLUMNS", "adult"]
