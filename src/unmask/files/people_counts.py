"""people.csv: the number of people behind the rows of a release, by group and by value.

Columns `group,column,value,people`. Without a column a line counts the people of a group; without a value,
those with a known value of the column; without a group, those of the whole release, each person once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from unmask.arrays import Float64, Int64, Ragged
from unmask.csv_writing import field, harmless
from unmask.errors import InvalidInputError
from unmask.files.raw import RawColumn
from unmask.people_counts import Headcount, Holders
from unmask.release import Release
from unmask.schema import Attribute
from unmask.wording import message

FILE = "people.csv"
HEAD = ("group", "column", "value", "people")


def people_columns(release: Release) -> tuple[list[str], list[list[str]]]:
    """Return the names and the texts of the columns of people.csv; empty where rows are people."""
    lines = [] if release.headcount is None else list(_lines(release, release.headcount))
    return list(HEAD), [list(column) for column in zip(*lines, strict=True)] or [[] for _ in HEAD]


def _lines(release: Release, headcount: Headcount) -> Iterator[tuple[str, str, str, str]]:
    yield "", "", "", _number(headcount.total)
    for group, people in enumerate(headcount.of_group.tolist()):
        yield str(group), "", "", _number(people)
    for name, one in headcount.holders.items():
        column, values = field(harmless(name)), _labels(release.schema[name])
        texts = [field(harmless(value)) for value in values]
        yield "", column, "", _number(one.total_known)
        for code in np.flatnonzero(one.overall).tolist():
            yield "", column, texts[code], _number(one.overall[code])
        for group, people in enumerate(one.known.tolist()):
            yield str(group), column, "", _number(people)
        for group, code, people in zip(one.counts.row.tolist(), one.counts.column, one.counts.data, strict=True):
            yield str(group), column, texts[code], _number(people)


def read_headcount(
    release: Release, group_of: Mapping[str, int], columns: Mapping[str, RawColumn], people: Float64,
    rename: Mapping[str, str],
) -> Headcount:  # fmt: skip
    """Return the people counts of people.csv; `columns` are its texts, `group_of` the group of each label.

    Fails
        With `InvalidInputError` where it counts groups, columns or values that the release does not have, or leaves a
        group out.
    """
    group, column, value = (columns[name] for name in HEAD[:3])
    place = np.array([*(group_of.get(label, -2) for label in group.labels), -1], np.int64)[group.codes]
    if (place < -1).any():
        msg = message(
            "{file} must count groups whose rows all show the same; {sum} lines do not",
            file=FILE,
            sum=int((place < -1).sum()),
        )
        raise InvalidInputError(msg)
    whole = column.codes < 0
    here = whole & (place >= 0)
    of_group = np.zeros(release.n_groups)
    of_group[place[here]] = people[here]
    total = people[whole & (place < 0)]
    if total.size != 1 or not here.sum() == np.unique(place[here]).size == release.n_groups:
        msg = message(
            "{file} must count the people of the whole release and of each group, once; it does not", file=FILE
        )
        raise InvalidInputError(msg)
    holders = {}
    for code, label in enumerate(column.labels):
        name = rename.get(label, label)
        if name not in release.counts:
            raise InvalidInputError.unknown_name(message("column in {file}", file=FILE), name, release.counts)
        mine = column.codes == code
        labels = _labels(release.schema[name])
        values = {text: i for i, text in reversed(list(enumerate(labels)))}
        which = np.array([*(values.get(text, -2) for text in value.labels), -1], np.int64)[value.codes]
        if (which[mine] < -1).any():
            msg = message(
                "values in {file} must be values of column {name}; {sum} are not",
                file=FILE,
                name=repr(name),
                sum=int((which[mine] < -1).sum()),
            )
            raise InvalidInputError(msg)
        holders[name] = _holders(place[mine], which[mine], people[mine], (release.n_groups, len(labels)))
    return Headcount(float(total[0]), of_group, holders)


def _holders(place: Int64, which: Int64, people: Float64, shape: tuple[int, int]) -> Holders:
    inside, valued = place >= 0, which >= 0
    known, overall = np.zeros(shape[0]), np.zeros(shape[1])
    known[place[inside & ~valued]] = people[inside & ~valued]
    overall[which[~inside & valued]] = people[~inside & valued]
    both = inside & valued
    counts = Ragged.gather(place[both], which[both], people[both], shape)
    return Holders(known, counts, float(people[~inside & ~valued].sum()), overall)


def _labels(attribute: Attribute) -> tuple[str, ...]:
    """Return the texts of an attribute's values, then the missing mark, which may also be one of the values."""
    return (*attribute.values, attribute.mark)


def _number(people: float) -> str:
    return str(int(people)) if float(people).is_integer() else repr(float(people))
