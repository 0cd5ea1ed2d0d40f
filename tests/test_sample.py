"""A sample of the tests is that: fewer examples of each property, whichever settings it has; fewer cases."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests import conftest
from tests.conftest import THOROUGH
from tests.queries_drawn_once import queries_drawn_once
from tests.thorough import function, left_out
from unmask.utility._counting_queries import CountingQueries

ROOT = Path(conftest.__file__).parent.parent
DRAWN = CountingQueries.drawn
"""As it is before any test: the session keeps what is drawn."""
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

@pytest.mark.parametrize("case", "ab")
def test_cases(case):
    pass

def test_listed():
    pass
"""
LISTED = "test_laws.py::test_cases[b]\ntest_laws.py::test_listed\n"


@pytest.mark.parametrize(
    ("sample", "quick", "default", "given", "passed"),
    [("", "", 50, 100, 7), ("1", "", 10, 20, 5), ("1", "1", 10, 20, 4)],
)
def test_a_sample_tries_a_fifth_of_the_examples_and_no_sweep(tmp_path: Path, sample, quick, default, given, passed):
    """Of a property by default, and of one with settings of its own; all without UNMASK_TEST_SAMPLE.

    Nor does it try a listed case, and with UNMASK_TEST_QUICK no listed test.
    """
    (tmp_path / "conftest.py").write_text(Path(conftest.__file__).read_text())
    (tmp_path / "test_laws.py").write_text(LAWS.replace("DEFAULT", str(default)).replace("GIVEN", str(given)))
    (tmp_path / "thorough.txt").write_text(LISTED)
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = sweep: left out of a sample\n")
    ran = subprocess.run(  # noqa: S603 - our own tests
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", str(tmp_path)],
        env={"UNMASK_TEST_SAMPLE": sample, "UNMASK_TEST_QUICK": quick, "HOME": str(tmp_path), "PYTHONPATH": str(ROOT)},
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert f"{passed} passed" in ran.stdout, ran.stdout


def test_queries_that_are_kept_are_those_that_are_drawn():
    """Another size, number or seed is drawn for itself; what is drawn afterwards is the same, too."""
    ordered = (True, False, True, True)
    with queries_drawn_once():
        kept = CountingQueries.drawn
        for predicates, quasi, sensitive in ((2, [7, 5, 3], [2]), (2, [7, 5, 4], [2]), (1, [7, 5, 3], [])):
            for seed in (0, 1, 0):
                first, second = np.random.default_rng(seed), np.random.default_rng(seed)
                found = kept(9, predicates, quasi, sensitive, ordered, 0.1, first)
                made = DRAWN(9, predicates, quasi, sensitive, ordered, 0.1, second)
                assert all(map(np.array_equal, (found.asked, *found.accepts), (made.asked, *made.accepts)))
                assert first.random() == second.random()


def test_the_tests_and_cases_that_are_left_out_exist():
    """Each line names a function of a file, with or without a case; a renamed one runs in `make test` again."""
    root = Path(__file__).parents[1]
    for line in THOROUGH.read_text().splitlines():
        file, _, name = line.partition("::")
        assert f"def {function(name).split('::')[-1]}(" in (root / file).read_text(encoding="utf-8"), line


def test_a_slow_test_is_left_out_where_others_reach_all_of_its_lines():
    """Two tests that reach the same lines are not both left out; a quick one never is."""
    reached = {"a": {(1, 1, 2), (1, 2, 3)}, "b": {(1, 1, 2)}, "c": {(1, 2, 3)}, "d": {(1, 4, 5)}}
    seconds = {"a": 9.0, "b": 8.0, "c": 0.1, "d": 7.0, "apart": 20.0, "quick": 0.2}
    assert left_out(reached, seconds) == ["a", "apart"]


def test_a_case_is_left_out_by_its_name_and_a_test_without_cases_that_stay_by_its_own():
    """A quick case of a slow test stays; so does what an optional case alone would reach in its place."""
    reached = {"a[x]": {(1, 1, 2)}, "a[y]": {(1, 1, 2)}, "b[x]": {(1, 1, 2)}, "c[x]": {(1, 2, 3)}, "d": {(1, 2, 3)}}
    seconds = {"a[x]": 0.9, "a[y]": 0.2, "b[x]": 4.0, "c[x]": 3.0, "d": 5.0}
    assert left_out(reached, seconds) == ["a[x]", "b", "d"]
    assert left_out(reached, seconds, {"d"}) == ["a[x]", "b", "d"]
    assert left_out(reached, seconds, {"c[x]"}) == ["a[x]", "b", "c"]
    assert left_out(reached, seconds | {"a[y]": 0.01}) == ["b", "d"]
