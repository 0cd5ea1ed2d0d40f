"""The notebooks of `examples/`: without outputs, linked from the documentation, and run from top to bottom."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]

NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))

PAGE = ROOT / "docs" / "how-to" / "use-from-python.md"


VERDICTS = {"first-steps": "limit broken", "audit-a-release-made-elsewhere": "limit broken, exit code 1; 5 attacks"}
"""By notebook: what its text says about the audit."""


def cells_of(notebook: Path) -> list[dict[str, Any]]:
    """Return the cells of a notebook."""
    found: list[dict[str, Any]] = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return found


def test_there_are_notebooks():
    """A test that looks for nothing finds nothing wrong."""
    assert {one.stem for one in NOTEBOOKS} >= {"first-steps", "audit-a-release-made-elsewhere"}


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda one: one.stem)
def test_a_notebook_has_no_outputs(notebook: Path):
    """Outputs of real data must never be kept here; the page of the documentation links the notebook."""
    for cell in cells_of(notebook):
        if cell["cell_type"] == "code":
            assert cell["outputs"] == []
            assert cell["execution_count"] is None
    assert f"(../../examples/{notebook.name})" in PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda one: one.stem)
def test_a_notebook_runs(notebook: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """In an empty folder, by a kernel of this interpreter; a warning of unmask would be an output of its own."""
    pytest.importorskip("ipykernel", reason="ipykernel is not installed: notebooks are not run")
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed: notebooks are not run")
    nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed: notebooks are not run")
    for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    work = tmp_path / "work"
    work.mkdir()
    found = nbformat.read(notebook, as_version=4)
    nbformat.validate(found)
    nbclient.NotebookClient(found, timeout=300, resources={"metadata": {"path": str(work)}}).execute()
    outputs = [output for cell in found.cells if cell.cell_type == "code" for output in cell.outputs]
    assert not [output.text for output in outputs if output.get("name") == "stderr"]
    assert any("text/html" in output.get("data", {}) for output in outputs)
    assert any(VERDICTS[notebook.stem] in output.get("data", {}).get("text/plain", "") for output in outputs)
