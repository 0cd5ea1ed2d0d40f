"""Workbooks of spreadsheets: the cells of one sheet as text, each by itself, by fastexcel."""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from typing import Any, BinaryIO

import fastexcel
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from unmask.errors import MOST_LISTED, InvalidInputError, quoted, shortened
from unmask.files.embedded import of_workbook
from unmask.files.foreign.reading import DamagedError
from unmask.files.foreign.sheet_markup import SheetMarkup
from unmask.hierarchies import number_text
from unmask.number_format import numeral
from unmask.wording import message

_BROKEN = (
    fastexcel.FastExcelError, zipfile.BadZipFile, zlib.error, struct.error, OSError, EOFError, KeyError, RuntimeError,
    UnicodeError,
)  # fmt: skip
"""What libraries raise on damaged content."""

_MOST_BYTES = 4 << 30  # of a workbook when unpacked
_LOCKED = "EncryptedPackage".encode("utf-16-le")  # the stream of a workbook with a password, in an old Office file
_NUMBER = r"^-?(?:0|[1-9]\d*)(?:\.\d{1,9})?$"
_LEAST_DECIMAL = 1e-9
_DAY = r"^(\d{4}-\d\d-\d\d) 00:00:00$"
_TIME = r"^1899-12-3[01] (\d\d:\d\d:\d\d)$"  # a time of day is the fraction of a day
_MOMENT = r"^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)$"


def read_workbook(source: BinaryIO, name: str, sheet: str | None) -> tuple[pa.Table, dict[str, Any]]:
    """Read one sheet, its header included: by name, else by number from 1, else the only one that has cells.

    Values of formulas are those that the program stored; nothing is computed, and no link is followed.

    Fails
        With `InvalidInputError` for a password, several sheets with cells, an unknown sheet, and a bomb.
    """
    content = source.read()
    try:
        _require_unlocked(content, name)
        reader = fastexcel.read_excel(content)
        names = reader.sheet_names
        if sheet is None:
            chosen, note = _only_sheet(reader, names, name)
        else:
            chosen, note = _named_sheet(sheet, names, name), None
        with ThreadPoolExecutor(1) as beside:  # fastexcel parses without Python's lock
            texts = beside.submit(reader.load_sheet, chosen, header_row=None, skip_rows=0, dtypes="string", eager=True)
            markup = SheetMarkup.of(content, names.index(chosen)) if content.startswith(b"PK") else SheetMarkup()
            numbers = _numbers(content, chosen) if markup.has_long_numbers else []
            table = _cells(texts.result(), numbers)
        embedded = of_workbook(content)
    except _BROKEN as error:
        raise DamagedError from error
    return table, {
        "notes": [note] if note else [],
        "merged": markup.merged,
        "formulas": markup.formulas,
        "unstored": markup.unstored,
        "embedded": embedded,
    }


def _require_unlocked(content: bytes, name: str) -> None:
    """Fail for a workbook that needs a password, or that unpacks to more than a workbook can hold."""
    locked, size = _LOCKED in content, 0
    if content.startswith(b"PK"):
        with zipfile.ZipFile(BytesIO(content)) as archive:
            size = sum(entry.file_size for entry in archive.infolist())
            parts = set(archive.namelist())
            if not parts & {"xl/workbook.xml", "xl/workbook.bin", "content.xml"}:
                msg = message(
                    "{name} must be a workbook; it is another zip archive. Unpack it, or save the table as CSV",
                    name=repr(name),
                )
                raise InvalidInputError(msg)
            manifest = "META-INF/manifest.xml"
            locked = manifest in parts and b"encryption-data" in archive.read(manifest)
    if locked:
        msg = message(
            "{name} must be open to be read; it is locked by a password. Save a copy without one", name=repr(name)
        )
        raise InvalidInputError(msg)
    if size > _MOST_BYTES:
        msg = message(
            "{name} must be a workbook of at most 4 GB when unpacked; it has more. Save the sheet as CSV",
            name=repr(name),
        )
        raise InvalidInputError(msg)


