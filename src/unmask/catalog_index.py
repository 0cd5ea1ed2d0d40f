"""The index of algorithms: names and descriptions, read from the source of the family folders without importing it.

An algorithm is a module of its family, `attacks/NAME.py`, or a folder, `attacks/NAME/attack.py` with its mathematics
beside it. The module lists its algorithms in `EXAMPLES`; one that does not is an error, never skipped. Modules whose
names begin with `_` are private to their family. A module is imported when an algorithm of it is used.
"""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.abc import InspectLoader
from importlib.machinery import ModuleSpec, PathFinder
from typing import Any

from unmask.errors import InvalidInputError
from unmask.wording import marked, message

FAMILIES = ("attacks", "sanitizers", "models", "metrics", "guarantees", "utility", "studies")

SHARED: Mapping[str, frozenset[str]] = {
    "attacks": frozenset({"shared"}),
    "guarantees": frozenset({"guarantee"}),
    "models": frozenset(
        {"equivalence_classes", "known_values", "missing_values", "privacy_model", "release_assessment", "value_counts"}
    ),
    "sanitizers": frozenset({"greedy_rule"}),
    "utility": frozenset({"release_comparison", "utility_measure"}),
}
"""Modules and folders of a family that its algorithms share."""


_ONE_OF: Mapping[str, str] = {
    "attacks": marked("attack"),
    "sanitizers": marked("sanitizer"),
    "models": marked("model"),
    "metrics": marked("metric"),
    "guarantees": marked("guarantee"),
    "utility": marked("utility"),
    "studies": marked("study"),
}


@dataclass(frozen=True, slots=True)
class Entry:
    """An algorithm: its name and docstring, and the module that is imported for its class."""

    name: str
    doc: str
    module: str

    @property
    def summary(self) -> str:
        """The first line of its docstring."""
        return self.doc.partition("\n")[0]

    @property
    def examples(self) -> tuple[Any, ...]:
        """Ready-made examples of it, as its module lists them."""
        return tuple(one for one in importlib.import_module(self.module).EXAMPLES if one.name == self.name)

    @property
    def kind(self) -> type[Any]:
        """Its class."""
        return type(self.examples[0])


@dataclass(frozen=True, slots=True)
class PopulationEstimate:
    """An estimate of population risk: a function, which has no settings to be given by name."""

    name: str
    summary: str
    doc: str


def entries(family: str) -> dict[str, Entry]:
    """Return the algorithms of a family by name, in alphabetical order.

    Fails
        With `InvalidInputError` for an unknown family, and for a module that does not list its algorithms.
    """
    if family not in FAMILIES:
        raise InvalidInputError.unknown_name(message("family"), family, FAMILIES)
    return dict(_entries(family, tuple(importlib.import_module(f"unmask.{family}").__path__)))


@cache
def _entries(family: str, _places: tuple[str, ...]) -> Mapping[str, Entry]:
    """Return the algorithms of a family that lies in some folders; these are read once."""
    found = [entry for spec in _modules(family) for entry in _entries_of(spec.name, *_parsed(spec))]
    return {entry.name: entry for entry in sorted(found, key=lambda entry: entry.name)}


def named(family: str, name: str) -> Entry:
    """Return the algorithm of a name, which may be written with `-` or `_`."""
    wanted = name.replace("_", "-").casefold()
    found = _in_own_module(family, wanted) or entries(family).get(wanted)
    if found is None:
        raise InvalidInputError.unknown_name(message(one_of(family)), name, entries(family))
    return found


def all_named(name: str) -> dict[str, Entry]:
    """Return the algorithms of a name by family; modules without the name in quotes are not parsed."""
    quoted = f'"{name}"'
    found: dict[str, Entry] = {}
    for family in FAMILIES:
        for spec in _modules(family):
            source = _source(spec)
            if quoted in source:
                known = _entries_of(spec.name, *_parse(source, "EXAMPLES"))
                found.update((family, entry) for entry in known if entry.name == name)
    return found


def one_of(family: str) -> str:
    """Return the word for a member of a family, which is also the name of its module in a folder."""
    return _ONE_OF[family]


def estimates() -> dict[str, PopulationEstimate]:
    """Return the estimates of population risk by name, in alphabetical order."""
    found: list[PopulationEstimate] = []
    for spec in _specs("unmask.population"):
        tree, listed = _parsed(spec, "ESTIMATES")
        functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
        summary = _docstring(tree).partition("\n")[0]
        found += [PopulationEstimate(name.replace("_", "-"), summary, _docstring(functions[name])) for name in listed]
    return {one.name: one for one in sorted(found, key=lambda one: one.name)}


