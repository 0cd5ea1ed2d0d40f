"""Every algorithm says what it does, what must hold for that, the formula, and how it fails: in its docstring."""

from __future__ import annotations

import inspect
import re
from itertools import pairwise

import pytest

from unmask import catalog

SECTIONS = {
    "attacks": ("Assumes", "Infers", "Fails", "References"),
    "sanitizers": ("Publishes", "Fails"),
    "models": ("Measures",),
    "metrics": ("Measures",),
    "guarantees": ("Assumes", "Promises"),
    "utility": ("Measures", "Fails", "References"),
    "studies": ("References",),
}
"""What the docstring of an algorithm of each family must contain."""

KNOWN = {"Assumes", "Infers", "Publishes", "Measures", "Promises", "Fails", "References", "Examples"}

EACH = [
    pytest.param(family, type(example), id=f"{family}-{type(example).__name__}")
    for family in catalog.FAMILIES
    for entry in catalog.entries(family).values()
    for example in entry.examples[:1]
]


def sections(text: str) -> list[str]:
    """Return the headings of a docstring: words alone on a line, with something indented or ruled below."""
    lines = inspect.cleandoc(text).splitlines()
    return [
        line
        for line, below in pairwise(lines)
        if re.fullmatch(r"[A-Z][a-z]+", line) and (below.startswith("    ") or set(below) == {"-"})
    ]


def test_each_family_has_its_sections():
    """A new family must say what its algorithms have to say."""
    assert set(SECTIONS) == set(catalog.FAMILIES)


@pytest.mark.parametrize(("family", "kind"), EACH)
def test_an_algorithm_says_what_its_family_must_say(family, kind):
    """Headings stand alone on their line; none is made up."""
    found = sections(kind.__doc__ or "")
    assert set(SECTIONS[family]) <= set(found)
    assert set(found) <= KNOWN
    assert len(found) == len(set(found))


@pytest.mark.parametrize(("family", "kind"), EACH)
def test_the_first_line_is_a_sentence(family, kind):
    """`unmask list` prints it: one line, a capital letter, a full stop."""
    del family
    first, *rest = inspect.cleandoc(kind.__doc__ or "").splitlines()
    assert re.fullmatch(r"[A-Z].{15,115}\.", first)
    assert not rest or not rest[0]


@pytest.mark.parametrize(("family", "kind"), EACH)
def test_settings_are_frozen_and_plain(family, kind):
    """An algorithm is a frozen dataclass with defaults for everything, so its name alone makes one."""
    del family
    assert kind.__dataclass_params__.frozen
    assert kind() == kind()
