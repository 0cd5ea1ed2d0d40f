"""Names and docstrings of the source: nouns and verbs of the field, one name for one thing."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "unmask"

UNCLEAR = re.compile(
    r"(?:^|_)(?:told|heard|said|voices?|shown|whom|nobody|somebody|everybody|anybody|whoever|itself|strange"
    r"|lookalikes?|crowds?|clues?|riddles?)(?:_|$)"
)
"""Participles and pronouns that hide what is named."""

UNCLEAR_PROSE = re.compile(
    r"\b(?:whoever|nobody|somebody|everybody|anybody|(?:of|to) whom|told|heard|Say (?:whether|for))\b"
)

PRINTED = {("report/numbers.py", "nobody")}
"""Words of docstrings that the report prints."""

KEYS = {("documents/disclosure_risk.py", "fit_nobody"), ("documents/reasoning.py", "shown")}
"""Keys of documents, which readers know since before documents had types."""

NAMESAKES = {"Exact", "NoisyCounts", "RandomWorlds"}
"""Algorithms of different families that have one name in the literature, and on the command line."""


def identifiers(node: ast.AST) -> Iterator[str]:
    """Yield the name that a node defines."""
    match node:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.arg(arg=name):
            yield name
        case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
            yield name


@pytest.fixture(scope="module")
def nodes() -> list[tuple[str, ast.AST]]:
    """Return every node of the source that has a name or a docstring, with the name of its file."""
    named = (ast.Module, ast.FunctionDef, ast.ClassDef, ast.arg, ast.Name, ast.Attribute)
    return [
        (str(path.relative_to(SOURCE)), node)
        for path in sorted(SOURCE.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, named) and isinstance(getattr(node, "ctx", None), ast.Store | None)
    ]


def test_identifiers_are_nouns_and_verbs(nodes: list[tuple[str, ast.AST]]):
    """A participle or pronoun sends the reader to the definition."""
    names = {(file, name) for file, node in nodes for name in identifiers(node)}
    assert sorted((file, name) for file, name in names - KEYS if UNCLEAR.search(name.lower())) == []


def test_docstrings_use_plain_words(nodes: list[tuple[str, ast.AST]]):
    """Subject, verb, and the noun of the field."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    texts = [(file, ast.get_docstring(node) or "") for file, node in nodes if isinstance(node, documented)]
    words = {(file, word) for file, text in texts for word in UNCLEAR_PROSE.findall(text)}
    assert sorted(words - PRINTED) == []


def test_a_class_name_stands_for_one_class(nodes: list[tuple[str, ast.AST]]):
    """Except private ones, and algorithms that the literature calls alike."""
    places = defaultdict(set)
    for file, node in nodes:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            places[node.name].add(file)
    assert {name for name, files in places.items() if len(files) > 1} == NAMESAKES


@pytest.mark.parametrize("name", ["told", "is_shown", "_said_by", "of_whom"])
def test_an_unclear_name_is_found(name: str):
    """The pattern matches words, not parts of words."""
    assert UNCLEAR.search(name)
    assert not UNCLEAR.search(f"x{name.strip('_')}x")
