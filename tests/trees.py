"""Random tables with hierarchies, and Mondrian along them as a slow and obvious program."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from unmask.arrays import Int64
from unmask.hierarchies import Hierarchy
from unmask.links import Linking
from unmask.masks.lines import Lines
from unmask.masks.notation.notation import write_cells
from unmask.release import Release
from unmask.table import Table

Path = tuple[str, ...]
"""The labels of a leaf from the coarsest to the leaf itself."""


JOBS = Hierarchy.from_rows([
    ("nurse", "health", "*"), ("doctor", "health", "*"), ("clerk", "office", "*"), ("judge", "office", "*"),
    ("baker", "trade", "*"), ("smith", "trade", "*"),
])  # fmt: skip


def drawing(seed: int = 0) -> np.random.Generator:
    """Return a fresh generator."""
    return np.random.default_rng(seed)


def with_trees(table: Table, trees: Mapping[str, Hierarchy]) -> Table:
    """Return a table whose columns have these hierarchies."""
    attributes = tuple(replace(a, hierarchy=trees.get(a.name)) for a in table.schema)
    return replace(table, schema=replace(table.schema, attributes=attributes))


def drawn_trees(rng: np.random.Generator, n_rows: int) -> tuple[Table, dict[str, Hierarchy]]:
    """Draw a table with one or two columns along random trees, an age in its order, and a sensitive value."""
    columns: dict[str, list[object]] = {"age": rng.integers(20, 20 + rng.integers(1, 40), n_rows).tolist()}
    trees = {}
    for name in ("job", "zip")[: rng.integers(1, 3)]:
        n, depth = int(rng.integers(1, 25)), int(rng.integers(1, 4))
        labels = [np.arange(n)]
        for _ in range(depth):
            joined = rng.integers(0, rng.integers(1, labels[-1].max() + 2), labels[-1].max() + 1)
            labels.append(np.unique(joined[labels[-1]], return_inverse=True)[1].ravel())
        rows = [[f"{name}{'abcdef'[level]}{one[leaf]}" for level, one in enumerate(labels)] for leaf in range(n)]
        trees[name] = Hierarchy.from_rows(rows[leaf] for leaf in rng.permutation(n))
        columns[name] = [rows[leaf][0] for leaf in (rng.random(n_rows) ** rng.choice([1, 3]) * n).astype(int)]
    quasi = list(rng.permutation(list(columns)))
    columns["ill"] = [f"i{i}" for i in rng.integers(0, 3, n_rows)]
    return with_trees(Table.of(columns, quasi=quasi, sensitive=["ill"]), trees), trees


def ages(*numbers: float | None) -> Table:
    """Return people of whom only the age is published."""
    return Table.of({"age": list(numbers), "ill": list("ab" * len(numbers))[: len(numbers)]},
                    quasi=["age"], sensitive=["ill"])  # fmt: skip


def workers(*jobs: str | None, ills: str | None = None) -> Table:
    """Return people of whom the job is published, along the made-up hierarchy."""
    table = Table.of({"job": list(jobs), "ill": list(ills or "ab" * len(jobs))[: len(jobs)]},
                     quasi=["job"], sensitive=["ill"])  # fmt: skip
    return with_trees(table, {"job": JOBS})


def published_labels(release: Release, name: str, *, regions: bool = False) -> list[str]:
    """Return the cell of each group, as it is written."""
    masked = release.regions if regions else release.masked
    assert isinstance(masked, Lines)
    column = masked.column(name)
    texts = write_cells(masked.cells[column])
    return [texts[cell] for cell in masked.cell[:, column]]


def boxes_around(release: Release, people: Table, *, regions: bool = False) -> Int64:
    """Count the published boxes that each person lies in, (people,)."""
    masked = release.regions if regions else release.masked
    assert masked is not None
    profile, profiles = people.profiles()
    found = [np.diff(block.weight.start) for block in masked.links(profiles, release.size, Linking())]
    return np.asarray(np.concatenate(found)[profile])


@dataclass(frozen=True)
class Slow:
    """Mondrian along hierarchies, following the definition word by word."""

    table: Table
    trees: Mapping[str, Hierarchy]
    k: int
    least: float  # how many times more people each group has than the holders of any value in it

    def fits(self, rows: list[int]) -> bool:
        """Whether some rows may be a group: k people, and no value that too many of them have."""
        who = rows if self.table.person_of is None else [int(self.table.person_of[row]) for row in rows]
        held = {(person, int(self.table["ill"][row])) for person, row in zip(who, rows, strict=True)}
        most = max(Counter(value for _, value in held).values())
        return len(set(who)) >= self.k and most * self.least <= len(set(who)) + 1e-9

    def groups(self) -> list[list[int]]:
        """Return the groups."""
        return self.divided(list(range(self.table.n_rows)))

    def path(self, name: str, row: int) -> Path:
        """Return the labels of a person's value, the coarsest first."""
        tree, value = self.trees[name], self.table.schema[name].values[self.table[name][row]]
        leaf = tree.leaves.index(value)
        above = [names[label[leaf]] for names, label in zip(tree.labels, tree.label_of, strict=True)]
        return (*reversed(above), value)

    def common(self, name: str, rows: list[int]) -> Path:
        """Return the labels that some people have in common."""
        paths = [self.path(name, row) for row in rows]
        return tuple(one[0] for one in zip(*paths, strict=True) if len(set(one)) == 1)

    def width(self, name: str, rows: list[int]) -> float:
        """Return how wide some rows are in a column, as a part of the whole column."""
        if name not in self.trees:
            ages = self.table[name]
            return float((ages[rows].max() - ages[rows].min()) / max(ages.max() - ages.min(), 1))
        tree, common = self.trees[name], self.common(name, rows)
        labels = list(zip(*(np.array(n)[at] for n, at in zip(tree.labels, tree.label_of, strict=True)), strict=True))
        paths = [(*reversed(above), leaf) for above, leaf in zip(labels, tree.leaves, strict=True)]
        under = sum(path[: len(common)] == common for path in paths)
        return (under - 1) / max(len(tree.leaves) - 1, 1)

    def sides(self, name: str, rows: list[int]) -> list[list[int]]:
        """Return the sides of the only cut in a column that is considered; one side where there is none."""
        if name in self.trees:
            depth = len(self.common(name, rows))
            by_label: dict[str, list[int]] = {}
            for row in rows:
                by_label.setdefault(self.path(name, row)[depth], []).append(row)
            return list(by_label.values())
        allowed = []
        for boundary in sorted({float(self.table[name][row]) for row in rows}):
            left = [row for row in rows if self.table[name][row] <= boundary]
            right = [row for row in rows if self.table[name][row] > boundary]
            people = [len(set(side if self.table.person_of is None else self.table.person_of[side].tolist()))
                      for side in (left, right)]  # fmt: skip
            if min(people) >= self.k:
                allowed.append((abs(people[0] - people[1]), boundary, [left, right]))
        return min(allowed)[2] if allowed else [rows]

    def divided(self, rows: list[int]) -> list[list[int]]:
        """Cut some rows, and what comes of it, until nothing can be cut."""
        names = [a.name for a in self.table.schema.quasi]
        order = sorted((-self.width(name, rows), j) for j, name in enumerate(names) if self.width(name, rows) > 0)
        for _, j in order:
            sides = self.sides(names[j], rows)
            if len(sides) > 1 and all(self.fits(side) for side in sides):
                return [group for side in sides for group in self.divided(side)]
        return [rows]
