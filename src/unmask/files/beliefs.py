"""beliefs.csv: each person's posterior, one line per value with probability above 0."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from unmask.arrays import Float64, expand
from unmask.beliefs import NOT_ATTACKED, Beliefs, Question
from unmask.csv_writing import field, harmless
from unmask.errors import InvalidInputError
from unmask.files.writing import writing
from unmask.wording import message

HEADER = "person,attribute,value,probability,error"

HEADER_OF_ROWS = "person,row,attribute,value,probability,error"
"""The header where some person has several rows: `row` is the line of the list of people, from 0."""

_BLOCK = 50_000  # targets whose lines are written at once
_KEPT = 100_000  # distinct rows whose lines are kept for later targets


def write_beliefs(
    beliefs: Beliefs | Sequence[Beliefs], path: str | Path, *, people: Sequence[str] | None = None, force: bool = False
) -> None:
    """Write the posteriors of all attacked people, values with probability above 0; readable by the owner only.

    `people` are the names of the targets, (targets,); without them a person is a line number, from 0. Where several
    targets have one name, the column `row` has the line number of each. Where a value stands for several
    indistinguishable answers, its probability is that of guessing the right one.

    Fails
        With `OutputError` where the file exists, unless `force`.
    """
    every = [beliefs] if isinstance(beliefs, Beliefs) else list(beliefs)
    for one in every:
        if people is not None and len(people) != one.n_targets:
            msg = message(
                "people must be named one by one; got {n} names for {n_targets} targets",
                n=len(people),
                n_targets=one.n_targets,
            )
            raise InvalidInputError(msg)
    of_rows = _has_several_rows(people)
    with writing(path, force=force) as file:
        file.write(f"{HEADER_OF_ROWS if of_rows else HEADER}\n".encode())
        for one in every:
            lines = _Lines(one)
            for first in range(0, one.n_targets, _BLOCK):
                rows = one.row_of[first : first + _BLOCK].tolist()
                own = range(first, first + len(rows))
                names = map(str, own) if people is None else (field(harmless(people[i])) for i in own)
                if of_rows:
                    names = (f"{name},{i}" for name, i in zip(names, own, strict=True))
                file.write(lines.of(rows, names).encode())


def beliefs_frame(beliefs: Sequence[Beliefs], *, people: Sequence[str] | None = None) -> pa.Table:
    """Return beliefs as an Arrow table with the columns and the lines of beliefs.csv."""
    parts = []
    for one in beliefs:
        target = np.flatnonzero(one.row_of >= 0)
        entry, of_target = expand(one.rows.start, one.row_of[target])
        probability = one.rows.data[entry]
        error = np.zeros(entry.size) if one.error is None else one.error[entry]
        if one.ways is not None:
            probability, error = probability / one.ways[entry], error / one.ways[entry]
        possible = probability > 0
        person = pa.array(target[of_target][possible])
        columns = (
            pa.array([str(name) for name in people]).take(person) if people is not None else person,
            *([person] if _has_several_rows(people) else []),
            pa.array([str(one.about)]).take(pa.array(np.zeros(len(person), np.int64))),
            pa.array(one.values, pa.string()).take(pa.array(one.rows.column[entry][possible])),
            pa.array(probability[possible]),
            pa.array(error[possible]),
        )
        header = HEADER_OF_ROWS if _has_several_rows(people) else HEADER
        parts.append(pa.table(list(columns), names=header.split(",")))
    return pa.concat_tables(parts)


def _has_several_rows(people: Sequence[str] | None) -> bool:
    return people is not None and len(set(people)) < len(people)


class _Lines:
    """The lines of targets: those with one row of beliefs differ by the name alone, and share the rest."""

    def __init__(self, beliefs: Beliefs) -> None:
        name = str(beliefs.about)  # `@row:` is part of the format
        about = field(name if beliefs.about.question is Question.PLACE else harmless(name))
        self._beliefs = beliefs
        self._begin = [f",{about},{field(harmless(value))}," for value in beliefs.values]
        self._parts: dict[int, list[str]] = {}

    def of(self, rows: Sequence[int], names: Iterable[str]) -> str:
        """Return the lines of some targets, by their row of beliefs and their name."""
        if len(self._parts) > _KEPT:
            self._parts.clear()
        for row in set(rows) - self._parts.keys() - {NOT_ATTACKED}:
            self._parts[row] = ["", *self._endings(row)]
        pairs = zip(rows, names, strict=True)
        return "".join([name.join(self._parts[row]) for row, name in pairs if row != NOT_ATTACKED])

    def _endings(self, row: int) -> list[str]:
        """Return the lines of a distinct row, without the person."""
        beliefs = self._beliefs
        own = slice(beliefs.rows.start[row], beliefs.rows.start[row + 1])
        probability: Float64 = beliefs.rows.data[own]
        error = np.zeros_like(probability) if beliefs.error is None else beliefs.error[own]
        if beliefs.ways is not None:
            probability, error = probability / beliefs.ways[own], error / beliefs.ways[own]
        entries = zip(beliefs.rows.column[own].tolist(), probability.tolist(), error.tolist(), strict=True)
        return [f"{self._begin[column]}{_written(p)},{_written(e) if e else 0}\n" for column, p, e in entries if p > 0]


def _written(number: float) -> str:
    """Return a number with 15 digits that count: 0.2 for 1 - 0.8.

    >>> _written(1 - 0.8), _written(1 / 3), _written(1.0)
    ('0.2', '0.333333333333333', '1.0')
    """
    return repr(float(f"{number:.15g}"))
