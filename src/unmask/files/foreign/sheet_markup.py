"""What the markup of a sheet says beside its values: merged cells and formulas."""

from __future__ import annotations

import re
import zipfile
from io import BytesIO
from typing import NamedTuple

_BLOCK = 1 << 20
_SHEETS = re.compile(rb"<(?:\w+:)?sheet\s[^>]*?\br:id=\"([^\"]*)\"")
_MERGED = re.compile(rb"<(?:\w+:)?mergeCell\s[^>]*?ref=\"\$?[A-Z]+\$?\d+:\$?[A-Z]+\$?(\d+)\"")
_FORMULA = re.compile(rb"<(?:\w+:)?f[\s>/]")
_UNSTORED = re.compile(
    rb"(?:</(?:\w+:)?f>|<(?:\w+:)?f\s[^>]*/>)(?:<(?:\w+:)?v>\s*</(?:\w+:)?v>|<(?:\w+:)?v\s*/>|</(?:\w+:)?c>)"
)
_LONG = re.compile(rb"\.\d{10}")
_SPANNED = re.compile(rb"table:number-(?:columns|rows)-spanned=\"(?:[2-9]|\d\d+)\"")


class SheetMarkup(NamedTuple):
    """Counts of one sheet."""

    merged: tuple[int, ...] = ()  # the last row, from 1, of each range of merged cells; 0: unknown
    formulas: int = 0
    unstored: int = 0  # formulas without a stored value
    has_long_numbers: bool = True  # some number may have more than 9 decimals

    def plus(self, markup: bytes) -> SheetMarkup:
        """Return the counts with those of further markup."""
        counts = self
        if any(sign in markup for sign in (b"mergeCell", b"<f", b":f")):  # patterns take far longer
            counts = self._replace(
                merged=(*self.merged, *map(int, _MERGED.findall(markup))),
                formulas=self.formulas + len(_FORMULA.findall(markup)),
                unstored=self.unstored + len(_UNSTORED.findall(markup)),
            )
        is_long = self.has_long_numbers or any(sign in markup for sign in (b"E-", b"e-")) or _LONG.search(markup)
        return counts._replace(has_long_numbers=bool(is_long))

    @classmethod
    def of(cls, content: bytes, sheet: int) -> SheetMarkup:
        """Return the counts of a sheet, by its place from 0, of a workbook in a zip archive; none if it has no XML."""
        with zipfile.ZipFile(BytesIO(content)) as archive:
            if "content.xml" in archive.namelist():
                return cls(merged=(0,) * len(_SPANNED.findall(archive.read("content.xml"))))
            part = _part(archive, sheet)
            return cls() if part is None else _counted(archive, part)


def _part(archive: zipfile.ZipFile, sheet: int) -> str | None:
    """Return the name of the part with a sheet's cells; None where it is not XML."""
    try:
        ids = _SHEETS.findall(archive.read("xl/workbook.xml"))
        links = archive.read("xl/_rels/workbook.xml.rels")
    except KeyError:  # a binary workbook
        return None
    if sheet >= len(ids):
        return None
    for link in re.findall(rb"<(?:\w+:)?Relationship\s[^>]*>", links):
        if b'Id="' + ids[sheet] + b'"' in link and (target := re.search(rb'Target="([^"]*)"', link)):
            part = target[1].decode().lstrip("/")
            part = part if part.startswith("xl/") else f"xl/{part}"
            return part if part in archive.namelist() else None
    return None


def _counted(archive: zipfile.ZipFile, part: str) -> SheetMarkup:
    counts, rest = SheetMarkup(has_long_numbers=False), b""
    with archive.open(part) as file:
        while block := file.read(_BLOCK):
            markup = rest + block
            cut = max(markup.rfind(b"<c "), markup.rfind(b"<mergeCell "), 0) or len(markup)
            counts, rest = counts.plus(markup[:cut]), markup[cut:]
    return counts.plus(rest)
