"""How the people of a table or a release are counted, as sentences for the notes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from unmask.commands.inputs.reading_options import ReadingOptions
from unmask.errors import InvalidInputError, enumerated
from unmask.files.published import ReadRelease
from unmask.files.roles import Roles
from unmask.number_format import numeral
from unmask.schema import Missing, Role
from unmask.table import Table
from unmask.wording import message


def notes_on_table(table: Table, roles: Roles) -> Iterator[str]:
    """Yield how the people of a table are counted, and which columns have no value.

    Weights do not count, and rows of one person count once.
    """
    yield from notes_on_empty_columns(table)
    if roles.having(Role.WEIGHT):
        yield message("weights are ignored here: the people of this table are counted, one each")
    if table.person_of is not None:
        people = np.unique(table.person_of).size
        if people < table.n_rows:
            yield message(
                "{people} people have {n_rows} rows: people are counted, not rows",
                people=numeral(people),
                n_rows=numeral(table.n_rows),
            )


def notes_on_empty_columns(table: Table) -> Iterator[str]:
    """Yield the sensitive columns without any value."""
    for attribute in table.schema.having(Role.SENSITIVE):
        own = not attribute.is_numeric and attribute.missing is Missing.OWN  # coded as a value like others
        if table.n_rows and ((own and attribute.values == (attribute.mark,)) or table.missing(attribute.name).all()):
            yield message(
                "column {column} has no value in any of {n_rows} rows: no attack on it can find anything, and limits "
                "on it mean nothing",
                column=repr(attribute.name), n_rows=numeral(table.n_rows),
            )  # fmt: skip


def notes_beside_releases(table: Table, found: Sequence[ReadRelease]) -> Iterator[str]:
    """Yield that releases count people while the targets are rows of a table without person keys."""
    counting = [one.release.name for one in found if one.release.headcount is not None]
    if counting and table.person_of is None:
        yield (
            message(
                "{counting} counts people with several rows; the targets are rows of the table. Write "
                "--person-key COL to count its people",
                counting=enumerated(counting),
            )
        )


def notes_on_release(found: ReadRelease, options: ReadingOptions) -> Iterator[str]:
    """Yield how the people of a release are counted.

    Fails
        With `InvalidInputError` where the release lacks the person-key column that the options name.
    """
    release, key = found.release, options.get("person_key")
    if key is not None and found.person_key != key:
        msg = message(
            "person-key must be a column of the release; {release} has no {key}. Leave it out: a release "
            "folder declares the number of people where they have several rows",
            release=repr(release.name),
            key=repr(key),
        )
        raise InvalidInputError(msg)
    if release.headcount is not None:
        yield message(
            "{n_people} people have {n_rows} rows: people are counted, not rows",
            n_people=numeral(release.n_people, ",.0f"),
            n_rows=numeral(release.n_rows),
        )
        lacking = [name for name in release.counts if name not in release.headcount.holders]
        if lacking:
            yield message(
                "how many people have each {lacking} is unknown: at most as many as have rows with it",
                lacking=enumerated(lacking),
            )
        if found.person_key is not None and release.headcount.repeated:
            yield (
                message(
                    "people in several groups count by the riskiest: average-risk and uniqueness are at most what is "
                    "printed"
                )
            )
        elif release.headcount.repeated:
            yield (
                message(
                    "people are in several groups, {repeated} times in all; who is unknown, so population risk "
                    "counts each once, in the smallest groups: it is at most what is printed",
                    repeated=numeral(release.headcount.repeated, ",.0f"),
                )
            )
    if options.get("weight") is not None:
        yield message("privacy models ignore weights: the people of the release are counted, one each")