def _modules(family: str) -> Iterator[ModuleSpec]:
    """Yield the modules of a family that define algorithms: of a folder, `attack.py` and any `..._attack.py`."""
    for spec in _specs(f"unmask.{family}"):
        yield from _defining(family, spec)


def _defining(family: str, spec: ModuleSpec) -> Iterator[ModuleSpec]:
    """Yield the modules of one file or folder of a family that define algorithms."""
    if spec.name.rpartition(".")[2] in SHARED.get(family, ()):
        return
    if spec.submodule_search_locations is None:
        yield spec
        return
    inside = {one.name.rpartition(".")[2]: one for one in _specs(spec.name)}
    defining = [one for name, one in inside.items() if name.split("_")[-1] == one_of(family)]
    if not defining:
        listed = ", ".join(inside) or message("none")
        msg = message(
            "folder {spec} must define its algorithms in {one_of}.py; got {listed}",
            spec=spec.name,
            one_of=one_of(family),
            listed=listed,
        )
        raise InvalidInputError(msg)
    yield from defining


@cache
def _in_own_module(family: str, name: str) -> Entry | None:
    """Return an algorithm whose module has its name; most have, and no other module is read."""
    package = f"unmask.{family}"
    if family not in FAMILIES or not name.replace("-", "").isalnum():
        return None
    spec = PathFinder.find_spec(f"{package}.{name.replace('-', '_')}", importlib.import_module(package).__path__)
    if spec is None:
        return None
    every = (entry for one in _defining(family, spec) for entry in _entries_of(one.name, *_parsed(one)))
    return next((entry for entry in every if entry.name == name), None)


def _specs(package: str) -> Iterator[ModuleSpec]:
    """Yield where the public modules of a package lie; only the package is imported."""
    path = importlib.import_module(package).__path__
    for module in pkgutil.iter_modules(path):
        spec = None if module.name.startswith("_") else PathFinder.find_spec(f"{package}.{module.name}", path)
        if spec is not None:
            yield spec


def _entries_of(module: str, tree: ast.Module, listed: tuple[str, ...]) -> Iterator[Entry]:
    """Yield the algorithms that a module lists, one for each class."""
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    if not listed:
        msg = message("module {module} must list its algorithms in EXAMPLES", module=module)
        raise InvalidInputError(msg)
    for one in dict.fromkeys(listed):
        name = _name(classes[one]) if one in classes else None
        if name is None:
            msg = message(
                "module {module} must define class {one}, listed in EXAMPLES, with its name as text",
                module=module,
                one=one,
            )
            raise InvalidInputError(msg)
        yield Entry(name, _docstring(classes[one]), module)


def _name(of_class: ast.ClassDef) -> str | None:
    """Return the text that a class assigns to `name`; None if there is none."""
    for node in of_class.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id == "name":
            value = node.value.value if isinstance(node.value, ast.Constant) else None
            return value if isinstance(value, str) else None
    return None


def _docstring(node: ast.Module | ast.ClassDef | ast.FunctionDef) -> str:
    return ast.get_docstring(node) or ""


def _parsed(spec: ModuleSpec, constant: str = "EXAMPLES") -> tuple[ast.Module, tuple[str, ...]]:
    """Return a module's syntax tree, and the names of the classes or functions that a constant of it lists."""
    return _parse(_source(spec), constant)


def _source(spec: ModuleSpec) -> str:
    source = spec.loader.get_source(spec.name) if isinstance(spec.loader, InspectLoader) else None
    return source or ""


@cache
def _parse(source: str, constant: str) -> tuple[ast.Module, tuple[str, ...]]:
    """Parse a module's source; a tree that lists nothing is left out."""
    if f"\n{constant} = " not in source:
        return ast.Module([], []), ()
    tree = _outline(source) if constant == "EXAMPLES" else ast.parse(source)
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == constant:
            listed = node.value.elts if isinstance(node.value, ast.Tuple) else ()
            return tree, tuple(ast.unparse(one.func if isinstance(one, ast.Call) else one) for one in listed)
    return tree, ()


_CLASSES = re.compile(r"^(?:class |EXAMPLES = ).*?(?=^[^\s)\]}]|\Z)", re.MULTILINE | re.DOTALL)
_METHODS = re.compile(r"(?:^    @[^\n]*\n)*^    (?:async )?def .*?(?=^    [^\s)\]}]|^\S|\Z)", re.MULTILINE | re.DOTALL)


def _outline(source: str) -> ast.Module:
    """Parse a module's classes without their methods, and its list: that takes a twentieth of the time."""
    try:
        return ast.parse(_METHODS.sub("", "".join(_CLASSES.findall(source))))
    except SyntaxError:  # a text that looks like source
        return ast.parse(source)
