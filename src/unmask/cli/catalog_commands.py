"""`unmask list` and `unmask explain`."""

from __future__ import annotations

import textwrap
from typing import Annotated

import typer

FAMILIES = ("attacks", "sanitizers", "models", "metrics", "guarantees", "utility", "studies")

_NAME, _WIDTH = 28, 80  # columns


def list_algorithms(
    family: Annotated[
        str | None, typer.Argument(help="attacks, sanitizers, models, metrics, guarantees, utility or studies")
    ] = None,
) -> None:
    """List what unmask can do."""
    from unmask import catalog
    from unmask.cli import answer
    from unmask.errors import InvalidInputError

    if family is not None and family not in FAMILIES:
        raise InvalidInputError.unknown_name("list", family, FAMILIES)
    lines = []
    for name in FAMILIES if family is None else (family,):
        if family is None:
            lines.append(f"{name}:")
        for entry in catalog.entries(name).values():
            start = f"  {entry.name:{_NAME - 3}} "
            lines += textwrap.wrap(entry.summary, _WIDTH, initial_indent=start, subsequent_indent=" " * _NAME)
    answer("\n".join(lines))


def explain(word: Annotated[str, typer.Argument(help="the name of an algorithm, or a word of the field")]) -> None:
    """Explain an algorithm, a measure or a word."""
    import inspect

    from unmask import catalog
    from unmask.cli import answer
    from unmask.errors import InvalidInputError
    from unmask.report.glossary import METRICS, TERMS

    wanted = word.casefold().replace("_", "-")
    found = []
    for family in FAMILIES:
        entry = catalog.entries(family).get(wanted)
        if entry is None:
            continue
        text = f"{entry.name} ({catalog.one_of(family)})\n\n{inspect.cleandoc(entry.kind.__doc__ or '')}"
        settings = catalog.settings_of(entry.examples[0])
        if settings:
            text += "\n\nSettings: " + ", ".join(f"{key} = {value}" for key, value in settings.items())
        found.append(text)
    glossary = {**{name: words.meaning for name, words in METRICS.items()}, **TERMS}
    folded = {key.casefold().replace("-", " "): text for key, text in glossary.items()}
    meaning = folded.get(wanted.replace("-", " "))
    if meaning is not None:
        found.append(textwrap.fill(f"{word}: {meaning}", _WIDTH))
    if not found:
        known = [*(name for family in FAMILIES for name in catalog.entries(family)), *glossary]
        raise InvalidInputError.unknown_name("word", word, sorted(set(known)))
    answer("\n\n".join(found))
