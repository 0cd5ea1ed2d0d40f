"""Targets that match no group of a release: their number, how many are not suppressed, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from unmask.arrays import Bool, Int32, Ragged
from unmask.attacks.shared.location import fitted
from unmask.auditing.findings import Misfit, PartOfRows, Unplaced
from unmask.beliefs import Beliefs
from unmask.masks.cells import Cells
from unmask.masks.lines import Lines, excluding
from unmask.masks.notation.notation import are_numbers, write_cells
from unmask.masks.notation.number_spellings import units
from unmask.people_counts import people_among
from unmask.release import Release
from unmask.schema import Schema, labels_of
from unmask.table import Table
from unmask.view import NOT_IN_IT, View

_LONGEST = 40  # letters of an example


def unplaced(
    view: View,
    beliefs: Beliefs,
    *,
    own: Sequence[Int32 | None] = (),
    whole: bool = False,
    person_of: Int32 | None = None,
) -> tuple[tuple[Unplaced, ...], Bool]:
    """Return for each release the targets in none of its groups, and mark those who may be unreadable, (targets,).

    Suppressed people are not unreadable. They are known where `own` has each target's group in each release,
    (targets,), negative where suppressed. Else only their number is known: from the release, or because the targets
    are the `whole` original table; then at least as many are unreadable as are published in groups without a match.
    """
    people = view.knowledge.people
    found, marks = [], np.zeros(people.n_rows, bool)
    for r, nowhere in enumerate(beliefs.unplaced):
        if not nowhere.any():
            continue
        release, here = view.releases[r], nowhere & (view.located(r) != NOT_IN_IT)
        if view.knowledge.complete or release.is_synthetic:
            here = np.zeros_like(here)  # the groups are of people outside the list, or of none
        group = own[r] if own else None
        if group is not None:
            here &= group >= 0
        rows = float(here.sum())
        if rows and group is None:
            missing = people.n_rows - float(release.size.sum()) if whole else 0.0
            rows = _not_suppressed(release, people, rows, max(float(release.n_suppressed_rows), missing))
        unreadable = min(float(people_among(person_of, here)), rows)
        misfits = tuple(_misfits(release, people, here, person_of)) if unreadable else ()
        n = float(people_among(person_of, nowhere))
        parts = (_part(person_of, nowhere, nowhere), _part(person_of, nowhere, here, rows))
        found.append(Unplaced(release.name, n, unreadable, *parts, misfits, bool(nowhere.all())))
        if unreadable:
            marks |= here
    return tuple(found), marks


def _part(person_of: Int32 | None, nowhere: Bool, rows: Bool, most: float = np.inf) -> PartOfRows:
    """Count some of the rows in no group, at most so many, (rows,): those of people with another row in one."""
    if person_of is None:
        return PartOfRows()
    part = rows & np.isin(person_of, person_of[~nowhere])
    return PartOfRows(min(float(people_among(person_of, part)), most), min(float(part.sum()), most))


def _not_suppressed(release: Release, people: Table, n: float, suppressed: float) -> float:
    """Return how many of n rows in no group must be unreadable, where so many are suppressed."""
    if suppressed <= 0:
        return n
    empty = ~fitted(release, people) & ~release.starred
    return max(n - suppressed, min(n, float(release.size[empty].sum())))


def _misfits(release: Release, people: Table, here: Bool, person_of: Int32 | None) -> Iterator[Misfit]:
    """Yield the columns in which some people have a value that no cell matches."""
    lines = excluding(release.masked if release.regions is None else release.regions)
    if lines is None:
        return
    aligned = people.aligned(Schema(lines.attributes))
    for i, cells in enumerate(lines.cells):
        name = cells.attribute.name
        if name not in people.schema:
            continue
        distinct, number = np.unique(aligned.columns[name], return_inverse=True)
        fits = cells.likelihood(distinct)
        lost = here & ~np.isin(number.ravel(), fits.column)
        if lost.any():
            n = float(people_among(person_of, lost))
            cell, value = _example(lines, i, fits), _likeness(people.take(lost), name)
            numeric = cells.attribute.is_numeric
            option = "" if numeric or not any(map(str.isdigit, value)) else _option(cell, cells)
            yield Misfit(name, n, cell, value, _are_alike(cell, value, numeric=numeric), option)


def _example(lines: Lines, i: int, fits: Ragged) -> str:
    """Return the most frequent published cell of a column, of the cells without a match if there are any.

    Empty where all its cells are missing values.
    """
    cells = lines.cells[i]
    informative = ~cells.anything & (np.diff(cells.start) > 0)
    if not informative.any():
        return ""
    odd = informative & (np.diff(fits.start) == 0)
    often = np.bincount(lines.cell[:, i], minlength=cells.n)
    best = np.where(odd if odd.any() else informative, often, -1).argmax()
    return write_cells(cells.take(np.array([best])))[0][:_LONGEST]


def _likeness(people: Table, name: str) -> str:
    """Return the most frequent notation of people's values; empty where there are none."""
    attribute, (number, distinct) = people.schema[name], people.ranks(name)
    often = np.bincount(number[number >= 0], minlength=distinct.size)
    counted: dict[str, int] = {}
    for value, n in zip(distinct, often.tolist(), strict=True):
        if np.isfinite(value) and value >= (-np.inf if attribute.is_numeric else 0):
            text = notation_of(labels_of(attribute.domain, np.array([value]))[0])
            counted[text] = counted.get(text, 0) + n
    return max(sorted(counted), key=lambda text: counted[text], default="")


def _option(cell: str, cells: Cells) -> str:
    """Return the option by which a cell would be a number; empty if there is none, or numbers have several units."""
    if are_numbers([cell], ",") and not are_numbers([cell], "."):
        return "--decimal ,"
    if not are_numbers([cell], ".", "bands") or len(units([*write_cells(cells), *cells.attribute.values])) > 1:
        return ""
    return f'cells = "bands" for {cells.attribute.name!r} in roles.toml'


def _are_alike(cell: str, value: str, *, numeric: bool) -> bool:
    """Whether a published cell and the notation of people's values differ in the value alone, not in the spelling."""
    numbers = numeric and not any(c.isalpha() for c in cell + value)
    return bool(value) and (numbers or notation_of(cell) == value)


def notation_of(text: str) -> str:
    """Return the notation of a text: every digit as 9, every letter as a.

    >>> notation_of("15/01/2020 Male")
    '99/99/9999 Aaaa'
    """
    letters = ("9" if c.isdigit() else "A" if c.isupper() else "a" if c.isalpha() else c for c in text[:_LONGEST])
    return "".join(letters)
