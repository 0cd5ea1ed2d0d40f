"""Code asks typed descriptions, not names: a new algorithm or mask must need no edit outside its own folder."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path

import pytest

import unmask
from unmask import catalog

SOURCE = Path(unmask.__file__).parent

MASKS = {"Lines", "Centroids", "NoisyRows"}


@cache
def parsed(path: Path) -> ast.Module:
    """Return the syntax tree of a module."""
    return ast.parse(text_of(path))


@cache
def text_of(path: Path) -> str:
    """Return the source of a module."""
    return path.read_text(encoding="utf-8")


def modules(*outside: str, words: Collection[str] = ("",)) -> Iterator[tuple[str, ast.Module]]:
    """Yield the modules outside of some folders that have one of some words in their source, by path, parsed."""
    for path in sorted(SOURCE.rglob("*.py")):
        name = path.relative_to(SOURCE).as_posix()
        if not name.startswith(outside) and any(word in text_of(path) for word in words):
            yield name, parsed(path)


def calls(tree: ast.Module, function: str) -> Iterator[ast.Call]:
    """Yield the calls of a built-in function."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == function:
            yield node


def types_tested(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the line of each `isinstance`, and each name in its second argument."""
    for call in calls(tree, "isinstance"):
        for node in ast.walk(call.args[1]):
            if isinstance(node, ast.Name):
                yield call.lineno, node.id


def test_no_module_outside_masks_tests_the_class_of_a_mask():
    """`release.Masked` has what they ask: `lines`, `noise`, `is_typical`."""
    found = [
        f"{name}:{line}"
        for name, tree in modules("masks/", words=MASKS)
        for line, kind in types_tested(tree)
        if kind in MASKS
    ]
    assert not found


@pytest.mark.parametrize("family", ["attacks", "sanitizers"])
def test_no_module_outside_its_family_tests_the_class_of_an_algorithm(family):
    """A protocol says what can be asked: `Attack`, `Sanitizer`, and what some of them can do besides."""
    classes = {type(one).__name__ for entry in catalog.entries(family).values() for one in entry.examples}
    found = [
        f"{name}:{line}"
        for name, tree in modules(f"{family}/", words=classes)
        for line, kind in types_tested(tree)
        if kind in classes
    ]
    assert not found


def test_no_module_outside_attacks_compares_a_name_with_that_of_an_attack():
    """They ask `requirements`, or the catalog's constants; `report/words.py` describes attacks by name."""
    names = set(catalog.entries("attacks")) - set(catalog.entries("sanitizers"))
    found = [
        f"{name}:{node.lineno} {one.value}"
        for name, tree in modules("attacks/", words=names)
        for node in ast.walk(tree)
        if isinstance(node, ast.Compare)
        for one in ast.walk(node)
        if isinstance(one, ast.Constant) and one.value in names
    ]
    assert not found


def test_no_module_probes_an_object_of_ours_for_an_attribute():
    """`getattr` with a literal name is allowed for objects of other libraries: a module, click, a data frame."""
    foreign = ("catalog.py", "cli/guesses.py", "files/databases/sqlite.py", "files/frames.py")
    found = [
        f"{name}:{call.lineno}"
        for name, tree in modules(*foreign, words=("getattr",))
        for call in calls(tree, "getattr")
        if isinstance(call.args[1], ast.Constant)
    ]
    assert not found
