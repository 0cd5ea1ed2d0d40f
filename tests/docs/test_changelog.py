"""The changelog: grouped by capability, two lines an entry, built from the fragments that wait for the next release."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import unmask

ROOT = Path(__file__).parents[2]
CHANGELOG = ROOT / "CHANGELOG.md"
CONFIG = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["towncrier"]
SECTIONS = {section["path"]: section["name"] for section in CONFIG["section"]}
KINDS = {kind["directory"]: kind["name"] for kind in CONFIG["type"]}
FRAGMENTS = [path for path in (ROOT / "changelog.d").rglob("*.md") if path.name != "README.md"]
KEPT = {"README.md", "template.md.jinja"}
WIDEST = 240  # characters: two lines of 120


def test_a_fragment_is_named_by_its_capability_and_kind():
    """A folder that is no capability would be left out of the changelog in silence."""
    for fragment in FRAGMENTS:
        folder = fragment.parent.relative_to(ROOT / "changelog.d").as_posix()
        assert ("" if folder == "." else folder) in SECTIONS, fragment
        assert re.fullmatch(rf"[a-z0-9-]+\.({'|'.join(KINDS)})\.md", fragment.name), fragment


def test_the_folders_of_capabilities_are_no_fragments():
    """Towncrier would take them for misnamed files of the outer folder."""
    assert {path for path in SECTIONS if path} <= set(CONFIG["ignore"])


def test_the_changelog_begins_with_this_version():
    """Versions fall from top to bottom; capabilities and kinds are those of the configuration."""
    text = CHANGELOG.read_text(encoding="utf-8")
    versions = re.findall(r"^## (\d+)\.(\d+)\.(\d+) \(\d{4}-\d\d-\d\d\)$", text, re.MULTILINE)
    numbers = [tuple(map(int, version)) for version in versions]
    assert ".".join(versions[0]) == unmask.__version__
    assert numbers == sorted(set(numbers), reverse=True)
    assert set(re.findall(r"^### (.+)$", text, re.MULTILINE)) <= set(SECTIONS.values())


def test_an_entry_has_at_most_two_lines():
    """An entry, its kind first: who looks for a change reads no essay."""
    text = CHANGELOG.read_text(encoding="utf-8")
    entries = re.findall(r"^- (.+(?:\n  .+)*)$", text.partition("\n## ")[2], re.MULTILINE)
    assert entries
    for entry in entries:
        assert entry.partition(": ")[0] in KINDS.values()
        assert len(entry) <= WIDEST
        assert entry.count("\n") <= 1


def test_fragments_become_entries_under_their_capability(tmp_path):
    """As `make changelog` builds them; the fragments go, the older versions stay below."""
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    shutil.copytree(ROOT / "changelog.d", tmp_path / "changelog.d", ignore=lambda _, names: set(names) - KEPT)
    shutil.copy(CHANGELOG, tmp_path)
    (tmp_path / "changelog.d" / "attacks").mkdir()
    (tmp_path / "changelog.d" / "attacks" / "homogeneity.added.md").write_text(
        "The attack `homogeneity`.\nIt is new.\n"
    )
    (tmp_path / "changelog.d" / "odd.fixed.md").write_text("Odd input is read.\n")
    command = [sys.executable, "-m", "towncrier", "build", "--yes", "--version", "99.0.0", "--date", "2030-01-02"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)  # noqa: S603 - our own
    assert ran.returncode == 0, ran.stderr
    text = (tmp_path / "CHANGELOG.md").read_text(encoding="utf-8")
    new = """## 99.0.0 (2030-01-02)

### Attacks

- Added: The attack `homogeneity`.
  It is new.

### Other

- Fixed: Odd input is read.
"""
    before, after = CHANGELOG.read_text(encoding="utf-8").split("\n## ", 1)
    assert text.startswith(before + "\n" + new)
    assert text.endswith(after)
    assert {path.name for path in (tmp_path / "changelog.d").rglob("*.*")} == KEPT
