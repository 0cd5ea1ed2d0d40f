"""Files of SPSS, Stata and SAS as columns: labels in place of codes, declared missing values, dates; by pyreadstat."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, BinaryIO

import pyarrow as pa
import pyreadstat

from unmask.errors import InvalidInputError
from unmask.files.embedded import of_statistics_file
from unmask.files.foreign.moments import moments_of
from unmask.files.foreign.reading import DamagedError
from unmask.files.foreign.variables import Variable
from unmask.files.formats import FileKind
from unmask.wording import message

_READERS: dict[FileKind, Callable[..., Any]] = {
    FileKind.SAV: pyreadstat.read_sav,
    FileKind.POR: pyreadstat.read_por,
    FileKind.DTA: pyreadstat.read_dta,
    FileKind.SAS7BDAT: pyreadstat.read_sas7bdat,
    FileKind.XPT: pyreadstat.read_xport,
}
_WITHOUT_MISSING = {FileKind.POR, FileKind.XPT}  # whose readers cannot name missing values


def read_statistics_file(
    source: BinaryIO, name: str, form: FileKind, encoding: str | None
) -> tuple[pa.Table, dict[str, Any]]:
    """Read a file of a statistics package.

    A value with a label is its label, any other is as it stands. Values that the file declares missing are null.

    Fails
        With `InvalidInputError` where text is in another encoding than the file declares.
    """
    options: dict[str, Any] = {} if form in _WITHOUT_MISSING else {"user_missing": True}
    if form is not FileKind.POR:
        options["encoding"] = encoding
    try:
        values, meta = _READERS[form](source, output_format="dict", disable_datetime_conversion=True, **options)
    except MemoryError:
        raise
    except Exception as error:
        if "invalid byte sequence" in str(error) or "unsupported charset" in str(error):
            msg = message(
                "text of {name} must be in the encoding that it declares; it is not. Give --encoding, like cp1252",
                name=repr(name),
            )
            raise InvalidInputError(msg) from error
        raise DamagedError from error
    columns: dict[str, pa.Array] = {}
    missing: Counter[str] = Counter()
    labelled = []
    for key, cells in values.items():
        variable = Variable.of(key, meta)
        columns[key] = _column(cells, variable, missing, form)
        if variable.labels:
            labelled.append(key)
    asides = [message("labels in place of codes in {labelled}", labelled=", ".join(labelled))] if labelled else []
    if missing:
        counts = ", ".join(f"{count:,} {mark}" for mark, count in sorted(missing.items()))
        asides.append(message("cells that the file declares missing: {counts}", counts=counts))
    return pa.table(columns), {"asides": asides, "embedded": of_statistics_file(meta.file_label, meta.notes or ())}


def _column(cells: Sequence[Any], variable: Variable, missing: Counter[str], form: FileKind) -> pa.Array:
    """Return the cells of a variable, (rows,), and count those that are declared missing, by mark."""
    distinct = set(cells) if variable.ranges or variable.letters or variable.labels else set()
    gone = {}
    if variable.ranges or variable.letters:
        gone = {value: mark for value in distinct if (mark := variable.missing_mark(value)) is not None}
    if gone:
        counts = Counter(cells)
        for value, mark in gone.items():
            missing[mark] += counts[value]
        cells = [None if value in gone else value for value in cells]
    if variable.labels:
        texts: Mapping[Any, str | None] = {value: variable.text(value) for value in {*distinct, None}}
        return pa.array([texts[value] for value in cells], pa.string())
    if variable.is_text:
        return pa.array(cells, pa.string())
    written = moments_of(cells, variable.format, form)
    return variable.numbers(cells) if written is None else written
