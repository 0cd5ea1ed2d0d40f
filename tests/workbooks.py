"""Workbooks of cells: as Excel and as LibreOffice write them."""

from __future__ import annotations

import datetime as dt
import zipfile
from collections.abc import Sequence
from pathlib import Path

import xlsxwriter

Cells = Sequence[Sequence[object]]


def write_workbook(path: Path, cells: Cells, *, title: str | None = None, sheet: str = "People") -> None:
    """Write the cells below a merged title."""
    book = xlsxwriter.Workbook(path)
    written = book.add_worksheet(sheet)
    day, moment = book.add_format({"num_format": "yyyy-mm-dd"}), book.add_format({"num_format": "d/m/yyyy hh:mm:ss"})
    if title is not None:
        written.merge_range(0, 0, 0, 3, title)
    for i, row in enumerate(cells, 0 if title is None else 2):
        for j, cell in enumerate(row):
            if isinstance(cell, dt.datetime):
                written.write_datetime(i, j, cell, moment)
            elif isinstance(cell, dt.date):
                written.write_datetime(i, j, cell, day)
            elif cell is not None:
                written.write(i, j, cell)
    book.add_worksheet("Empty")
    book.close()


def write_ods(path: Path, cells: Cells) -> None:
    """Write a sheet of OpenDocument."""
    rows = []
    for row in cells:
        texts = []
        for cell in row:
            if cell is None:
                texts.append("<table:table-cell/>")
            elif isinstance(cell, (dt.date, dt.datetime)):
                texts.append(f'<table:table-cell office:value-type="date" office:date-value="{cell.isoformat()}"/>')
            elif isinstance(cell, float):
                texts.append(f'<table:table-cell office:value-type="float" office:value="{cell!r}"/>')
            else:
                texts.append(f'<table:table-cell office:value-type="string"><text:p>{cell}</text:p></table:table-cell>')
        rows.append(f"<table:table-row>{''.join(texts)}</table:table-row>")
    names = "".join(f'xmlns:{n}="urn:oasis:names:tc:opendocument:xmlns:{n}:1.0" ' for n in ("office", "table", "text"))
    content = (
        f"<office:document-content {names}><office:body><office:spreadsheet>"
        f'<table:table table:name="People">{"".join(rows)}</table:table>'
        f"</office:spreadsheet></office:body></office:document-content>"
    )
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("META-INF/manifest.xml", "<manifest/>")
        archive.writestr("content.xml", content)
