"""Every rule says what it promises and how it fails, and is a frozen dataclass that its name alone makes."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import pkgutil
import re
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from tests.decision_risk import plain
from unmask.decision_risk import comparisons, rules
from unmask.decision_risk.consistency import Consistency
from unmask.decision_risk.dictionary import Dictionary
from unmask.decision_risk.harm_weights import Weights
from unmask.decision_risk.hierarchy_levels import Ladder
from unmask.decision_risk.rules.bayes import Bayes
from unmask.decision_risk.rules.exact import Exact
from unmask.decision_risk.rules.min_risk import MinRisk
from unmask.decision_risk.rules.minimax import Minimax
from unmask.decision_risk.rules.per_attribute import PerAttribute
from unmask.decision_risk.rules.total import Total
from unmask.decision_risk.sensitivity import Sensitivity
from unmask.decision_risk.upper_bound import as_it_grows
from unmask.errors import InvalidInputError


def kinds(package: ModuleType) -> list[Any]:
    """Return the algorithms of a folder: the classes that have a name."""
    found = []
    for module in pkgutil.iter_modules(package.__path__):
        if not module.name.startswith("_"):
            loaded = importlib.import_module(f"{package.__name__}.{module.name}")
            found += [
                kind
                for kind in vars(loaded).values()
                if inspect.isclass(kind) and kind.__module__ == loaded.__name__ and hasattr(kind, "name")
            ]
    return found


@pytest.mark.parametrize("kind", [pytest.param(kind, id=kind.__name__) for kind in kinds(rules)])
def test_a_rule_says_what_it_promises_and_how_it_fails(kind):
    """Headings stand alone on their line; the first line is a sentence."""
    text = inspect.cleandoc(kind.__doc__ or "")
    assert {"Promises", "Fails"} <= set(text.splitlines())
    assert re.fullmatch(r"[A-Z].{15,115}\.", text.splitlines()[0])
    assert dataclasses.fields(kind)
    assert kind() == kind()
    assert kind.name == re.sub(r"(?<!^)(?=[A-Z])", "-", kind.__name__).lower()


@pytest.mark.parametrize("kind", [pytest.param(kind, id=kind.__name__) for kind in kinds(comparisons)])
def test_a_comparison_is_keyed_or_paired(kind):
    """Never both: a key makes pairs needless."""
    assert hasattr(kind, "key") != hasattr(kind, "alike")
    assert kind.name == re.sub(r"(?<!^)(?=[A-Z])", "-", kind.__name__).lower()


def test_of_no_records_nothing_is_disclosed():
    """A table of none is no mistake: every rule answers, and the risk is nothing."""
    empty = plain.table([("x", "y")]).take(np.zeros(0, np.int64))
    none = Consistency.of(empty, Dictionary("book", plain.table([("x", "y")])))
    harmless = Sensitivity(np.zeros((0, 2)))
    assert 0 == PerAttribute(0).choose(none, harmless).value
    assert 0 == Total(0).choose(none, harmless).value
    assert 0 == Minimax(1).choose([none], harmless).worst
    for k in range(3):
        assert (0, 2) == Exact(k).choose(none, harmless).disclosed.shape
        assert (0, 2) == Bayes(k).choose([none], [1], harmless).disclosed.shape
        assert (0, 2) == MinRisk(k).choose(none, harmless).disclosed.shape
    assert not as_it_grows(none, harmless, np.zeros((0, 2), bool)).risk.any()


@pytest.mark.parametrize("people", [("a",), ("a", "b", "c")])
def test_records_are_all_named_or_none(people):
    """Two records and another number of names cannot be matched."""
    two = plain.table([("x",), ("y",)])
    book = Dictionary("book", two, ("a", "b"))
    with pytest.raises(InvalidInputError, match=f"one for each of 2 records; got {len(people)}"):
        Consistency.of(two, book, identities=people)
    with pytest.raises(InvalidInputError, match="one for each of 2 records"):
        Ladder.of_levels(two, book, {}, identities=people)
    with pytest.raises(InvalidInputError, match="one for each of 2 records"):
        Sensitivity.of(Weights(default=1, factors={"a": 2}), two, people)
