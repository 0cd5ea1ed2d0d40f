"""Published people as a table whose values are the distinct cells of a release."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from unmask.arrays import Bool, Float64, Int32, Int64
from unmask.errors import InvalidInputError
from unmask.masks.published_values import line_of_row
from unmask.models.equivalence_classes import MissingAs, Units
from unmask.release import SYNTHETIC, Release
from unmask.schema import UNKNOWN, Categorical, Missing, Schema
from unmask.table import Table
from unmask.wording import message


def unit_of_row(release: Release, units: Units) -> Int64:
    """Return the unit of each row of `people_table`, (rows,): of each published row, where persons are known.

    Fails
        With `InvalidInputError` where sizes are not whole numbers (noise).
    """
    if release.person_of is not None:
        return units.of_line[line_of_row(release)][_kept(release)].astype(np.int64)
    size = np.round(units.size).astype(np.int64)
    if release.noise or not np.allclose(size, units.size) or (size < 0).any():
        msg = message(
            "sizes of groups must be whole to count people; these are noisy. Estimate the risk before noise is added"
        )
        raise InvalidInputError(msg)
    size[release.starred[units.group]] = 0
    return np.repeat(np.arange(size.size), size)


def _kept(release: Release) -> Bool:
    """Return whether each published row, (rows,), is one of a person who is not suppressed."""
    return ~release.starred[release.group_of_row]


def _person_of(release: Release, size: Float64) -> Int32 | None:
    """Return the person of each row of `people_table`, from the size of its unit, (rows,); None: a person each.

    Pseudonyms say whose row it is. Without them a person may be in several groups that are not known: then the people
    are those of the smallest groups, and have their other rows in the largest. No assignment has higher risks, and the
    people of each group are different.
    """
    if release.person_of is not None:
        return release.person_of[_kept(release)]
    if release.headcount is None:
        return None
    person = np.empty(size.size, np.int32)
    person[np.argsort(size, kind="stable")] = np.arange(size.size) % max(int(release.headcount.total), 1)
    return person


def require_people(release: Release) -> None:
    """Require that rows may be people's.

    Fails
        With `InvalidInputError` where they are declared synthetic.
    """
    if release.is_synthetic:
        msg = message("population risk must be about people; {synthetic}", synthetic=SYNTHETIC)
        raise InvalidInputError(msg)


def people_table(release: Release, reading: MissingAs) -> Table:
    """Return a table of the published people, in which each distinct cell of a column is a value.

    Two people match in this table if they match in the release. Under the reading `WILDCARD` a missing or suppressed
    cell is a missing value that matches everything, else one more value. Suppressed people are left out. A person is
    counted once: by published pseudonyms, else by the number of people that the release states.

    Fails
        With `InvalidInputError` where sizes are not whole numbers (noise), or where numbers have noise, so that all
        rows are unique.
    """
    require_people(release)
    if release.masked.noise:
        msg = message("numbers must be exact for population risk; these have noise. Estimate it before noise is added")
        raise InvalidInputError(msg)
    units = Units.of(release)
    unit = unit_of_row(release, units)
    attributes, columns = [], {}
    for i, attribute in enumerate(units.masked.attributes):
        cell, wild = units.cell[:, i], units.wild[:, i]
        labels = tuple(str(number) for number in range(int(cell.max(initial=-1)) + 1))
        missing = Missing.WILDCARD if reading is MissingAs.WILDCARD else Missing.OWN
        attributes.append(replace(attribute, domain=Categorical(labels), hierarchy=None, missing=missing))
        codes = np.where(wild & (reading is MissingAs.WILDCARD), UNKNOWN, cell)
        columns[attribute.name] = codes.astype(np.int32)[unit]
    return Table(Schema(tuple(attributes)), columns, unit.size, _person_of(release, units.size[unit]))
