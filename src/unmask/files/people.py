"""The people file: targets with the attacker's knowledge of them; and the truth file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from unmask.arrays import Int32
from unmask.beliefs import About
from unmask.dates import period_ends
from unmask.errors import InvalidInputError
from unmask.estimate import Truth
from unmask.files.keys import numbered
from unmask.files.published import ReadRelease
from unmask.files.raw import Raw, RawColumn
from unmask.files.roles import Roles
from unmask.hierarchies import number_text
from unmask.masks import published_values
from unmask.people_counts import where_several
from unmask.schema import UNKNOWN, Attribute, Categorical, Domain, Numeric, Role, Schema, domain_values
from unmask.table import Column, Table
from unmask.view import IN_IT, Located
from unmask.wording import counted, message


@dataclass(frozen=True, eq=False)
class People:
    """The targets: known attributes, and known groups or rows."""

    table: Table  # quasi-identifiers only
    names: tuple[str, ...] | None  # (people,) person keys; None: identified by line number
    located: tuple[Located, ...] | None  # per release; None: not known
    notes: tuple[str, ...] = ()
    source: str = "people"  # the name of the file


def values_of(raw: Raw) -> Mapping[str, tuple[str, ...]]:
    """Return the distinct values of each column as text, for reading releases (`also`)."""
    return {name: column.labels for name, column in raw.columns.items()}


def to_people(
    raw: Raw, releases: Sequence[ReadRelease], roles: Roles | None = None, *, named: Iterable[str] = ()
) -> People:
    """Code a people file by the releases' types: numbers where these publish numbers, else categories.

    A quasi-identifier that the file lacks is unknown and fits everything; sensitive columns are ignored; a column with
    the name of a release's group column fixes the group. A note reports each of these.

    Fails
        With `InvalidInputError` where the file has no quasi-identifier at all, lacks one that is in `named` (by -q),
        or names a group that the release does not have.
    """
    roles = roles or Roles()
    published = _attributes(releases, Role.QUASI_IDENTIFIER)
    secret = _attributes(releases, Role.SENSITIVE)
    known = [name for name in published if name in raw.columns]
    lacking = [name for name in published if name not in raw.columns]
    demanded = [name for name in lacking if name in set(named)]
    if demanded:
        raise InvalidInputError.unknown_name(
            message("quasi-identifier named by -q in {raw}", raw=repr(raw.name)), demanded[0], raw.columns
        )
    if not known:
        msg = message(
            "{raw} must have a quasi-identifier of the releases ({published}); it has none of them. Rename its columns",
            raw=repr(raw.name),
            published=", ".join(published),
        )
        raise InvalidInputError(msg)
    notes: list[str] = []
    if lacking:
        notes.append(
            message(
                "{raw} has no {lacking}: unknown, and fits everything", raw=repr(raw.name), lacking=", ".join(lacking)
            )
        )
    attributes, columns = [], {}
    for name in known:
        attribute, columns[name], unread = _understood(name, published[name], raw[name])
        if attribute.holds_dates and any(not published_values.is_near(one.release, name) for one in releases):
            _require_days(name, raw[name], raw.name)
        attributes.append(attribute)
        if unread:
            notes.append(
                message(
                    "column {name}: {unread} people have no number there, and fit only what fits anything",
                    name=repr(name),
                    unread=unread,
                )
            )
    ignored = [name for name in secret if name in raw.columns]
    if ignored:
        notes.append(
            message(
                "sensitive in the releases, so not taken from {raw}: {ignored}",
                raw=repr(raw.name),
                ignored=", ".join(ignored),
            )
        )
    located, used = _located(raw, releases, {*known, *ignored}, notes)
    keys = [name for name in roles.having(Role.PERSON_KEY) if name in raw.columns]
    rest = [name for name in raw.columns if name not in {*known, *ignored, *used, *keys}]
    if rest:
        notes.append(
            counted(
                "{n} column of {raw} not used: {rest}",
                "{n} columns of {raw} not used: {rest}",
                len(rest),
                n=len(rest),
                raw=repr(raw.name),
                rest=", ".join(rest),
            )
        )
    table = Table(Schema(tuple(attributes)), columns, raw.n_rows, person_of=numbered(raw[keys[0]]) if keys else None)
    return People(table, names_in(raw[keys[0]]) if keys else None, located, tuple(notes), raw.name)


def to_truth(raw: Raw, about: str, people: People, releases: Sequence[ReadRelease], *, key: str | None = None) -> Truth:
    """Return the true value of each person, matched by the person key if both files have it, else by line.

    Fails
        With `InvalidInputError` where the column does not exist, or where the two files cannot be matched.
    """
    values, answer = answers(raw, about, releases)
    n = people.table.n_rows
    if key is not None and key in raw.columns and people.names is not None:
        answer = _joined(answer, raw[key], people.names, raw.name)
    elif raw.n_rows != n:
        msg = message(
            "{raw} must have the {n} lines of the people file, in its order; it has {n_rows}. Or name the "
            "column that identifies people in both files by --person-key",
            raw=repr(raw.name),
            n=n,
            n_rows=raw.n_rows,
        )
        raise InvalidInputError(msg)
    return Truth(About.attribute(about), values, answer, where_several(people.table.person_of))


def answers(raw: Raw, about: str, releases: Sequence[ReadRelease]) -> tuple[tuple[str, ...], Int32]:
    """Return the values of a column, those of the releases first, and the code of each line, (lines,)."""
    if about not in raw.columns:
        raise InvalidInputError.unknown_name(
            message("column of {raw} with the truth", raw=repr(raw.name)), about, raw.columns
        )
    column = raw[about]
    published = _attributes(releases, Role.SENSITIVE).get(about, [])
    values = dict.fromkeys(value for attribute in published for value in attribute.values)
    labels = list(column.labels)
    if column.numbers is not None:  # 50 and 50.0 are equal, as in the release
        labels = [
            text if text in values else number_text(number)
            for text, number in zip(labels, column.numbers.tolist(), strict=True)
        ]
    values.update(dict.fromkeys(sorted(set(labels).difference(values))))
    place = {value: code for code, value in enumerate(values)}
    # A missing value may count as a value.
    absent = place.get(published[0].mark, UNKNOWN) if published else UNKNOWN
    answer = np.array([*(place[label] for label in labels), absent], np.int32)[column.codes]
    answer[column.suppressed] = UNKNOWN  # `*` means unknown, not missing
    return tuple(values), answer


def _attributes(releases: Sequence[ReadRelease], role: Role) -> dict[str, list[Attribute]]:
    """Return the published columns of a role, each with its attributes in the releases."""
    attributes: dict[str, list[Attribute]] = {}
    for read in releases:
        for attribute in read.release.schema.having(role):
            attributes.setdefault(attribute.name, []).append(attribute)
    return attributes


def _understood(name: str, published: Sequence[Attribute], column: RawColumn) -> tuple[Attribute, Column, int]:
    """Return a column coded by its published attributes, and its number of infinite or invalid numbers."""
    first = published[0]
    if not all(attribute.is_numeric for attribute in published):
        domain = Categorical(column.labels)
        attribute = Attribute(name, Role.QUASI_IDENTIFIER, domain, missing=first.missing, mark=first.mark)
        return attribute, column.codes, 0
    numeric = _people_domain([attribute.domain for attribute in published])
    given = None if numeric.dates else column.numbers
    numbers = domain_values(numeric, column.labels) if given is None else given
    attribute = Attribute(name, Role.QUASI_IDENTIFIER, numeric, missing=first.missing, mark=first.mark)
    values = np.append(numbers, np.nan)[column.codes]
    return attribute, values, int(np.isinf(values).sum())


def _require_days(name: str, column: RawColumn, table: str) -> None:
    """Fail where people give periods, and the release was read without them: then it has cells of days."""
    ends = [found for label in column.labels if (found := period_ends(label)) is not None]
    periods = sum(last - first > 1 for first, last in ends)
    if periods:
        msg = message(
            "column {name} of {table} must hold days to be compared with a release that is not read from "
            "files; {periods} of its values are periods. Write the release, and name its folder with "
            "--release",
            name=repr(name),
            table=repr(table),
            periods=periods,
        )
        raise InvalidInputError(msg)


def _people_domain(published: Sequence[Domain]) -> Numeric:
    """Return the domain of people's numbers: dates where all releases publish dates, timed where one does."""
    domains = [domain for domain in published if isinstance(domain, Numeric)]
    if not all(domain.dates for domain in domains):
        return Numeric()
    return Numeric(step=None if any(domain.timed for domain in domains) else 1.0, dates=True)


