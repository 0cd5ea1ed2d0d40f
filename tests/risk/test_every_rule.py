"""Every rule says what it promises and how it fails, and is a frozen dataclass that its name alone makes."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import pkgutil
import re
from types import ModuleType
from typing import Any

import pytest

from unmask.risk import comparisons, rules


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
