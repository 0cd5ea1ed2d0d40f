"""What miners say, kept as a table: a line for each published row, a column for each miner.

So miners can be run elsewhere, by whatever program, and fused here. A cell is written as the release writes it, a
number as a number. Probabilities are not kept: from what miners name, and how often that is shown of groups they have
not seen, the rules that need some make their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from unmask.arrays import Float64, Int32, distinct_rows
from unmask.errors import InvalidInputError
from unmask.files.fields import unharmed
from unmask.files.raw import Raw, RawColumn
from unmask.files.reading import read
from unmask.files.writing import writing
from unmask.inference.miners.predictions import Predictions, Said
from unmask.schema import UNKNOWN
from unmask.separated import field, harmless

ROW = "row"
"""The first column: the number of the published row, from 0."""

HELD_OUT = "row (groups held out)"
"""Its name where nobody was predicted by a model that had seen the own group."""

_BLOCK = 50_000


def write_predictions(
    predictions: Predictions, path: str | Path, *, labels: Sequence[str] = (), force: bool = False
) -> None:
    """Write what miners say of each published row: CSV, or Parquet where the name says so.

    `labels` are the cells as written, (classes,).

    Fails
        With `OutputError` where the file exists, unless `force`; with `InvalidInputError` where labels are missing or
        repeat.
    """
    _require(labels, predictions.n_classes)
    names = [HELD_OUT if predictions.held_out else ROW, *predictions.names]
    if Path(path).suffix.lower() in {".parquet", ".pq"}:
        import pyarrow.parquet as pq  # noqa: PLC0415 - only where there is such a file

        row = pa.array(np.arange(predictions.row_of.size))
        texts = pa.array(labels, pa.string())
        columns = [said.answer[predictions.row_of] for said in predictions.said]
        arrays = [texts.take(pa.array(one)) if predictions.n_classes else pa.array(one) for one in columns]
        with writing(path, force=force) as file:
            pq.write_table(pa.table([row, *arrays], names=names), file)
        return
    words = [field(harmless(label)) for label in labels]
    with writing(path, force=force) as file:
        file.write((",".join(field(harmless(name)) for name in names) + "\n").encode())
        for first in range(0, predictions.row_of.size, _BLOCK):
            line = predictions.row_of[first : first + _BLOCK]
            answers = [said.answer[line].tolist() for said in predictions.said]
            texts_of = [[words[code] for code in one] if words else [repr(value) for value in one] for one in answers]
            rows = zip(range(first, first + line.size), *texts_of, strict=True)
            file.write("".join(",".join(map(str, row)) + "\n" for row in rows).encode())


def read_predictions(
    path: str | Path, n_rows: int, *, labels: Sequence[str] = (), kinds: Mapping[str, str] | None = None
) -> Predictions:
    """Read what miners say of each of so many published rows.

    `labels` are the cells as written, (classes,); without them numbers are read. `kinds` are those of miners, for rules
    that hear kinds; a miner that has none is a kind of its own.

    Fails
        With `InvalidInputError` where a row is missing or comes twice, or a miner names a cell that the release lacks.
    """
    raw = read(path)
    first, *names = raw.columns
    if first not in {ROW, HELD_OUT} or not names:
        msg = f"{raw.name!r} must have a column {ROW!r} and one for each miner; got {first!r} first"
        raise InvalidInputError(f"{msg}. Number the published rows from 0")
    order = _order(raw, first, n_rows)
    answers = [_answers(raw, name, labels)[order] for name in names]
    row_of, example = distinct_rows(np.stack(answers, axis=1))
    said = tuple(Said(one[example]) for one in answers)
    of_kind = tuple((kinds or {}).get(name, name) for name in names)
    return Predictions(tuple(names), of_kind, row_of, said, example.size, len(labels), first == HELD_OUT)


def _order(raw: Raw, column: str, n_rows: int) -> Int32:
    """Return the line of each published row, (rows,)."""
    number = _numbers(raw[column])
    if raw.n_rows != n_rows or not np.array_equal(np.sort(number), np.arange(n_rows)):
        msg = f"{raw.name!r} must tell of each of {n_rows} published rows once; got {raw.n_rows} lines"
        raise InvalidInputError(f"{msg}. Number the rows from 0")
    return np.argsort(number).astype(np.int32)


def _answers(raw: Raw, name: str, labels: Sequence[str]) -> Int32 | Float64:
    column = raw[name]
    if (column.codes == UNKNOWN).any():
        missing = int((column.codes == UNKNOWN).sum())
        raise InvalidInputError(f"miner {name!r} must predict every row; got nothing for {missing}. Leave it out")
    if not labels:
        if column.numbers is None:
            raise InvalidInputError(f"miner {name!r} must predict numbers; got text. Give labels for cells")
        return _numbers(column)
    code = {label: i for i, label in enumerate(labels)}
    written = unharmed(pa.chunked_array([pa.array(column.labels, pa.string())])).to_pylist()
    unknown = [label for label in written if label not in code]
    if unknown:
        raise InvalidInputError.unknown_name(f"prediction of {name!r}", unknown[0], labels)
    return np.array([code[label] for label in written], np.int32)[column.codes]


def _numbers(column: RawColumn) -> Float64:
    if column.numbers is None:
        return np.full(column.codes.size, np.nan)
    return np.append(column.numbers, np.nan)[column.codes]


def _require(labels: Sequence[str], n_classes: int) -> None:
    if len(labels) != n_classes or len(set(labels)) < n_classes:
        raise InvalidInputError(f"labels must be {n_classes} different texts, one for each cell; got {len(labels)}")
