"""Attack populations: Adult, which is bundled, and two surveys in place of the paper's second table.

Its IPUMS extract of 1997 is not available. The American Community Survey (2018, workers in Pennsylvania) has as many
people, the same kind of attributes and more occupations; the Current Population Survey (1994 and 1995) has people of
all ages, as the extract had, so that children and others without work share one occupation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from pyarrow import parquet

from unmask.datasets.adult import adult
from unmask.errors import InvalidInputError
from unmask.reproduction import place
from unmask.runtime.streams import stream
from unmask.table import Table
from unmask.wording import message

QUASI = ("age", "workclass", "education", "marital-status", "race", "sex", "native-country")
SENSITIVE = "occupation"
IPUMS = 70_187
"""People of the paper's second table."""

SCHOOLING = (
    "Children", "Less than 1st grade", "1st 2nd 3rd or 4th grade", "5th or 6th grade", "7th and 8th grade", "9th grade",
    "10th grade", "11th grade", "12th grade no diploma", "High school graduate", "Some college but no degree",
    "Associates degree-occup /vocational", "Associates degree-academic program", "Bachelors degree(BA AB BS)",
    "Masters degree(MA MS MEng MEd MSW MBA)", "Prof school degree (MD DDS DVM LLB JD)", "Doctorate degree(PhD EdD)",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Population:
    """A population for extracts."""

    name: str
    title: str
    load: Callable[[Path, int], Table]
    file: str = ""  # below the folder; none where it is bundled


def _adult(file: Path, seed: int) -> Table:
    del file, seed
    return adult(quasi=QUASI, sensitive=(SENSITIVE,))


def _acs(file: Path, seed: int) -> Table:
    del seed
    return _table(file, ("AGEP", "COW", "SCHL", "MAR", "RAC1P", "SEX", "POBP", "OCCP"), {})


def _kdd(file: Path, seed: int) -> Table:
    names = ("age", "class_of_worker", "education", "marital_stat", "race", "sex", "country_of_birth_self",
             "detailed_occupation_recode")  # fmt: skip
    table = _table(file, names, {"education": SCHOOLING})
    drawn = stream(seed, "ganta-2008", "kdd").choice(table.n_rows, min(IPUMS, table.n_rows), replace=False)
    return table.take(np.sort(drawn))


def _table(file: Path, columns: Sequence[str], orders: Mapping[str, Sequence[str]]) -> Table:
    """Read people; numeric codes stay numbers, occupations are categorical."""
    read = parquet.read_table(file, columns=list(columns))
    found: dict[str, list[Any]] = {
        ours: read[theirs].to_pylist() for ours, theirs in zip((*QUASI, SENSITIVE), columns, strict=True)
    }
    found[SENSITIVE] = [str(code) for code in found[SENSITIVE]]
    return Table.of(found, quasi=QUASI, sensitive=(SENSITIVE,), orders=orders)


POPULATIONS = {
    one.name: one
    for one in (
        Population("adult", message("Adult"), _adult),
        Population("acs", message("ACS 2018, Pennsylvania (for IPUMS)"), _acs,
                   "acs-income-2018/acs_income_2018_PA.parquet"),
        Population("kdd", message("CPS 1994 and 1995 (for IPUMS)"), _kdd,
                   "kdd-census-income/census_income_1994_1995_train.parquet"),
    )
}  # fmt: skip


def available(names: Sequence[str], folder: str) -> Iterator[Population]:
    """Yield the requested populations that are available.

    Fails
        With `InvalidInputError` for an unknown name, or a folder that lacks a survey.
    """
    where = place(folder)
    for name in names:
        if name not in POPULATIONS:
            raise InvalidInputError.unknown_name(message("population"), name, POPULATIONS)
        one = POPULATIONS[name]
        if one.file and not (where / one.file).is_file():
            if folder:
                msg = message(
                    "data must be a folder with {file} in it; it is not there. Leave population {name} out",
                    file=repr(one.file),
                    name=name,
                )
                raise InvalidInputError(msg)
            continue
        yield one


def people(one: Population, folder: str, seed: int) -> Table:
    """Load a population."""
    return one.load(place(folder) / one.file, seed)
