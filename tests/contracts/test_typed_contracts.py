"""Code asks typed descriptions, not names: a new algorithm or mask must need no edit outside its own folder."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import unmask

SOURCE = Path(unmask.__file__).parent

MASKS = {"Lines", "Centroids", "NoisyRows"}


def modules(*outside: str) -> Iterator[tuple[str, ast.Module]]:
    """Yield the modules outside of some folders, by path, parsed."""
    for path in sorted(SOURCE.rglob("*.py")):
        name = path.relative_to(SOURCE).as_posix()
        if not name.startswith(outside):
            yield name, ast.parse(path.read_text(encoding="utf-8"))


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
    found = [f"{name}:{line}" for name, tree in modules("masks/") for line, kind in types_tested(tree) if kind in MASKS]
    assert not found
