"""People of the study: FEBRL's synthetic Australians, or people generated here if no folder has them.

The paper's 400,000 products of Wal-Mart, with more than 70 attributes each, were never public.
"""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np

from unmask.arrays import Int64
from unmask.csv_writing import read_rows
from unmask.errors import InvalidInputError
from unmask.number_format import numeral
from unmask.reproduction import place
from unmask.runtime.streams import stream
from unmask.schema import UNKNOWN
from unmask.table import Table
from unmask.wording import message

FILE = "record-linkage/febrl/dataset4a.csv.gz"

NAMES = ("given_name", "surname", "street_number", "address_1", "address_2", "suburb", "postcode", "state",
         "date_of_birth", "soc_sec_id")  # fmt: skip

_LACKING = 0.015  # share of values that are missing, about as in FEBRL


def people(folder: str, names: Sequence[str], size: int, seed: int) -> tuple[Table, tuple[str, ...]]:
    """Return all people's attributes, and notes about their source.

    Fails
        With `InvalidInputError` if the named folder has no FEBRL.
    """
    path = place(folder) / FILE
    if path.is_file():
        return febrl(path).only(names), ()
    if folder:
        msg = message(
            "data must be a folder with {file} in it; it is not there. Leave data out: people are made up then",
            file=repr(FILE),
        )
        raise InvalidInputError(msg)
    instead = message("no folder has FEBRL: {n} people are made up in its place", n=numeral(size))
    return made_up(size, stream(seed, "lebanon-2006", "people")).only(names), (instead,)


def febrl(path: Path) -> Table:
    """Return the 5,000 originals of FEBRL's fourth data set."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        header, *lines = read_rows(file, skipinitialspace=True)
        rows = [dict(zip(header, line, strict=True)) for line in lines if line]
    return Table.of({name: [row[name].strip() or None for row in rows] for name in NAMES}, quasi=NAMES)


def made_up(n: int, rng: np.random.Generator) -> Table:
    """Return random people with FEBRL's attributes: few names are frequent; a suburb has one postal code and state."""
    suburbs = _drawn(n // 3, n, rng)
    states = rng.choice(8, n, p=np.array([34, 25, 20, 10, 7, 2, 1, 1]) / 100)
    born = np.datetime64("1900-01-01") + rng.integers(0, 36_500, n)
    numbers = rng.permutation(9 * n) + 1_000_000
    columns = {
        "given_name": _named(_drawn(n // 6, n, rng), rng),
        "surname": _named(_drawn(n // 3, n, rng), rng),
        "street_number": [str(one) for one in _drawn(250, n, rng) + 1],
        "address_1": [f"{one} street" for one in _named(_drawn(n // 2, n, rng), rng)],
        "address_2": _named(_drawn(n // 2, n, rng), rng),
        "suburb": _named(suburbs, rng),
        "postcode": [f"{1000 * (1 + states[one]) + 7 * one % 1000:04}" for one in suburbs],
        "state": [("nsw", "vic", "qld", "wa", "sa", "tas", "act", "nt")[states[one]] for one in suburbs],
        "date_of_birth": [str(one).replace("-", "") for one in born],
        "soc_sec_id": [str(one) for one in numbers[:n]],
    }
    table = Table.of(columns, quasi=NAMES)
    return blanked(table, _LACKING, rng)


def blanked(table: Table, share: float, rng: np.random.Generator) -> Table:
    """Return the people with a random share of their values missing."""
    columns = {
        name: np.where(rng.random(table.n_rows) < share, UNKNOWN, table[name]).astype(np.int32)
        for name in table.schema.names
    }
    return Table(table.schema, columns, table.n_rows)


def _drawn(n_values: int, n: int, rng: np.random.Generator) -> Int64:
    """Return random numbers of values; the i-th has a share in proportion to 1 / i^.8."""
    share = 1 / np.arange(1, max(n_values, 1) + 1) ** 0.8
    return rng.choice(share.size, n, p=share / share.sum())


def _named(number: Int64, rng: np.random.Generator) -> list[str]:
    """Return a name of three syllables for each number; equal numbers have equal names."""
    syllables = [first + second for first, second in product([*"bdfghklmnprstvw", "st", "br", "th"], "aeiou")]
    code = rng.choice(len(syllables) ** 3, int(number.max(initial=0)) + 1, replace=False)
    places = np.unravel_index(code, (len(syllables),) * 3)
    return ["".join(syllables[place[one]] for place in places) for one in number]
