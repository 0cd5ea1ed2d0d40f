"""The threat model names tests that exist: a promise that nothing holds must not look as if something did."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "explanation" / "threat-model.md"


def test_every_promise_is_held_by_a_test_that_exists():
    """Each is named by file and function."""
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PAGE.read_text(encoding="utf-8"))
    assert len(named) > 20
    for file, function in named:
        tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
        assert function in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}, f"{file}: {function}"


def test_every_row_of_a_table_names_what_holds_it():
    """The last cell of each is a test, beside a page where that says more."""
    rows = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    assert all("::" in row for row in rows if "held by" not in row and not row.startswith("| ---"))
