"""The tables that every tool is asked about: small ones with an answer that can be worked by hand, and large ones."""

from __future__ import annotations

import csv
import gzip
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Data:
    """A table as it lies in a file, and what a user did to it after reading: declared levels, put in order, stacked."""

    title: str
    columns: Mapping[str, Sequence[Any]]  # None: an empty cell
    quasi: tuple[str, ...]
    sensitive: str
    order: tuple[int, ...] = ()
    copies: int = 1
    levels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    hierarchies: Mapping[str, Sequence[Sequence[str]]] = field(default_factory=dict)

    @property
    def is_large(self) -> bool:
        """Say whether a time on the table is more than the fixed cost of a call."""
        return len(self.columns[self.sensitive]) >= 1000

    def rows(self) -> list[dict[str, Any]]:
        """Return the rows, after all that was done to them."""
        rows = [dict(zip(self.columns, cells, strict=True)) for cells in zip(*self.columns.values(), strict=True)]
        return [rows[i] for i in self.order or range(len(rows))] * self.copies

    def write(self, path: Path) -> None:
        """Write the file."""
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(self.columns)
            writer.writerows(["" if cell is None else cell for cell in row] for row in
                             zip(*self.columns.values(), strict=True))  # fmt: skip


def small(title: str, q: Sequence[Any], s: Sequence[Any], **more: Any) -> Data:
    """Return a table of one quasi-identifier and one sensitive attribute."""
    return Data(title, {"q": q, "s": s}, ("q",), "s", **more)


@cache
def adult() -> Mapping[str, list[str]]:
    """Return the complete rows of Adult, by column."""
    packed = resources.files("unmask.datasets").joinpath("adult.csv.gz").read_bytes()
    rows = [row for row in csv.reader(gzip.decompress(packed).decode().splitlines()) if "?" not in row]
    return {name: list(column) for name, *column in zip(*rows, strict=True)}


def adult_as_text(quasi: tuple[str, ...]) -> Data:
    """Return Adult, occupation being sensitive."""
    columns = {name: adult()[name] for name in (*quasi, "occupation")}
    return Data(f"Adult, {len(quasi)} quasi-identifiers", columns, quasi, "occupation")


def adult_as_numbers(quasi: tuple[str, ...]) -> Data:
    """Return Adult with every quasi-identifier a whole number, text numbered alphabetically: each tool can cut it."""
    columns: dict[str, Sequence[Any]] = {}
    for name in quasi:
        cells = adult()[name]
        number = {cell: i for i, cell in enumerate(sorted(set(cells)))}
        columns[name] = [int(cell) for cell in cells] if name == "age" else [number[cell] for cell in cells]
    columns["occupation"] = adult()["occupation"]
    return Data(f"Adult as numbers, {len(quasi)} quasi-identifiers", columns, quasi, "occupation")


def adult_with_hierarchies() -> Data:
    """Return Adult with hierarchies: ages by 5, 10 and 20 years, and each text as it is or hidden."""
    quasi = ("age", "sex", "race", "marital-status", "education")
    columns = {name: adult()[name] for name in (*quasi, "occupation")}
    levels: dict[str, list[list[str]]] = {}
    for name in quasi:
        leaves = sorted(set(columns[name]))
        levels[name] = [[leaf, *(_years(leaf) if name == "age" else ()), "*"] for leaf in leaves]
    return Data("Adult with hierarchies, 5 quasi-identifiers", columns, quasi, "occupation", hierarchies=levels)


def _years(age: str) -> list[str]:
    return [f"{int(age) // width * width} to {int(age) // width * width + width - 1}" for width in (5, 10, 20)]


def many_groups(rows: int = 10_000, values: int = 14) -> Data:
    """Return 10,000 rows in about 9,000 groups."""
    draw = random.Random(1)  # noqa: S311 - made-up people
    quasi = {name: [draw.randrange(290) for _ in range(rows)] for name in ("a", "b")}
    sensitive = [f"v{int(values * draw.random() ** 2):02}" for _ in range(rows)]
    data = Data("", {**quasi, "s": sensitive}, ("a", "b"), "s")
    n = len({(a, b) for a, b in zip(*quasi.values(), strict=True)})
    return Data(f"{rows:,} rows in {n:,} groups, {values} values", data.columns, data.quasi, data.sensitive)


def twice_published(rows: int, k: int) -> tuple[Data, list[list[int]]]:
    """Return people, and the groups of two releases of them: along one attribute, and along the other."""
    draw = random.Random(2)  # noqa: S311 - made-up people
    columns: dict[str, list[Any]] = {name: [draw.randrange(1000) for _ in range(rows)] for name in ("a", "b")}
    columns["s"] = [f"v{draw.randrange(20):02}" for _ in range(rows)]
    groupings = []
    for name in ("a", "b"):
        order = sorted(range(rows), key=columns[name].__getitem__)
        group = [0] * rows
        for place, row in enumerate(order):
            group[row] = min(place // k, rows // k - 1)
        groupings.append(group)
    return Data(f"{rows:,} people in two releases, groups of {k}", columns, ("a", "b"), "s"), groupings
