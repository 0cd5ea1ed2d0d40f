"""The generalization levels of one column: the values themselves first, then ever coarser labels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from unmask.arrays import Bool, Float64, Int32, Int64, starts
from unmask.hierarchies import ROOT, Hierarchy
from unmask.masks.cells import Cells
from unmask.masks.notation import number_cells
from unmask.masks.notation.label_meaning import NumberLabels, leaf_numbers
from unmask.masks.notation.number_cells import Piece
from unmask.masks.search.places import places
from unmask.schema import Attribute, Numeric, labels_of
from unmask.table import Table


@runtime_checkable
class UsesHierarchies(Protocol):
    """A sanitizer that publishes labels of hierarchies, if it is set so."""

    @property
    def uses_hierarchies(self) -> bool:
        """Whether it does."""


@dataclass(frozen=True, slots=True, eq=False)
class LevelLabels:
    """The labels of one column on each level, and the leaf of each row.

    A column without a hierarchy has two levels: the values themselves, and `*`. A missing value is a separate leaf; it
    joins the others where a level has a single label, and where the hierarchy lists its mark.
    """

    attribute: Attribute
    leaf: Int32  # (rows,)
    texts: tuple[str, ...]  # (leaves,) as the hierarchy writes them; the last may be missing values
    names: tuple[tuple[str, ...], ...]  # per level, (labels,)
    label_of: tuple[Int32, ...]  # per level, (leaves,)
    missing_leaf: int | None  # the leaf of people whose value is missing

    @classmethod
    def of(cls, people: Table, name: str) -> LevelLabels:
        """Return the levels of a column.

        Fails
            With `InvalidInputError` where the hierarchy lacks a value.
        """
        attribute = people.schema[name]
        spread, distinct, lacking = places(people, name)
        values = labels_of(attribute.domain, distinct)
        hierarchy = attribute.hierarchy
        if hierarchy is None:
            hierarchy = Hierarchy.from_rows([value, ROOT] for value in values) if values else _NOTHING
        hierarchy.require(name, values)
        place = {leaf: i for i, leaf in enumerate(hierarchy.leaves)}
        texts = hierarchy.leaves
        names = [hierarchy.leaves, *hierarchy.labels]
        label_of = [np.arange(len(texts), dtype=np.int32), *hierarchy.label_of]
        missing = place.get(attribute.mark)
        if lacking and missing is None:
            missing, texts = len(texts), (*texts, attribute.mark)
            for level, labels in enumerate(names):
                joins = level > 0 and len(labels) == 1
                label_of[level] = np.append(label_of[level], np.int32(0 if joins else len(labels)))
                names[level] = labels if joins else (*labels, attribute.mark)
        known = np.array([place[value] for value in values], np.int32)
        leaf = spread(np.append(known, np.int32(-1 if missing is None else missing)))
        return cls(attribute, leaf, texts, tuple(names), tuple(label_of), missing)

    @property
    def n(self) -> int:
        """The number of levels."""
        return len(self.names)

    def n_labels(self, level: int) -> int:
        """Return the number of labels of a level."""
        return len(self.names[level])

    def share(self, level: int) -> Float64:
        """Return the share of all leaves with the same label as each leaf, (leaves,): 1 where all share one label."""
        label = self.label_of[level]
        return np.asarray(np.bincount(label, minlength=self.n_labels(level))[label] / max(label.size, 1))

    def refines(self) -> Bool:
        """Return whether labels of the first level determine those of the second, for each pair, (levels, levels)."""
        result = np.zeros((self.n, self.n), bool)
        for fine, label in enumerate(self.label_of):
            example = np.zeros(self.n_labels(fine), np.int64)
            example[label] = np.arange(label.size)
            for coarse in range(fine, self.n):
                other = self.label_of[coarse]
                result[fine, coarse] = bool((other == other[example][label]).all()) if label.size else True
        return result

    def cells(self, level: Int32 | Int64, label: Int32 | Int64) -> Cells:
        """Return the cells of some labels, (labels,), of some levels, (labels,), to be published under these labels."""
        meant, missing, stars, names = [], [], [], []
        pieces_of = self._pieces()
        for at, number in zip(level.tolist(), label.tolist(), strict=True):
            name, leaves = self.names[at][number], np.flatnonzero(self.label_of[at] == number)
            star = bool(name) and not name.strip("*")
            meant.append([] if star else pieces_of(at, number, leaves[leaves != self.missing_leaf]))
            missing.append(not star and self.missing_leaf is not None and self.missing_leaf in leaves)
            stars.append(star)
            names.append("" if at == 0 or star or name == self.attribute.mark else name)
        return _cells(self.attribute, meant, np.array(missing, bool), np.array(stars, bool), tuple(names))

    def unions(self, sets: Iterable[Int64]) -> Cells:
        """Return the cells of some sets of leaves, (sets,), without labels."""
        meant, missing = [], []
        pieces_of = self._pieces()
        for leaves in sets:
            meant.append(pieces_of(0, 0, leaves[leaves != self.missing_leaf]))
            missing.append(self.missing_leaf is not None and self.missing_leaf in leaves)
        return _cells(self.attribute, meant, np.array(missing, bool), np.zeros(len(meant), bool))

    def _pieces(self) -> Callable[[int, int, Int64], list[Piece]]:
        """Return a function from level, number and known leaves of a label to its pieces among the values.

        Open ends run to the declared bounds, else to the smallest and largest leaf.
        """
        domain, hierarchy = self.attribute.domain, self.attribute.hierarchy
        if not isinstance(domain, Numeric):
            code = {value: float(i) for i, value in enumerate(domain.values)}

            def listed(level: int, number: int, leaves: Int64) -> list[Piece]:
                del level, number
                codes = [code[text] for leaf in leaves if (text := self.texts[leaf]) in code]
                return number_cells.merged((Piece(x, x) for x in codes), 1.0)

            return listed
        labels = None if hierarchy is None else NumberLabels(hierarchy, domain.dates)
        numbers = leaf_numbers(self.texts, dates=domain.dates).tolist()
        ends = [number for number in numbers if np.isfinite(number)]
        low = min(ends, default=0.0) if domain.low is None else domain.low
        high = max(ends, default=0.0) if domain.high is None else domain.high

        def numeric(level: int, number: int, leaves: Int64) -> list[Piece]:
            own = [numbers[leaf] for leaf in leaves if not np.isnan(numbers[leaf])]
            if level == 0 or labels is None or level >= labels.hierarchy.n_levels:
                return number_cells.merged((Piece(x, x) for x in own), domain.step)
            return number_cells.settled(labels.pieces(level, number), low, high, domain.step)

        return numeric


_NOTHING = Hierarchy((), ((ROOT,),), (np.zeros(0, np.int32),))


def _cells(
    attribute: Attribute,
    meant: Sequence[Sequence[Piece]],
    missing: Bool,
    anything: Bool,
    label: tuple[str, ...] = (),
) -> Cells:
    flat = [piece for pieces in meant for piece in pieces]
    wild = missing & (attribute.missing == "wildcard") & np.array([not pieces for pieces in meant], bool)
    return Cells(
        attribute,
        starts(np.array([len(pieces) for pieces in meant], np.int64)),
        np.array([piece.low for piece in flat], np.float64),
        np.array([piece.high for piece in flat], np.float64),
        np.array([piece.low_open for piece in flat], bool),
        np.array([piece.high_open for piece in flat], bool),
        missing,
        anything | wild,
        label if any(label) else (),
    )
