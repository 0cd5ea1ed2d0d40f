"""A sample of the tests is that: fewer examples of each property, whichever settings it has."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests import conftest

LAWS = """
import pytest
from hypothesis import given, settings, strategies as st

TRIED = {"default": 0, "given": 0}

@given(st.integers())
def test_by_default(number):
    TRIED["default"] += 1

@settings(max_examples=100)
@given(st.integers())
def test_with_settings_of_its_own(number):
    TRIED["given"] += 1

@pytest.mark.parametrize("size", [1, pytest.param(2, marks=pytest.mark.sweep)])
def test_sizes(size):
    assert TRIED == {"default": DEFAULT, "given": GIVEN}
"""


@pytest.mark.parametrize(("sample", "default", "given", "passed"), [("", 50, 100, 4), ("1", 10, 20, 3)])
def test_a_sample_tries_a_fifth_of_the_examples_and_no_sweep(tmp_path: Path, sample, default, given, passed):
    """Of a property by default, and of one with settings of its own; all without UNMASK_TEST_SAMPLE."""
    (tmp_path / "conftest.py").write_text(Path(conftest.__file__).read_text())
    (tmp_path / "test_laws.py").write_text(LAWS.replace("DEFAULT", str(default)).replace("GIVEN", str(given)))
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = sweep: left out of a sample\n")
    ran = subprocess.run(  # noqa: S603 - our own tests
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", str(tmp_path)],
        env={"UNMASK_TEST_SAMPLE": sample, "HOME": str(tmp_path)}, cwd=tmp_path, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert f"{passed} passed" in ran.stdout, ran.stdout
