"""PDF: the page, printed by the browser that is there."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests import reports
from unmask.errors import InvalidInputError, ResourceError
from unmask.report.document import page_of
from unmask.report.pdf import BROWSERS, require_browser, to_pdf
from unmask.report.regimes import REGIMES
from unmask.report.regimes.evidence_document import RegimeEvidence

needs_browser = pytest.mark.skipif(not any(map(shutil.which, BROWSERS)), reason="no browser is installed")


def stand_in(folder: Path, script: str) -> None:
    """Put a program in the place of the browser."""
    file = folder / BROWSERS[0]
    file.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    file.chmod(0o755)


def test_without_a_browser_it_is_said_before_any_work(monkeypatch, tmp_path):
    """One line, with the way out."""
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(
        InvalidInputError, match=r"^--pdf must have Chromium or Chrome, .*; got neither\. Install one, or"
    ):
        require_browser()
    with pytest.raises(InvalidInputError, match=r"^--pdf must have"):
        to_pdf("<p>page</p>")


@pytest.mark.parametrize("script", ["exit 1", "exit 0", "kill -9 $$"])
def test_a_browser_that_prints_nothing_is_an_error_of_the_machine(script, monkeypatch, tmp_path):
    """Whether it fails or pretends to have printed."""
    stand_in(tmp_path, script)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    with pytest.raises(ResourceError, match=r"^the browser chromium must print the page; it did not\."):
        to_pdf("<p>page</p>")


def test_the_browser_gets_no_network_and_leaves_nothing(monkeypatch, tmp_path):
    """A private folder holds page and profile, and is gone afterwards; no address is resolved."""
    seen = tmp_path / "seen"
    script = (
        f'for a in "$@"; do echo "$a" >> {seen}; case "$a" in --print-to-pdf=*) echo %PDF > "${{a#*=}}";; esac; done'
    )
    stand_in(tmp_path, script)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert to_pdf("<p>page</p>").startswith(b"%PDF\n% Written by unmask ")
    flags = seen.read_text(encoding="utf-8").splitlines()
    assert "--host-resolver-rules=MAP * ~NOTFOUND" in flags
    (profile,) = (flag.partition("=")[2] for flag in flags if flag.startswith("--user-data-dir="))
    assert not Path(profile).parent.exists()


@needs_browser
@pytest.mark.sweep
def test_a_document_is_printed(tmp_path):
    """Its title and its sentence are text in the file."""
    content = to_pdf(page_of(RegimeEvidence(reports.anatomy(), REGIMES["ico"]).document))
    assert content.startswith(b"%PDF-")
    assert content[-1024:].count(b"% Written by unmask ") == 1
    if shutil.which("pdftotext"):
        file = tmp_path / "report.pdf"
        file.write_bytes(content)
        text = subprocess.run(["pdftotext", file, "-"], capture_output=True, text=True, check=True).stdout  # noqa: S603, S607
        assert "This is not a legal finding." in " ".join(text.split())
        assert "UK ICO, anonymisation guidance" in " ".join(text.split())
