"""What every test run needs: reproducible examples, a sample of sweeps on request, and the data that is not bundled."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings

from tests.documents_checked import checked_documents
from tests.queries_drawn_once import queries_drawn_once
from unmask.auditing.advice import Advice
from unmask.commands import auditing
from unmask.commands.advising import advice_after
from unmask.compiled_code import Interpreter

Interpreter.steps_left = 0  # tests are of compiled kernels; those of Python source say so

SAMPLE: Final = bool(os.environ.get("UNMASK_TEST_SAMPLE"))
"""Whether properties try a fifth of their examples and further cases are left out: in all but `make slow`."""

QUICK: Final = bool(os.environ.get("UNMASK_TEST_QUICK"))
"""Whether tests are left out whose cases reach no line of their own, `thorough.txt`: in `make test`."""

LONGEST: Final = "tests/warehouse/spark/"
"""Tests that take up to a minute: at the end, all workers but one would wait for them."""

THOROUGH: Final = Path(__file__).with_name("thorough.txt")

ALL_CASES: Final = ("tests/contracts/", "tests/docs/")
"""Laws of every algorithm and pages that run: of these, only `make test` leaves out cases."""

# The same examples are tried each time, so that a failure belongs to the change that caused it.
# HYPOTHESIS_PROFILE=explore looks for new ones.
# No deadline: the first call of a kernel compiles it.
settings.register_profile(
    "repeat", derandomize=True, deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("explore", deadline=None, max_examples=1000, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeat"))

ATTRIBUTE: Final = "_hypothesis_internal_use_settings"
"""Where hypothesis keeps the settings of a test: it has no public way to change those that a decorator gave."""


def pytest_configure() -> None:
    """Collect no garbage while tests are collected, since they stay: that took a sixth of the time."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Collect garbage from here on, but never look again at what is there already."""
    gc.freeze()
    gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Begin with the longest tests; keep a sample of the examples and sweeps of `make slow`, and what is quick."""
    items.sort(key=lambda item: not item.nodeid.startswith(LONGEST))
    if not SAMPLE:
        return
    slow = set(THOROUGH.read_text(encoding="utf-8").splitlines())
    if not QUICK:  # each test tries some case
        slow = {case for case in slow if "[" in case and not case.startswith(ALL_CASES)}
    chosen: list[pytest.Item] = []
    left_out: list[pytest.Item] = []
    for item in items:
        leave = item.get_closest_marker("sweep") or not slow.isdisjoint({item.nodeid, item.nodeid.partition("[")[0]})
        (left_out if leave else chosen).append(item)
    config.hook.pytest_deselected(items=left_out)
    items[:] = chosen
    for test in {item.obj for item in chosen if isinstance(item, pytest.Function) and is_hypothesis_test(item.obj)}:
        reduce_examples(test)


def reduce_examples(test: object) -> None:
    """Let a property try a fifth of its examples, at least five; whether settings were given to it or not."""
    given = getattr(test, ATTRIBUTE, None) or settings()
    few = min(given.max_examples, max(5, given.max_examples // 5))
    setattr(test, ATTRIBUTE, settings(given, max_examples=few))


@pytest.fixture(autouse=True, scope="session")
def documents_have_their_published_form() -> Iterator[None]:
    """Check every JSON document that a command writes in this process against its published schema."""
    with checked_documents():
        yield


@pytest.fixture(autouse=True, scope="session")
def same_queries_are_drawn_once() -> Iterator[None]:
    """Draw the random queries of tables of one size once for each seed: most audits of tests measure by the same."""
    with queries_drawn_once():
        yield


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """Return the folder of the real data that is not bundled, named by UNMASK_DATA; without it the test is skipped."""
    folder = os.environ.get("UNMASK_DATA")
    if not folder or not Path(folder).is_dir():
        pytest.skip("UNMASK_DATA does not name a folder: this test reads data that is not bundled")
    return Path(folder)


@pytest.fixture
def no_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look for no advice, unless an audit states how much: it takes two thirds of the time of an audit that fails."""

    def asked(*arguments: Any, lines: int | None, **named: Any) -> Advice | None:
        return advice_after(*arguments, lines=lines or 0, **named)

    monkeypatch.setattr(auditing, "advice_after", asked)