def _only_sheet(reader: fastexcel.ExcelReader, names: list[str], name: str) -> tuple[str, str | None]:
    """Return the sheet that has cells, and a note where there are others."""
    if len(names) == 1:
        return names[0], None
    filled = {}
    for sheet in names:
        try:
            loaded = reader.load_sheet(sheet, header_row=None, skip_rows=0, dtypes="string")
        except fastexcel.FastExcelError:  # a sheet of charts or macros
            continue
        if loaded.total_height and loaded.width:
            filled[sheet] = message(
                "{sheet} ({total_height} × {width} cells)",
                sheet=repr(shortened(sheet)),
                total_height=numeral(loaded.total_height),
                width=numeral(loaded.width),
            )
    if len(filled) > 1:
        listed = ", ".join(list(filled.values())[:MOST_LISTED])
        more = message(" and {n} others", n=len(filled) - MOST_LISTED) if len(filled) > MOST_LISTED else ""
        msg = message(
            "one sheet of {name} must be chosen; {n} hold data: {listed}{more}. Give --sheet NAME",
            name=repr(name),
            n=len(filled),
            listed=listed,
            more=more,
        )
        raise InvalidInputError(msg)
    chosen = next(iter(filled), names[0])
    return chosen, message(
        "sheet {chosen}, the only one of {n} with cells", chosen=repr(shortened(chosen)), n=len(names)
    )


def _named_sheet(sheet: str, names: list[str], name: str) -> str:
    if sheet in names:
        return sheet
    if sheet.isdecimal() and 1 <= int(sheet) <= len(names):
        return names[int(sheet) - 1]
    if sheet.isdecimal():
        msg = message(
            "--sheet must be a name or a number from 1 to {n} for {name}; got {sheet}",
            n=len(names),
            name=repr(name),
            sheet=quoted(sheet),
        )
        raise InvalidInputError(msg)
    raise InvalidInputError.unknown_name(message("sheet of {name}", name=repr(name)), sheet, names)


def _numbers(content: bytes, sheet: str) -> list[pa.Array]:
    """Return the numbers of each column of a sheet, with all their digits; null where a cell has none."""
    reader = fastexcel.read_excel(content)
    loaded: pa.RecordBatch = reader.load_sheet(sheet, header_row=None, skip_rows=0, dtypes="float", eager=True)
    return list(loaded.columns)


def _cells(batch: pa.RecordBatch, numbers: Sequence[pa.Array]) -> pa.Table:
    """Return the cells of a sheet as text, its empty rows included; `numbers` where some have more than 9 decimals."""
    columns = [_plain(column) for column in batch.columns]
    for i, stored in enumerate(numbers):
        if pc.any(pc.match_substring_regex(columns[i], _NUMBER)).as_py():
            columns[i] = _unrounded(columns[i], stored)
    return pa.table(columns, names=[str(i) for i in range(len(columns))])


def _unrounded(texts: pa.Array, numbers: pa.Array) -> pa.Array:
    """Return texts, (rows,), with the digits of numbers that fastexcel cut off after the ninth decimal.

    A text that only looks like a number is exactly its number, and stays as it is.
    """
    alike = pc.match_substring_regex(texts, _NUMBER)
    written = pc.cast(pc.if_else(alike, texts, None), pa.float64()).to_numpy(zero_copy_only=False)
    stored = numbers.to_numpy(zero_copy_only=False)
    cut = np.flatnonzero(written != stored)
    cut = cut[np.abs(written[cut] - stored[cut]) < _LEAST_DECIMAL]
    if not cut.size:
        return texts
    mask = np.zeros(len(texts), bool)
    mask[cut] = True
    return pc.replace_with_mask(texts, pa.array(mask), pa.array([number_text(x) for x in stored[cut].tolist()]))


def _plain(texts: pa.Array) -> pa.Array:
    """Return texts, (rows,), with days as YYYY-MM-DD, moments as YYYY-MM-DDThh:mm:ss, and times of day as hh:mm:ss."""
    coded = texts.dictionary_encode()
    distinct = coded.dictionary
    for pattern, written in ((_TIME, r"\1"), (_DAY, r"\1"), (_MOMENT, r"\1T\2")):
        distinct = pc.replace_substring_regex(distinct, pattern, written)
    return distinct.take(coded.indices)
