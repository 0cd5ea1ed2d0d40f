"""Adult as in the paper: eight columns and the income, each database a sample of its 45,222 complete rows.

With a folder of the training and the test part, databases are drawn from all complete rows, and generalized along ARX's
hierarchies; the paper omits its own. The bundled training part has 30,162 rows, and `*` as the only generalization.
"""

from __future__ import annotations

import gzip
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from unmask.csv_writing import read_rows
from unmask.datasets.adult import COLUMNS, adult
from unmask.errors import InvalidInputError
from unmask.hierarchies import Hierarchy
from unmask.reproduction import place
from unmask.runtime.streams import stream
from unmask.schema import MARK, Numeric
from unmask.table import Table
from unmask.wording import message

FILES = ("adult/adult.data.gz", "adult/adult.test.gz")
TREES = "arx/adult/adult_hierarchy_{}.csv"
QUASI = ("age", "workclass", "education-num", "marital-status", "occupation", "race", "sex", "native-country")
SENSITIVE = "income"

DECLARED = {"age": Numeric(17.0, 99.0, 1.0), "education-num": Numeric(1.0, 16.0, 1.0)}
_SCHOOLING = ((3, "1-3"), (7, "4-7"), (12, "8-12"), (16, "13-16"))


@dataclass(frozen=True, slots=True, eq=False)
class AdultPopulation:
    """The people from whom databases are drawn, and whether they are the paper's."""

    table: Table
    complete: bool  # train and test, with trees

    def drawn(self, size: int, seed: int, database: int) -> Table:
        """Return one database, drawn without replacement."""
        rng = stream(seed, "sramka-2010", "database", str(database))
        return self.table.take(np.sort(rng.choice(self.table.n_rows, size, replace=False)))


def read_population(folder: str) -> AdultPopulation:
    """Return the people of a folder, or of the environment's folder, or else the bundled ones.

    Fails
        With `InvalidInputError` if the named folder lacks them.
    """
    where = place(folder)
    needed = (*FILES, *(TREES.format(name) for name in QUASI if name not in DECLARED))
    lacks = next((file for file in needed if not (where / file).is_file()), None)
    if lacks is None:
        return AdultPopulation(_with_trees(_complete(where), where), complete=True)
    if folder:
        msg = message(
            "data must be a folder with {lacks} in it; it is not there. Leave data out for the bundled people",
            lacks=repr(lacks),
        )
        raise InvalidInputError(msg)
    return AdultPopulation(_with_trees(adult(quasi=QUASI, sensitive=(SENSITIVE,)), None), complete=False)


def _complete(where: Path) -> Table:
    records: list[list[str]] = []
    for file in FILES:
        with gzip.open(where / file, "rt", encoding="utf-8") as lines:
            every = read_rows(lines, skipinitialspace=True)
            records += [one for one in every if len(one) == len(COLUMNS) and MARK not in one]
    text = dict(zip(COLUMNS, zip(*records, strict=True), strict=True))
    columns: dict[str, list[float] | list[str]] = {
        name: [float(value) for value in text[name]]
        if name in DECLARED
        else [value.rstrip(".") for value in text[name]]
        for name in (*QUASI, SENSITIVE)
    }
    return Table.of(columns, quasi=QUASI, sensitive=(SENSITIVE,))


def _with_trees(table: Table, where: Path | None) -> Table:
    """Return the people with declared ranges, the paper's intervals, and hierarchies if available."""
    trees = {
        "age": Hierarchy.intervals(range(17, 100), (5, 10, 20, 50, 100)),
        "education-num": Hierarchy.from_rows(
            [str(year), next(label for last, label in _SCHOOLING if year <= last), "1-16"] for year in range(1, 17)
        ),
    }
    for name in QUASI if where is not None else ():
        if name not in DECLARED and where is not None:
            trees[name] = Hierarchy.from_csv((where / TREES.format(name)).read_text(encoding="utf-8"))
    attributes = tuple(
        replace(a, domain=DECLARED.get(a.name, a.domain), hierarchy=trees.get(a.name)) for a in table.schema
    )
    return replace(table, schema=replace(table.schema, attributes=attributes))
