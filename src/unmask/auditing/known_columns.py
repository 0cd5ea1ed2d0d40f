"""Refined releases: groups as an attacker sees them who also knows columns outside the privacy models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from unmask.arrays import Int32, distinct_rows
from unmask.errors import InvalidInputError
from unmask.masks.cells import Cells
from unmask.masks.lines import Lines
from unmask.release import Publication, Release, arranged
from unmask.repeated_columns import RepeatedColumns
from unmask.schema import Attribute, Categorical, Role, Schema
from unmask.wording import message


def published_cells(release: Release) -> RepeatedColumns:
    """Return the published cell of each row, (rows,), by quasi-identifier; without noisy numbers.

    A noisy number distinguishes no people: the attacker cannot know it.
    """
    lines, noise = release.masked.lines, release.masked.noise
    line = lines.line_of(release.group_of_row).astype(np.int32)
    cells = {a.name: lines.cell_of(a.name) for a in lines.attributes if a.name not in noise}
    return RepeatedColumns(cells, lines.group_of_line.size, line)


def refined_publication(
    release: Release, known: Mapping[str, tuple[tuple[str, ...], Int32]], person_of: Int32 | None = None
) -> Publication:
    """Return the release with further columns as quasi-identifiers: for each its values and the code of each row.

    The rows of the publication are those of the release.

    Groups are split by these columns, unless sensitive values belong to whole groups: then rows are distinguished
    inside their group. Noisy numbers are left out.

    Fails
        With `InvalidInputError` for a release without rows.
    """
    lines = release.masked.lines
    if release.start is None:
        msg = message("release {release} must publish rows to be refined; it does not", release=repr(release.name))
        raise InvalidInputError(msg)
    kept = published_cells(release)
    cells = [lines.cells[lines.column(name)] for name in kept]
    codes = list(kept.values())
    for name, (values, code) in known.items():
        more, cell = Cells.exact(Attribute(name, Role.QUASI_IDENTIFIER, Categorical(values)), code)
        cells.append(more)
        codes.append(cell)
    cell = np.stack(codes, axis=1).astype(np.int32)
    group, n_rows = release.group_of_row, release.n_rows
    secret = [a for a in release.schema.sensitive if a.name in release.counts]
    whole = bool(release.permuted) or any(a.name not in release.columns for a in secret)
    if not whole:
        group, _ = distinct_rows(np.concatenate([group[:, None], cell], axis=1))
    _, first = np.unique(group, return_index=True)
    rows = np.arange(n_rows)
    n_groups = first.size
    masked = Lines(tuple(cells), cell, group, n_groups) if whole else Lines(
        tuple(cells), cell[first], np.arange(n_groups, dtype=np.int32), n_groups
    )  # fmt: skip
    schema = Schema((*(one.attribute for one in cells), *secret))
    made = arranged(
        schema, masked, input_row=rows, n_input=n_rows, group_of_row=group, line_of_row=rows if whole else group,
        columns={a.name: release.columns[a.name] for a in secret if a.name in release.columns},
        counts={a.name: release.counts[a.name] for a in secret if a.name not in release.columns}, name=release.name,
        person_of=person_of,
    )  # fmt: skip
    return Publication(replace(made.release, rows=release.rows), made.rows)