def _located(
    raw: Raw, releases: Sequence[ReadRelease], taken: set[str], notes: list[str]
) -> tuple[tuple[Located, ...] | None, list[str]]:
    """Read people's known groups from column `group`, or `RELEASE.group` where several releases share the name."""
    names = [read.group_column for read in releases]
    used, places = [], []
    for read, name in zip(releases, names, strict=True):
        column = f"{read.release.name}.{name}"
        if name is not None and column not in raw.columns:
            if names.count(name) > 1 and name in raw.columns and name not in taken:
                notes.append(
                    message(
                        "column {name} may mean several releases: not used. Call it {column} for this one",
                        name=repr(name),
                        column=repr(column),
                    )
                )
            column = name if names.count(name) == 1 else column
        if name is None or column not in raw.columns or column in taken:
            places.append(Located(np.full(raw.n_rows, IN_IT, np.int32)))
            continue
        used.append(column)
        places.append(Located(_groups(raw[column], read, raw.name)))
        notes.append(
            message(
                "column {column} gives people's groups in release {release}",
                column=repr(column),
                release=repr(read.release.name),
            )
        )
    return (tuple(places) if used else None), used


def _groups(column: RawColumn, read: ReadRelease, name: str) -> Int32:
    group = np.array([*(read.group_of.get(label, UNKNOWN - 1) for label in column.labels), IN_IT], np.int32)
    result = group[column.codes]
    lost = int((result == UNKNOWN - 1).sum())
    if lost:
        msg = message(
            "groups in {name} must be groups of release {release}; {lost} people have another. Leave the "
            "cell empty where the group is not known",
            name=repr(name),
            release=repr(read.release.name),
            lost=lost,
        )
        raise InvalidInputError(msg)
    return result


def names_in(column: RawColumn) -> tuple[str, ...]:
    """Return the person key of each row; the line number where there is none."""
    labels = column.labels
    return tuple(labels[code] if code >= 0 else str(line) for line, code in enumerate(column.codes.tolist()))


def _joined(answer: Int32, key: RawColumn, names: Sequence[str], name: str) -> Int32:
    """Return the answers in the order of the people, joined by person key."""
    answer_of: dict[str, int] = {}
    labels = key.labels
    for code, own in zip(key.codes.tolist(), answer.tolist(), strict=True):
        if code >= 0 and answer_of.setdefault(labels[code], own) != own:
            msg = message("{name} must give each person key one answer; some have several", name=repr(name))
            raise InvalidInputError(msg)
    return np.array([answer_of.get(person, UNKNOWN) for person in names], np.int32)
