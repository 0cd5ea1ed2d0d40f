"""A document for a word processor (DOCX), by python-docx: headings, tables and pictures; no macro, no link, no field.

Text from data is plain text in it: controls are visible, and long cells are shortened.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator, Sequence
from importlib import metadata

import docx
from docx.document import Document as WordFile
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.oxml.ns import qn
from docx.oxml.parser import OxmlElement
from docx.shared import Cm, Pt, RGBColor
from docx.table import Table, _Cell, _Row
from docx.text.paragraph import Paragraph

from unmask.errors import shortened
from unmask.report.blocks import Chart, Panel, ReportTable, Row, Section, SectionPart, TableCell
from unmask.report.chart_pictures import SHAPES, picture
from unmask.report.document import Document
from unmask.visible_text import isolated, visible
from unmask.wording import text

LONGEST = 600
"""The largest number of characters of a cell, or of a paragraph from data."""

MOST_COLUMNS = 8
"""The largest number of columns beside the heads of rows; a wider table continues below."""

SIGN = "Written by unmask "
"""The beginning of the comment of the file, by which it is recognized."""

_LONGEST_PROPERTY = 255  # characters, by the format
_TEXT_WIDTH = 17.0  # centimeters
_LETTER = 0.17  # centimeters of a letter in a table, about
_LONGEST_WORD = 24  # letters that stay on one line
_GRAY = RGBColor(0x57, 0x53, 0x4E)
_SIGNS = {"": "", "kept": "✓ ", "broken": "✕ ", "open": "? "}
_STATES = {
    "kept": RGBColor(0x16, 0x65, 0x34), "broken": RGBColor(0xB9, 0x1C, 0x1C), "open": RGBColor(0x92, 0x40, 0x0E),
}  # fmt: skip
_FIRST_DAY = (1980, 1, 1, 0, 0, 0)  # of ZIP archives: the same document gives the same bytes


def to_docx(document: Document) -> bytes:
    """Return a document as a DOCX file; the same document gives the same bytes."""
    file = _new(document)
    _paragraph(file, document.kind.upper(), size=9, color=_GRAY)
    file.add_heading(_text(document.title), level=0)
    for sentence in document.context:
        _paragraph(file, sentence)
    for section in document.sections:
        _section(file, section, 1)
    if document.glossary:
        file.add_heading(text("Words"), level=1)
        for term, meaning in document.glossary:
            _paragraph(file, f"{term}: ", bold=True).add_run(_text(meaning)).bold = False
    _paragraph(file, document.colophon, size=8, color=_GRAY)
    content = io.BytesIO()
    file.save(content)
    return _repacked(content.getvalue())


def _new(document: Document) -> WordFile:
    file = docx.Document()
    page = file.sections[0]
    page.page_width, page.page_height = Cm(21), Cm(29.7)
    page.left_margin = page.right_margin = page.top_margin = page.bottom_margin = Cm(2)
    for name in ("Normal", "Title", *(f"Heading {level}" for level in range(1, 5))):
        font = file.styles[name].font
        font.name, font.color.rgb = "Arial", RGBColor(0x1C, 0x19, 0x17)
        fonts = file.styles[name].element.get_or_add_rPr().get_or_add_rFonts()
        for theme in ("asciiTheme", "hAnsiTheme", "eastAsiaTheme", "cstheme"):
            fonts.attrib.pop(qn(f"w:{theme}"), None)
    file.styles["Normal"].font.size = Pt(10)
    file.styles["Title"].font.size = Pt(20)
    about = file.core_properties
    about.title, about.comments = shortened(_text(document.title), _LONGEST_PROPERTY), ""
    about.author = about.last_modified_by = f"unmask {metadata.version('unmask')}"
    return file


def _section(file: WordFile, section: Section, level: int) -> None:
    named = f"{section.label}: {section.title}" if section.label else section.title
    title = f"{section.number} {named}" if section.number else named
    file.add_heading(_text(title), level=min(level, 4))
    for part in section.parts:
        _part(file, part, level + 1)
    for inner in section.inner:
        _section(file, inner, level + 1)


def _part(file: WordFile, part: SectionPart, level: int) -> None:
    if part.folded:
        file.add_heading(_text(part.folded), level=min(level, 4))
    for sentence in part.text:
        _paragraph(file, sentence)
    for panel in part.panels:
        _panel(file, panel)
    for chart in part.figures:
        _chart(file, chart)
    for table in part.tables:
        _table(file, table)
    for line in part.commands:
        _paragraph(file, "", size=8).add_run(visible(line)).font.name = "Courier New"
    for one in part.definitions:
        _paragraph(file, f"{one.term}: ", bold=True).add_run(_text(one.meaning)).bold = False


def _panel(file: WordFile, panel: Panel) -> None:
    _paragraph(file, panel.title, bold=True)
    _paragraph(file, panel.assumes)
    _table(file, panel.table)
    for note in panel.notes:
        _paragraph(file, note, size=8, color=_GRAY)


def _chart(file: WordFile, chart: Chart) -> None:
    """Add a chart as a picture with its caption; without the converter only its table."""
    drawn = picture(chart)
    if drawn is not None:
        shape = file.add_picture(io.BytesIO(drawn.png), width=Cm(min(_TEXT_WIDTH, drawn.width)))
        shape._inline.docPr.set("descr", _text(drawn.label))  # noqa: SLF001 - python-docx has no alternative text
        line = _paragraph(file, chart.caption, size=8, color=_GRAY)
        for color, mark, label in chart.legend:
            for run, shade in ((line.add_run(f"  {SHAPES[mark]} "), color), (line.add_run(_text(label)), "")):
                run.font.size = Pt(8)
                run.font.color.rgb = RGBColor.from_string(shade[1:].upper()) if shade else _GRAY
    if chart.table is not None:
        _table(file, chart.table)


def _table(file: WordFile, table: ReportTable) -> None:
    """Add a table, in several parts where it is wider than a page."""
    parts = list(_narrow(table))
    for i, (columns, spans) in enumerate(parts, 1):
        title = (
            table.caption
            if len(parts) == 1
            else text("{caption} ({i} of {n})", caption=table.caption, i=i, n=len(parts))
        )
        _paragraph(file, title, bold=True, keep=True)
        _grid(file, table, columns, spans)
    note = table.note + (
        f" {text('Not defined: {reasons}.', reasons='; '.join(table.undefined))}" if table.undefined else ""
    )
    _paragraph(file, note.strip() or " ", size=8, color=_GRAY)


def _narrow(table: ReportTable) -> Iterator[tuple[list[int], list[tuple[str, int]]]]:
    """Divide the columns of a table, spans staying whole: the places of columns, and the spans above them."""
    spans = table.spans or tuple(("", 1) for _ in table.head[1:])
    columns: list[int] = []
    here: list[tuple[str, int]] = []
    place = 0
    for title, n in spans:
        if columns and len(columns) + n > MOST_COLUMNS:
            yield columns, here
            columns, here = [], []
        columns = [*columns, *range(place, place + n)]
        here = [*here, (title, n)]
        place += n
    yield columns, here


def _grid(file: WordFile, table: ReportTable, columns: Sequence[int], spans: Sequence[tuple[str, int]]) -> None:
    grid = file.add_table(rows=0, cols=1 + len(columns), style="Table Grid")
    grid.autofit = False
    widths = _widths(table, columns)
    small = 8 if len(columns) <= 5 else 7
    if table.spans:
        titles = grid.add_row()
        place = 1
        for title, n in spans:
            cell = titles.cells[place].merge(titles.cells[place + n - 1])
            _fill(cell, TableCell(title), small, bold=True)
            place += n
        _repeat(titles)
    head = grid.add_row()
    _repeat(head)
    for cell, title in zip(head.cells, [table.head[0], *(table.head[1 + i] for i in columns)], strict=True):
        _fill(cell, TableCell(title), small, bold=True)
    for row in table.rows:
        _row(grid, row, columns, table.texts, small)
    for column, width in zip(grid.columns, widths, strict=True):
        column.width = Cm(width)
        for cell in column.cells:
            cell.width = Cm(width)


def _row(grid: Table, row: Row, columns: Sequence[int], texts: int, size: int) -> None:
    line = grid.add_row()
    line._tr.get_or_add_trPr().append(OxmlElement("w:cantSplit"))  # noqa: SLF001 - python-docx has no property for it
    _fill(line.cells[0], row.head, size, bold=row.kind != "minor")
    for cell, i in zip(line.cells[1:], columns, strict=True):
        _fill(cell, row.cells[i], size, right=i >= texts)


def _fill(cell: _Cell, content: TableCell, size: int, *, bold: bool = False, right: bool = False) -> None:
    paragraph = cell.paragraphs[0]
    paragraph.paragraph_format.space_after = Pt(0)
    if right:
        paragraph.alignment = WD_ALIGN_PARAGRAPH.RIGHT
    run = paragraph.add_run(f"{_SIGNS[content.state]}{_text(content.text)}")
    run.bold, run.font.size = bold or bool(content.state), Pt(size)
    if content.state:
        run.font.color.rgb = _STATES[content.state]
    for more in filter(None, (content.share, content.small)):
        run = paragraph.add_run(f" {_text(more)}")
        run.font.size, run.font.color.rgb = Pt(size - 1), _GRAY


def _repeat(row: _Row) -> None:
    """Repeat a row at the top of each page."""
    row._tr.get_or_add_trPr().append(OxmlElement("w:tblHeader"))  # noqa: SLF001 - python-docx has no property for it


def _widths(table: ReportTable, columns: Sequence[int]) -> list[float]:
    """Return the width of each column in centimeters: room for its longest word, the rest by its longest text."""
    texts = [[table.head[0], *(_all_text(row.head) for row in table.rows)]]
    texts += [[table.head[1 + i], *(_all_text(row.cells[i]) for row in table.rows)] for i in columns]
    words = [max((len(word) for text in one for word in text.split()), default=1) for one in texts]
    least = [0.4 + _LETTER * min(word, _LONGEST_WORD) for word in words]
    rest = max(_TEXT_WIDTH - sum(least), 0)
    longest = [min(max(map(len, one)), 80) + 1 for one in texts]
    whole = [one + rest * part / sum(longest) for one, part in zip(least, longest, strict=True)]
    return [_TEXT_WIDTH * one / sum(whole) for one in whole]


def _all_text(content: TableCell) -> str:
    return " ".join(filter(None, (content.text, content.share, content.small)))


def _paragraph(
    file: WordFile,
    text: str,
    *,
    size: int = 10,
    bold: bool = False,
    color: RGBColor | None = None,
    keep: bool = False,
) -> Paragraph:
    paragraph = file.add_paragraph()
    paragraph.paragraph_format.space_after, paragraph.paragraph_format.keep_with_next = Pt(4), keep
    run = paragraph.add_run(_text(text))
    run.bold, run.font.size = bold, Pt(size)
    if color is not None:
        run.font.color.rgb = color
    return paragraph


def _text(text: str) -> str:
    """Return text as a file of a word processor can hold it, on one line."""
    return isolated(shortened(visible(text), LONGEST)).replace(" %", "\u00a0%")


def _repacked(content: bytes) -> bytes:
    """Return an archive of the same files without the time of writing, marked as ours."""
    result = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(result, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(zipfile.ZipInfo(name, _FIRST_DAY), old.read(name), zipfile.ZIP_DEFLATED)
        new.comment = f"{SIGN}{metadata.version('unmask')}".encode()
    return result.getvalue()
