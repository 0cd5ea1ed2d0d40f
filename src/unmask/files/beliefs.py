"""beliefs.csv: each person's posterior, one line per value with probability above 0."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from unmask.arrays import Float64, Int64, expand
from unmask.beliefs import Beliefs, Question
from unmask.csv_writing import field, harmless
from unmask.errors import InvalidInputError
from unmask.files.writing import writing

HEADER = "person,attribute,value,probability,error"
_BLOCK = 50_000  # targets whose lines are written at once


def write_beliefs(
    beliefs: Beliefs | Sequence[Beliefs], path: str | Path, *, people: Sequence[str] | None = None, force: bool = False
) -> None:
    """Write the posteriors of all attacked people, values with probability above 0; readable by the owner only.

    `people` are the names of the targets, (targets,); without them a person is a line number, from 0. Where a value
    stands for several indistinguishable answers, its probability is that of guessing the right one.

    Fails
        With `OutputError` where the file exists, unless `force`.
    """
    every = [beliefs] if isinstance(beliefs, Beliefs) else list(beliefs)
    for one in every:
        if people is not None and len(people) != one.n_targets:
            msg = f"people must be named one by one; got {len(people)} names for {one.n_targets} targets"
            raise InvalidInputError(msg)
    with writing(path, force=force) as file:
        file.write((HEADER + "\n").encode())
        for one in every:
            for first in range(0, one.n_targets, _BLOCK):
                block = np.arange(first, min(first + _BLOCK, one.n_targets))
                file.write("".join(_lines(one, block, people)).encode())


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
            pa.array([str(one.about)]).take(pa.array(np.zeros(len(person), np.int64))),
            pa.array(one.values, pa.string()).take(pa.array(one.rows.column[entry][possible])),
            pa.array(probability[possible]),
            pa.array(error[possible]),
        )
        parts.append(pa.table(list(columns), names=HEADER.split(",")))
    return pa.concat_tables(parts)


def _lines(beliefs: Beliefs, block: Int64, people: Sequence[str] | None) -> Iterator[str]:
    rows = beliefs.row_of[block]
    endings = {int(row): _endings(beliefs, int(row)) for row in np.unique(rows[rows >= 0])}
    for target, row in zip(block.tolist(), rows.tolist(), strict=True):
        if row >= 0:
            name = str(target) if people is None else field(harmless(people[target]))
            yield from (name + ending for ending in endings[row])


def _endings(beliefs: Beliefs, row: int) -> list[str]:
    """Return the lines of a distinct row, without the person; people with the same row share them."""
    own = slice(beliefs.rows.start[row], beliefs.rows.start[row + 1])
    probability: Float64 = beliefs.rows.data[own]
    error = np.zeros_like(probability) if beliefs.error is None else beliefs.error[own]
    if beliefs.ways is not None:
        probability, error = probability / beliefs.ways[own], error / beliefs.ways[own]
    name = str(beliefs.about)
    about = field(name if beliefs.about.question is Question.PLACE else harmless(name))  # `@row:` is part of the format
    return [
        f",{about},{field(harmless(beliefs.values[column]))},{p!r},{e or 0!r}\n"
        for column, p, e in zip(beliefs.rows.column[own], probability.tolist(), error.tolist(), strict=True)
        if p > 0
    ]
