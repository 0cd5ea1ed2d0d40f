"""Evidence for a regime on the command line: files whole or not at all, and refusals before any work."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pandas as pd
import pytest

import unmask as package
from tests.cli.conftest import MONDRIAN, Unmask
from unmask.report import pdf

AUDIT = ("audit", "people.csv", *MONDRIAN, "--attack", "random-worlds")


@pytest.mark.usefixtures("table")
def test_evidence_is_written_in_every_form(unmask: Unmask, monkeypatch: pytest.MonkeyPatch):
    """The forms of one call; readable by the owner only; replaced only with --force."""
    monkeypatch.setattr(pdf, "to_pdf", lambda page: b"%PDF " + page.encode())
    monkeypatch.setattr(pdf, "require_browser", lambda: "browser")
    files = ("e.html", "e.docx", "e.pdf", "e.json")
    options = [part for file in files for part in (f"--{file[2:]}", file)]
    ran = unmask(*AUDIT, "--for", "wp29", *options)
    assert (ran.code, ran.out.splitlines()[-1]) == (0, f"Written: {', '.join(files)}")
    for file in files:
        assert stat.S_IMODE(Path(file).stat().st_mode) == 0o600
    assert "This is not a legal finding." in Path("e.html").read_text(encoding="utf-8")
    assert Path("e.docx").read_bytes().startswith(b"PK")
    assert json.loads(Path("e.json").read_text(encoding="utf-8"))["regime"]["name"] == "wp29"
    again = unmask(*AUDIT, "--for", "wp29", *options[:4])
    assert (again.code, again.err.count("must not exist yet")) == (2, 1)
    assert unmask(*AUDIT, "--for", "wp29", *options[:4], "--force").code == 0


@pytest.mark.usefixtures("table")
def test_json_on_standard_output_is_the_record(unmask: Unmask):
    """Nothing else is there."""
    ran = unmask(*AUDIT, "--for", "hipaa", "--json", "-")
    found = json.loads(ran.out)
    assert found["schema"] == "unmask-evidence/1"
    assert [one["column"] for one in found["safe_harbor"]] == ["age", "sex", "zip", "ill"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--for", "gdpr", "--html", "e.html"), "regime must be one of ico, wp29, ema, hipaa, ehds, nist; got 'gdpr'."),
        (("--for", "ico"), "--for ico must come with a file to write. Add --docx FILE, --pdf, --html or --json"),
        (("--pdf", "e.pdf"), "--pdf must have Chromium or Chrome"),
        (("--docx", "e.docx"), "--docx must have the extra documents, which is not installed."),
    ],
)
@pytest.mark.usefixtures("folder")
def test_what_cannot_be_written_is_refused_before_any_work(
    unmask: Unmask, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], message: str
):
    """The table is not even read: it does not hold what is asked for. Exit code 2, nothing written."""
    Path("people.csv").write_text("nothing\n", encoding="utf-8")
    monkeypatch.setattr("unmask.report.pdf.shutil.which", lambda _: None)
    monkeypatch.setattr("unmask.runtime.extras.find_spec", lambda _: None)
    ran = unmask(*AUDIT, *options)
    assert ran.code == 2
    assert message in ran.error
    assert [path.name for path in Path().iterdir()] == ["people.csv"]


def test_python_has_the_same(table: Path, folder: Path):
    """`for_regime` of the result, with `write_docx` and the frame of what is answered and what is open."""
    found = package.audit(
        table, sanitizer="mondrian", set={"k": 3}, quasi=["age", "sex", "zip"], sensitive="ill", attack="random-worlds",
        seed=1,
    )  # fmt: skip
    evidence = found.for_regime("ico")
    evidence.write_docx(folder / "e.docx")
    found.write_docx(folder / "report.docx")
    assert (folder / "report.docx").stat().st_size > 10_000
    assert isinstance(evidence, package.AuditEvidence)
    by = evidence.to_frame().column("by").to_pylist()
    assert {"unmask", "people"} == set(by)
    assert "points left open" in repr(evidence)
    assert "legal finding" in evidence._repr_html_()


def test_the_frame_is_of_the_library_that_was_passed(table: Path):
    """As of every other result."""
    found = package.audit(
        pd.read_csv(table), sanitizer="mondrian", set={"k": 3}, quasi=["age", "sex", "zip"], sensitive="ill",
        attack="random-worlds", seed=1,
    )  # fmt: skip
    frame = found.for_regime("ema").to_frame()
    assert isinstance(frame, pd.DataFrame)
    assert list(frame.columns) == ["requirement", "source", "point", "answer", "by"]
