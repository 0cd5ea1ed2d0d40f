"""README.txt of a release folder: the files, the notation of cells, and what was not protected."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from unmask.arrays import Bool
from unmask.differential_privacy.noise_claims import describe_noise
from unmask.files.release_json import ReleaseFile
from unmask.hierarchy_presets.all_presets import PRESETS
from unmask.hierarchy_presets.names import preset_name
from unmask.masks.cells import Cells
from unmask.release import Release
from unmask.schema import Role
from unmask.unit import Unit
from unmask.visible_text import joined


def readme_text(release: Release, about: ReleaseFile, counts: Mapping[str, str]) -> str:
    """Return the text of README.txt; `counts` has the name of the column counted by each file."""
    people = "synthetic rows" if release.is_synthetic else str(release.unit)
    lines = [
        "This folder is a release of data about people.",
        *_claims(release),
        "",
        f"  {_how_many(release)} {people} in {release.n_groups} groups{_left_out(release)}.",
        *(
            [f"  Some people have several rows: there are {release.n_rows} rows, {release.n_suppressed_rows} left out."]
            if release.headcount is not None
            else []
        ),
        *(_of_rows(release) if release.unit is Unit.ROWS and not release.is_synthetic else []),
        "",
        "Files",
        "  release.json   what the columns are, and how the release was made, as far as published",
        "  table.csv      a line for each group" if release.start is None else "  rows.csv       a line for each row",
        *(f"  {file}   how often each group has each value of {name}" for file, name in counts.items()),
        *_of_noise(release),
        *_of_permuted(release),
        *(["  people.csv     how many different people each group has, and each value"] if about.people else []),
        *(["  regions.csv    a second set of cells for each group"] if about.regions else []),
        *(["  hierarchies/   which values stand under which label"] if _labelled(about) else []),
        "",
        "Cells",
        "  20-29 or [20, 29.5]   a number in between, both ends included; [20, 30) without 30",
        "  <20 or 75+            below 20; 75 and above",
        *(
            ["  1977-10, 1975-1979    a day of that month or these years;  A..B  from day A to day B"]
            if _dated(about)
            else []
        ),
        "  {A, B}                one of these;  A..F  all from A to F in their order;  *  anything",
        *(["  labels                one of the values under the label in hierarchies/"] if _labelled(about) else []),
        *_of_presets(about),
        "  |?                    or missing (? or the mark that release.json names)",
        *(
            ["  centroids             what is typical of a group: means, most frequent values; possibly of no person"]
            if release.masked.is_typical
            else []
        ),
        "  'text                 an apostrophe before =, +, -, @ keeps spreadsheets from running it",
        *_of_extremes(release),
        *_of_pseudonyms(release),
        *_of_shifts(release),
        *(["", "Noise", *(f"  {text}" for text in noise)] if (noise := describe_noise(release)) else []),
        "",
        "Recipients must not try to re-identify the people in it. Text is UTF-8, separated by commas.",
    ]
    return joined(lines) + "\n"


def _claims(release: Release) -> list[str]:
    """Return the treated, the sensitive and the untreated columns as text; it claims no protection."""
    made, schema = release.provenance, release.schema
    parameters = ", ".join(f"{key}={value}" for key, value in made.parameters.items())
    by = "" if made.sanitizer is None else f" by {made.sanitizer}{f' ({parameters})' if parameters else ''}"
    quasi, secret, plain = (
        ", ".join(a.name for a in schema.having(role))
        for role in (Role.QUASI_IDENTIFIER, Role.SENSITIVE, Role.INSENSITIVE)
    )
    return [
        f"What an attacker may know, treated{by}: {quasi}. Whether people are recognized all the same was not tried.",
        *([f"What must stay secret: {secret}."] if secret else []),
        *([f"Published as it is, protected by nothing: {plain}."] if plain else []),
    ]


def _dated(about: ReleaseFile) -> bool:
    """Whether some column holds dates."""
    return any(column.domain is not None and column.domain.type == "date" for column in about.columns)


def _labelled(about: ReleaseFile) -> bool:
    return any(column.hierarchy_file is not None for column in about.columns)


def _of_presets(about: ReleaseFile) -> list[str]:
    """Return a line on each column whose labels are those of a standard code."""
    presets = {column.name: preset_name(column.hierarchy or "") for column in about.columns}
    known = {name: PRESETS[preset] for name, preset in presets.items() if preset is not None}
    return [f"  labels of {name}: {', '.join(one.levels)} by {one.source}" for name, one in known.items()]


def _of_extremes(release: Release) -> list[str]:
    """Return a warning about columns whose range ends are the extremes of a group, hence values of people."""
    ours = () if release.masked.is_typical or release.start is None else release.masked.lines.cells
    names = [cells.attribute.name for cells in ours if _is_range(cells).any()]
    warning = "ranges run from the least to the greatest value of their group: both ends are values of people in it"
    return ["", "Extremes", f"  {', '.join(names)}: {warning}"] if names else []


def _of_pseudonyms(release: Release) -> list[str]:
    """Return what the published person key is, and what it does not protect against."""
    if release.person_key is None:
        return []
    return [
        "",
        "Pseudonyms",
        f"  {release.person_key}: stands for a person, and links the rows of that person here and in other releases",
        "  under the same key. An attacker who knows several rows of a person looks for the pseudonym that has them",
        "  all: a group that hides one row does not hide several. Whoever has the key can compute pseudonyms.",
    ]


def _of_shifts(release: Release) -> list[str]:
    """Return which dates are not the true ones, and what shifting them does not protect against."""
    if not release.date_shifts:
        return []
    each = ", ".join(f"{name} (up to {shift.days} days)" for name, shift in release.date_shifts.items())
    return [
        "",
        "Shifted dates",
        f"  {each}: all dates of a person are earlier or later by one number of days, which is not published.",
        "  Intervals between the dates of a person are true, so that a person with two dates can be recognized by",
        "  them; one true date of a person gives away all others.",
    ]


def _is_range(cells: Cells) -> Bool:
    """Whether each cell is a range without a label, (cells,)."""
    owner = np.repeat(np.arange(cells.n), np.diff(cells.start))
    wide = np.bincount(owner, cells.low < cells.high, cells.n) > 0
    return np.asarray(wide & [not text for text in cells.label or ("",) * cells.n])


def _of_rows(release: Release) -> list[str]:
    """Return a note that group sizes are not numbers of people."""
    what = "Rows" if release.start is not None else "Records"
    return [f"  {what} were counted, not people: no person key was declared, and a person may have several."]


def _of_permuted(release: Release) -> list[str]:
    """Return a note on values that were shuffled inside groups."""
    names = ", ".join(sorted(release.permuted))
    note = f"  {names}: shuffled inside each group; the value on a row is one of its group's, not that row's"
    return [note] if names else []


def _how_many(release: Release) -> str:
    return f"about {max(release.n_people, 0):,.0f}" if release.noise else f"{release.n_people:g}"


def _left_out(release: Release) -> str:
    return "" if release.noise else f"; {release.n_suppressed} more were left out"


def _of_noise(release: Release) -> list[str]:
    """Return notes on counts with noise."""
    return [
        f"  counts of {name} have {one.family} noise of scale {one.scale:g}: some are below 0, few are exact"
        for name, one in release.noise.items()
    ]
