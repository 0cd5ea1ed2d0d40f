"""Tables that every engine must measure as memory does, each with the options of the command."""

from __future__ import annotations

from datetime import date
from typing import Any

import numpy as np
import pyarrow as pa

from unmask.datasets.adult import adult

INJECTION = 'a"; drop table people; --'
"""A name of a column that is SQL."""

MESSY_OPTIONS: dict[str, Any] = {"quasi": [INJECTION, "key", "born", "select"], "sensitive": ["ill", "it's"]}


def messy(n: int = 60) -> pa.Table:
    """Return a table of NULLs, marks, suppressed cells, 64-bit keys, dates and booleans, under names that are SQL."""
    rng = np.random.default_rng(22)

    def some(values: list[Any]) -> list[Any]:
        return [values[i] for i in rng.integers(len(values), size=n)]

    return pa.table(
        {
            INJECTION: pa.array(some(["x", "y ", "*", "?", "NA", None, "O'Hara"]), pa.string()),
            "key": pa.array(some([9_007_199_254_740_993, 9_007_199_254_740_992, -1, None]), pa.int64()),
            "born": pa.array(some([date(1980, 2, 29), date(1999, 12, 31)]), pa.date32()),
            "select": pa.array(some([True, False, None]), pa.bool_()),
            "ill": pa.array(some(["flu", "cold", "", None, "a';--"]), pa.string()),
            "it's": pa.array(some([1, 2, 3]), pa.int32()),
            "notes; --": pa.array(some(["u", "v", None]), pa.string()),
        }
    )


LESS_MESSY_OPTIONS: dict[str, Any] = {**MESSY_OPTIONS, "quasi": [INJECTION, "key", "born"]}


def less_messy() -> pa.Table:
    """Return the same people with fewer patterns of missing cells: an engine joins every two of them.

    Left out are booleans, and the column without a role.
    """
    return messy().drop_columns(["select", "notes; --"])


ADULT_OPTIONS: dict[str, Any] = {
    "quasi": ["age", "sex", "race", "workclass"],
    "sensitive": ["occupation"],
    "require": ["k=2", "t=0.9", "recursive-cl=5,2"],
}


def adult_sample(n: int = 3000) -> pa.Table:
    """Return people of the Adult census, with a column that has no role."""
    names = ["age", "sex", "race", "workclass", "occupation", "income"]
    people = adult(quasi=names[:4], sensitive=names[4:])
    rows = np.random.default_rng(3).choice(people.n_rows, n, replace=False)
    columns = {}
    for name in names:
        values, attribute = people[name][rows], people.schema[name]
        columns[name] = values.astype(np.int64) if name == "age" else np.array(attribute.values)[values.astype(int)]
    return pa.table(columns)
