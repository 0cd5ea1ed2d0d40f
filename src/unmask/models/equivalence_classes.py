"""The equivalence classes of a release, and the people of a population who fit them.

A missing or suppressed cell is a separate value, or matches everything.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from unmask.arrays import Bool, Float64, Int32, Int64, Ragged, distinct_rows, expand
from unmask.errors import InvalidInputError
from unmask.links import Linking
from unmask.masks.cells import Cells
from unmask.masks.lines import excluding
from unmask.people_counts import repeats
from unmask.release import Masked, Release
from unmask.table import Table
from unmask.wording import message


class MissingAs(StrEnum):
    """The reading of missing values: as one more value, or as matching everything (a sensitive value: as not known)."""

    OWN = "own"
    WILDCARD = "wildcard"


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """The equivalence classes: lines of a group with equal published cells. For boxes these are the groups."""

    masked: Masked  # a line per unit
    group: Int32  # (units,)
    size: Float64  # (units,) people
    wild: Bool  # (units, attributes) the cell is missing or suppressed
    cell: Int32  # (units, attributes)
    seen: Mapping[MissingAs, Float64]  # (units,) people who match under a reading
    of_line: Int32  # (lines,) the unit of each line of the release

    @classmethod
    def of(cls, release: Release) -> Units:
        """Return the units of a release, with the number of people who match each."""
        masked, group = release.masked, release.masked.group_of_line
        cells = [masked.cell_of(a.name) for a in masked.attributes]
        number, example = distinct_rows(np.stack([group, *cells], axis=1))
        lines = np.bincount(group, minlength=masked.n_groups)
        people = (release.size / np.maximum(lines, 1))[group]
        size = np.bincount(number, people, example.size).astype(np.float64)
        if example.size == masked.n_groups:
            size = release.size[group[example]]  # exact: no division
        repeated = 0.0
        if release.headcount is not None:  # at least those of a group who cannot all be in its other units
            elsewhere = (release.size - release.people)[group[example]]
            size, repeated = np.maximum(size - elsewhere, 1.0), release.headcount.repeated
        cell = np.stack([column[example] for column in cells], axis=1) if cells else np.zeros((example.size, 0), int)
        own = masked.regrouped(example, np.arange(example.size, dtype=np.int32), example.size)
        wild = _wild(masked, cell)
        seen = size
        if wild.any():
            alike = matching(cell, wild, Ragged.of(size[:, None])).dense_column(0)
            seen = np.maximum(alike - repeated, size)  # at most this many are in several matching units
        readings = {MissingAs.OWN: size, MissingAs.WILDCARD: seen}
        return cls(own, group[example], size, wild, cell.astype(np.int32), readings, number)

    def masked_under(self, reading: MissingAs) -> Masked:
        """Return the units with missing cells as a reading counts them."""
        lines = excluding(self.masked)
        if reading is MissingAs.OWN or lines is None:
            return self.masked
        return replace(lines, cells=tuple(replace(one, anything=one.anything | _empty(one)) for one in lines.cells))


def _empty(cells: Cells) -> Bool:
    """Return whether each distinct cell, (cells,), fits only a missing value, or anything."""
    return np.asarray(cells.anything | (cells.missing & (np.diff(cells.start) == 0)))


def _wild(masked: Masked, cell: Int32) -> Bool:
    """Return whether each cell, (units, attributes), is missing or suppressed."""
    wild, lines = np.zeros(cell.shape, bool), excluding(masked)
    for i, cells in enumerate(() if lines is None else lines.cells):
        wild[:, i] = _empty(cells)[cell[:, i]]
    return wild


def matching(cell: Int32, wild: Bool, content: Ragged) -> Ragged:
    """Return the summed content of all units that match each unit, where a wild cell matches everything.

    Units with the same wild attributes form a set; each two sets are joined on the attributes that are wild in
    neither. So the cost grows with units × patterns, not with pairs of units.
    """
    pattern, example = distinct_rows(wild)
    shape = (content.n_rows, content.n_columns)
    if example.size == 1:  # units match where they are equal in the attributes that are wild in none
        key, first = distinct_rows(cell[:, ~wild[example[0]]])
        return Ragged.gather(key[content.row], content.column, content.data, (first.size, shape[1])).take(key)
    from scipy import sparse  # noqa: PLC0415 - only where units differ in their wild cells

    held = sparse.csr_array((content.data, content.column, content.start), shape)
    members = [np.flatnonzero(pattern == p) for p in range(example.size)]
    total = sparse.csr_array(shape)
    for mine, ours in enumerate(members):
        mixed = sparse.csr_array((ours.size, shape[1]))
        for other, theirs in enumerate(members):
            neither_wild = ~(wild[example[mine]] | wild[example[other]])
            key, _ = distinct_rows(np.concatenate([cell[ours][:, neither_wild], cell[theirs][:, neither_wild]]))
            n = int(key.max(initial=-1)) + 1
            ones = np.ones(key.size)
            here = sparse.csr_array((ones[: ours.size], (np.arange(ours.size), key[: ours.size])), (ours.size, n))
            there = sparse.csr_array((ones[ours.size :], (key[ours.size :], np.arange(theirs.size))), (n, theirs.size))
            mixed = mixed + here @ (there @ held[theirs])
        place = sparse.csr_array((np.ones(ours.size), (ours, np.arange(ours.size))), (shape[0], ours.size))
        total = total + place @ mixed
    total.sort_indices()
    return Ragged(total.indptr, total.indices, total.data, shape[1])


def fitting(units: Units, population: Table) -> Mapping[MissingAs, tuple[Float64, float]]:
    """Return how many people of a population fit each unit, (units,), and how many fit none, under both readings.

    A suppressed cell (`*`) fits all people under either; a cell that marks a missing value does so as a wildcard.

    Fails
        With `InvalidInputError` for numbers with noise, which exclude no person: the number who fit measures no risk.
    """
    if units.masked.noise:
        msg = message(
            "published cells must exclude people to count who fits them; got numbers with noise, which fit all people"
        )
        raise InvalidInputError(msg)
    own = _fitting_masked(units.masked, population)
    wildcard = _fitting_masked(units.masked_under(MissingAs.WILDCARD), population) if units.wild.any() else own
    return {MissingAs.OWN: own, MissingAs.WILDCARD: wildcard}


def _fitting_masked(masked: Masked, population: Table) -> tuple[Float64, float]:
    """Return how many people of the population fit each unit, (units,), and how many fit none.

    A person fits the nearest centroid, whose group an attacker would search.
    """
    number, profiles = population.only(
        a.name for a in population.schema if any(a.name == published.name for published in masked.attributes)
    ).profiles()
    if repeats(population.person_of):
        return _people_fitting(masked, population, number, profiles)
    people = np.bincount(number, population.weight, profiles.n_rows).astype(np.float64)
    fits, none = np.zeros(masked.n_groups), 0.0
    for links in masked.links(profiles, np.ones(masked.n_groups), Linking(nearest=1)):
        here = people[links.profiles]
        row = np.repeat(here, np.diff(links.weight.start))
        fits += np.bincount(links.weight.column, row, masked.n_groups)
        none += float(here[links.absent].sum())
    return fits, none


def _people_fitting(masked: Masked, population: Table, number: Int32, profiles: Table) -> tuple[Float64, float]:
    """Return the same where people have several rows: each counts once a unit, with the least of their weights."""
    person, example = distinct_rows(np.asarray(population.person_of)[:, None])
    weight = np.ones(example.size)
    if population.weight is not None:
        weight = np.full(example.size, np.inf)
        np.minimum.at(weight, person, population.weight)
    pairs = np.unique(np.stack([number, person], axis=1), axis=0)
    start = np.searchsorted(pairs[:, 0], np.arange(profiles.n_rows + 1))
    entries: list[Int64] = []
    nowhere = np.ones(example.size, bool)
    for links in masked.links(profiles, np.ones(masked.n_groups), Linking(nearest=1)):
        here = np.repeat(np.arange(profiles.n_rows)[links.profiles], np.diff(links.weight.start))
        entry, which = expand(start, here)
        people = pairs[entry, 1]
        nowhere[people] = False
        entries.append(links.weight.column[which].astype(np.int64) * example.size + people)
    unit, people = np.divmod(np.unique(np.concatenate(entries)), example.size)
    fits = np.bincount(unit, weight[people], masked.n_groups).astype(np.float64)
    return fits, float(weight[nowhere].sum())
