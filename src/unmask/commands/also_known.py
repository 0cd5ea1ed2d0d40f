"""Audits for attackers who know one more published column of each person, though it is no quasi-identifier."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from unmask.arrays import Int32
from unmask.auditing.known_columns import refined_publication
from unmask.changes.release_changes import ChangedRelease, withhold
from unmask.commands.inputs.evidence import deduce_groups
from unmask.commands.prepared_audits import PreparedAudit
from unmask.commands.published_columns import codes_of_rows
from unmask.errors import InvalidInputError
from unmask.files.published import ReadRelease
from unmask.schema import Role, Schema
from unmask.table import Table
from unmask.wording import message


def knowing(prepared: PreparedAudit, column: str) -> PreparedAudit:
    """Return the audit for attackers who also know a column: it becomes a quasi-identifier of each release with it.

    Fails
        With `InvalidInputError` where no release publishes the column row by row, where attackers know it anyway, where
        it is the only sensitive one, and for people other than the rows of the table.
    """
    read = prepared.inputs.releases
    known = [None if _is_quasi(one, column) else codes_of_rows(one, column) for one in read]
    if all(one is None for one in known):
        _refuse(prepared, column)
    changed = [None if codes is None else _refined(one, column, *codes) for one, codes in zip(read, known, strict=True)]
    result = prepared.replaced(changed)
    if prepared.targets is None:
        return result
    if prepared.outside is not None:
        msg = message(
            "people must not be held out for {column} to be known of each; they are. Use --control left-out",
            column=repr(column),
        )
        raise InvalidInputError(msg)
    if prepared.inputs.original is None or prepared.inputs.people is not None:
        msg = message(
            "targets must be the rows of the table for {column} to be known of each; got other people",
            column=repr(column),
        )
        raise InvalidInputError(msg)
    reader = prepared.inputs.reader.silent().declaring(column, Role.QUASI_IDENTIFIER)
    people = _with_column(prepared.targets.people, reader.table(prepared.inputs.original, ()), column)
    answers = {name: truth for name, truth in prepared.targets.answers.items() if name != column}
    evidence = []
    for old, one, new in zip(prepared.evidence, result.evidence, changed, strict=True):
        found = one
        if new is not None and one.row is not None and one.group is not None:  # groups are split: the row decides
            group = np.append(new.release.group_of_row, np.int32(-1))[one.row]
            found = replace(one, group=np.where(one.row < 0, one.group, group).astype(np.int32))
        elif new is not None and old.group is not None and (new.group_of < 0).any():
            found = deduce_groups(new.release, people)
        evidence.append(found)
    targets = replace(prepared.targets, people=people, answers=answers)
    return replace(result, evidence=tuple(evidence), targets=targets)


def _is_quasi(read: ReadRelease, column: str) -> bool:
    return column in {a.name for a in read.release.schema.quasi}


def _refuse(prepared: PreparedAudit, column: str) -> None:
    """Fail for a column that cannot become known, with the reason."""
    releases = prepared.inputs.releases
    names = [name for one in releases for name in (*one.release.schema.names, *one.unused)]
    if column not in names:
        raise InvalidInputError.unknown_name(message("published column"), column, names)
    known = any(_is_quasi(one, column) for one in releases)
    why = message("a quasi-identifier, which attackers know anyway") if known else message("published by group")
    msg = message(
        "column {column} must be published row by row, and not be known yet; it is {why}. Leave --also-known out",
        column=repr(column),
        why=why,
    )
    raise InvalidInputError(msg)


def _refined(read: ReadRelease, column: str, values: tuple[str, ...], codes: Int32) -> ChangedRelease:
    """Return the release with one more quasi-identifier; a group that is split has no single new one: -1."""
    release, row_of = read.release, np.arange(read.release.n_rows, dtype=np.int64)
    if column in release.schema:
        less = withhold(release, column)
        release, row_of = less.release, less.row_of
    of_row = np.empty_like(codes)
    of_row[row_of] = codes
    person_of = None
    if read.person_of is not None:
        person_of = np.empty(release.n_rows, np.int32)
        person_of[row_of[read.row_of]] = read.person_of
    made = refined_publication(release, {column: (values, of_row)}, person_of)
    if made.row_of is None:
        msg = "a refined release must have rows"
        raise TypeError(msg)
    refined = replace(
        made.release, n_suppressed=release.n_suppressed, suppressed_rows=release.suppressed_rows, unit=release.unit,
        provenance=read.release.provenance,
    )  # fmt: skip
    place = made.row_of[row_of]
    group, former = refined.group_of_row[place], read.release.group_of_row
    first = np.full(read.release.n_groups, -1, np.int32)
    first[former] = group
    split = np.zeros(read.release.n_groups, bool)
    split[former[group != first[former]]] = True
    return ChangedRelease(refined, place, np.where(split, np.int32(-1), first))


def _with_column(people: Table, more: Table, column: str) -> Table:
    schema = Schema((*people.schema, more.schema[column]))
    return replace(people, schema=schema, columns={**people.columns, column: more[column]})
