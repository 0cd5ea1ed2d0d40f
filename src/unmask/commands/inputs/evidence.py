"""The evidence of an audit: the group and the published row of each target, where known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from unmask.arrays import Int32, Int64
from unmask.attacks.shared.location import linked
from unmask.auditing.evidence import Evidence, Targets
from unmask.commands.inputs.command_inputs import Inputs
from unmask.errors import InvalidInputError
from unmask.files.kept_back import read_keep
from unmask.files.people import People
from unmask.files.raw import Raw
from unmask.links import Linking
from unmask.number_format import numeral
from unmask.people_counts import where_several
from unmask.release import Release
from unmask.schema import Role
from unmask.table import Table
from unmask.wording import message


def evidence_about(inputs: Inputs, table: Table, keep: str | Path | None = None) -> list[Evidence]:
    """Return releases with the group of each row of a table: from the kept mapping, else as far as it can be deduced.

    Fails
        With `InvalidInputError` where the mapping is of another table or release: by its hashes, or because people
        do not match their rows.
    """
    result = [deduce_groups(one.release, table) for one in inputs.releases[1 if keep is not None else 0 :]]
    if keep is None:
        return result
    kept, first = read_keep(keep), inputs.releases[0]
    kept.require_release(first.release.name, first.content)
    if kept.published.size != table.n_rows or kept.n_published != first.row_of.size:
        msg = message(
            "what was kept back must be about this table ({n_rows} rows) and this release ({size}); it is "
            "about {size2} and {n_published}. Name the file that the same sanitize wrote",
            n_rows=numeral(table.n_rows),
            size=numeral(first.row_of.size),
            size2=numeral(kept.published.size),
            n_published=numeral(kept.n_published),
        )
        raise InvalidInputError(msg)
    if inputs.original is not None:
        kept.require_table(inputs.original)
    row: Int64 = np.append(first.row_of, -1)[kept.published]
    group = np.append(first.release.group_of_row, np.int32(-1))[row].astype(np.int32)
    _require_fitting(first.release, table, group)
    return [Evidence(first.release, group, row), *result]


def about_people(people: People, inputs: Inputs, evidence: Sequence[Evidence]) -> tuple[list[Evidence], Targets]:
    """Return evidence about the people of a people file, and these people as targets.

    Where there is a table, `evidence` is about its rows, and its sensitive values are the truth. Where the file gives
    the group of every person, that is where they are.
    """
    person_of = where_several(people.table.person_of)
    targets, found = Targets(people.table, {}, person_of), list(evidence)
    if inputs.table is not None and inputs.original is not None:
        row = _row_in_table(people, inputs.original, inputs.reader.roles.having(Role.PERSON_KEY))
        answers = {
            name: replace(truth, answer=np.append(truth.answer, np.int32(-1))[row], person_of=person_of)
            for name, truth in Targets.of(inputs.table).answers.items()
        }
        targets, found = replace(targets, answers=answers), [_rows_of(one, row) for one in evidence]
    if people.located is not None:
        found = [
            replace(one, group=place.group, row=None) if (place.group >= 0).all() else one
            for one, place in zip(found, people.located, strict=True)
        ]
    return found, targets


def _require_fitting(release: Release, people: Table, group: Int32) -> None:
    """Fail where a person does not match their group, (people,); noisy cells match all."""
    if release.masked.noise:
        return
    profile, profiles = people.visible(None).profiles()
    weight, _ = linked(release, profiles, Linking())
    pairs, placed = np.unique(np.stack([profile, group], axis=1)[group >= 0], axis=0, return_counts=True)
    possible = weight.row.astype(np.int64) * release.n_groups + weight.column
    unfit = int(placed[~np.isin(pairs[:, 0].astype(np.int64) * release.n_groups + pairs[:, 1], possible)].sum())
    if unfit:
        msg = message(
            "what was kept back must lead people to rows of release {release} that fit them; {unfit} of "
            "{sum} do not fit. Name the table that was sanitized and the file that the same sanitize wrote, "
            "with the same roles",
            release=repr(release.name),
            unfit=numeral(unfit),
            sum=numeral(int((group >= 0).sum())),
        )
        raise InvalidInputError(msg)


def deduce_groups(release: Release, people: Table) -> Evidence:
    """Return the group of each person where exactly one matches each: in strict partitions, never with noise."""
    if release.masked.noise:
        return Evidence(release)
    profile, profiles = people.visible(None).profiles()
    weight, _ = linked(release, profiles, Linking())
    if (np.diff(weight.start) != 1).any():
        return Evidence(release)
    return Evidence(release, weight.column[profile].astype(np.int32))


def _rows_of(one: Evidence, row: Int64) -> Evidence:
    """Return the evidence about some rows of the table, (targets,); people without a row are in no group."""
    group = None if one.group is None else np.append(one.group, np.int32(-1))[row]
    return Evidence(one.release, group, None if one.row is None else np.append(one.row, np.int64(-1))[row])


def _row_in_table(people: People, original: Raw, keys: Sequence[str]) -> Int64:
    """Return the row of the original table that each person of a people file has; -1 where none.

    Fails
        With `InvalidInputError` where neither a person key nor the number of lines links the files.
    """
    n = people.table.n_rows
    keys = [name for name in keys if name in original.columns]
    if not keys or people.names is None:
        if n != original.n_rows:
            msg = message(
                "{source} must have the {n_rows} lines of the table, in its order; it has {n}. Or name the "
                "column that identifies people in both files by --person-key",
                source=repr(people.source),
                n_rows=numeral(original.n_rows),
                n=numeral(n),
            )
            raise InvalidInputError(msg)
        return np.arange(n)
    own = original[keys[0]]
    names, n_each = own.labels, np.bincount(own.codes[own.codes >= 0], minlength=len(own.labels))
    if (n_each > 1).any():
        msg = message(
            "column {keys} must name each person of the table once to match {source}; {sum} people have several rows",
            keys=repr(keys[0]),
            source=repr(people.source),
            sum=numeral(int((n_each > 1).sum())),
        )
        raise InvalidInputError(msg)
    place: Int32 = np.full(len(names) + 1, -1, np.int32)
    place[own.codes] = np.arange(own.codes.size)
    place[-1] = -1
    code = {name: i for i, name in enumerate(names)}
    return np.array([place[code.get(name, -1)] for name in people.names], np.int64)
