"""The file for word processors: the same text, tables and charts, and nothing in it that runs or loads."""

from __future__ import annotations

import io
import re
import zipfile
from dataclasses import replace

import docx
import pytest
from docx.document import Document as WordFile

from tests import reports
from unmask.report import together, word_document
from unmask.report.audit_document import audit_document
from unmask.report.blocks import ReportTable, Row, Section, SectionPart, TableCell, texts
from unmask.report.document import Document
from unmask.report.regimes import REGIMES
from unmask.report.regimes.evidence_document import RegimeEvidence
from unmask.report.word_document import LONGEST, MOST_COLUMNS, to_docx

ODD = {
    "control characters": "a\x1b[2J\x00b\x07",
    "right to left": "\u202etxt.exe\u202c",
    "a formula": "=cmd|'/c calc'!A1",
    "a field": '{ INCLUDETEXT "file" }',
    "markup": "<w:p><script>alert(1)</script>&amp;",
    "no character of XML": "a\ufffe\uffffb\ud800",
    "long": "x" * 10_000,
}


def document(text: str) -> Document:
    """Return a document with a text in every place that has one."""
    row = Row(TableCell(text, text, text, text), texts((text, text)))
    table = ReportTable(text, (text, text, text), (row,), note=text)
    part = SectionPart((text,), tables=(table,), folded=text)
    return Document(text, text, (text,), (Section("a", text, text, (part,)),), ((text, text),), text, 1)


def opened(content: bytes) -> WordFile:
    """Open a file as a reader would."""
    return docx.Document(io.BytesIO(content))


def text_of(file: WordFile) -> str:
    """Return all text of a file, that of tables too."""
    parts = [one.text for one in file.paragraphs]
    parts += [cell.text for table in file.tables for row in table.rows for cell in row.cells]
    return re.sub(r"\s+", " ", " ".join(parts))


@pytest.fixture(scope="module")
def audit() -> bytes:
    """Write the report of two releases once."""
    return to_docx(audit_document(together([reports.anatomy(), reports.hospitals()]), ("a note",)))


def test_the_verdict_comes_first_and_the_numbers_are_those_of_the_page(audit):
    """Title, verdict, sentences, tables; the note is in the appendix."""
    text = text_of(opened(audit))
    order = ["DISCLOSURE AUDIT", "No limits were given", "Of 30,162 people in “adult”, 9,773 (32 %)", "a note"]
    places = [text.index(part) for part in order]
    assert places == sorted(places)
    for number in ("58.5 %", "±0.2", "25.8 %", "9,773", "7,515"):
        assert number in text


def test_the_same_report_gives_the_same_bytes(audit):
    """No clock, no counter."""
    again = to_docx(audit_document(together([reports.anatomy(), reports.hospitals()]), ("a note",)))
    assert again == audit


@pytest.mark.parametrize("text", ODD.values(), ids=ODD)
def test_text_from_data_is_inert(text):
    """It opens, holds no field, link or macro, and controls are visible; a long text is shortened."""
    content = to_docx(document(text))
    found = text_of(opened(content))
    assert not re.search(r"[\x00-\x08\x0e-\x1f\u202a-\u202e\u2066-\u2069]", found)
    assert "x" * (LONGEST + 1) not in found
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        names = archive.namelist()
        markup = "".join(archive.read(name).decode() for name in names if name.endswith((".xml", ".rels")))
    assert not any("vba" in name.lower() or "embeddings" in name for name in names)
    assert 'TargetMode="External"' not in markup
    assert not re.search(r"<w:(instrText|fldSimple|fldChar|hyperlink|altChunk|object)\b", markup)
    assert "<script>" not in markup


def test_a_wide_table_continues_below_and_loses_no_column():
    """Spans stay whole, and the heads of rows are repeated."""
    n = 3 * MOST_COLUMNS - 1
    spans = (*((f"s{i}", 2) for i in range(n // 2)), ("last", 1))
    head = ("row", *(f"h{i}" for i in range(n)))
    table = ReportTable("wide", head, (Row(TableCell("r"), texts([f"c{i}" for i in range(n)])),), spans)
    file = opened(to_docx(replace(document("t"), sections=(Section("a", "t", parts=(SectionPart(tables=(table,)),)),))))
    assert len(file.tables) > 1
    assert all(len(one.columns) <= MOST_COLUMNS + 1 for one in file.tables)
    assert [cell.text for one in file.tables for cell in one.rows[-1].cells[1:]] == [f"c{i}" for i in range(n)]
    for one in file.tables:
        assert one.rows[-1].cells[0].text == "r"
        assert len({cell.text for cell in one.rows[0].cells[1:]}) == len(
            {int(cell.text[1:]) // 2 for cell in one.rows[1].cells[1:]}
        )


def test_charts_are_pictures_with_alternative_text(audit):
    """A screen reader says what is drawn."""
    shapes = opened(audit).inline_shapes
    assert len(shapes) > 3
    labels = [shape._inline.docPr.get("descr") for shape in shapes]
    assert all("chart" in label or "plot" in label for label in labels)


def test_without_the_converter_the_tables_have_the_numbers(monkeypatch, audit):
    """No picture, and every table of the other file."""
    monkeypatch.setattr(word_document, "picture", lambda _: None)
    file = opened(to_docx(audit_document(together([reports.anatomy(), reports.hospitals()]))))
    assert len(file.inline_shapes) == 0
    assert len(file.tables) == len(opened(audit).tables)


def test_open_points_can_be_filled_in():
    """Each has a cell of its own for the answer."""
    evidence = RegimeEvidence(reports.anatomy(), REGIMES["ico"])
    file = opened(to_docx(evidence.document))
    answers = [
        row.cells[1].text for one in file.tables if one.rows[0].cells[1].text == "Answer" for row in one.rows[1:]
    ]
    assert answers == ["? left open"] * sum(len(one.open) for one in REGIMES["ico"].requirements)


def test_states_and_commands_are_in_the_file():
    """A limit's state has a sign beside its word, and a line to type is whole, however long."""
    line = "unmask audit " + "x" * (LONGEST + 5)
    row = Row(TableCell("max-risk"), (TableCell("broken", state="broken"),))
    part = SectionPart(tables=(ReportTable("Limits", ("Limit", "State"), (row,), texts=1),), commands=(line,))
    file = opened(to_docx(replace(document("t"), sections=(Section("a", "t", parts=(part,)),))))
    assert "✕ broken" in text_of(file)
    assert line in [paragraph.text for paragraph in file.paragraphs]
