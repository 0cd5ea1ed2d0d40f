"""`unmask list` and `unmask explain`."""

from __future__ import annotations

import textwrap
from typing import Annotated

import typer

FAMILIES = ("attacks", "sanitizers", "models", "metrics", "guarantees", "utility", "studies")

LISTS = (*FAMILIES, "population")

_NAME, _WIDTH = 28, 80  # columns


def list_algorithms(
    family: Annotated[
        str | None,
        typer.Argument(help="attacks, sanitizers, models, metrics, guarantees, utility, studies or population"),
    ] = None,
) -> None:
    """List what unmask can do."""
    from unmask import catalog
    from unmask.cli import answer
    from unmask.cli.study_index import study_summaries
    from unmask.errors import InvalidInputError

    if family is not None and family not in LISTS:
        raise InvalidInputError.unknown_name("list", family, LISTS)
    lines = []
    for name in LISTS if family is None else (family,):
        if family is None:
            lines.append(f"{name}:")
        if name == "population":
            known = {word: _first(one.__module__) for word, one in catalog.estimates().items()}
        elif name == "studies":
            known = study_summaries()
        else:
            known = {word: entry.summary for word, entry in catalog.entries(name).items()}
        for word, first in known.items():
            start = f"  {word:{_NAME - 3}} "
            lines += textwrap.wrap(first, _WIDTH, initial_indent=start, subsequent_indent=" " * _NAME)
    answer("\n".join(lines))


def explain(word: Annotated[str, typer.Argument(help="the name of an algorithm, or a word of the field")]) -> None:
    """Explain an algorithm, a measure or a word."""
    import inspect

    from unmask import catalog
    from unmask.cli import answer
    from unmask.cli.study_index import study_summaries
    from unmask.errors import InvalidInputError
    from unmask.report.glossary import DISCLOSURE, METRICS, TERMS

    wanted = word.casefold().replace("_", "-")
    found = []
    studies = study_summaries()
    for family in FAMILIES:
        if family == "studies" and wanted not in studies:
            continue
        entry = catalog.entries(family).get(wanted)
        if entry is None:
            continue
        text = f"{entry.name} ({catalog.one_of(family)})\n\n{inspect.cleandoc(entry.kind.__doc__ or '')}"
        settings = catalog.settings_of(entry.examples[0])
        if settings:
            text += "\n\nSettings: " + ", ".join(f"{key} = {value}" for key, value in settings.items())
        found.append(text)
    estimate = catalog.estimates().get(wanted)
    if estimate is not None:
        found.append(
            f"{wanted} (population risk): {_first(estimate.__module__)}\n\n{inspect.cleandoc(estimate.__doc__ or '')}"
        )
    glossary = {**{name: words.meaning for name, words in METRICS.items()}, **TERMS, **DISCLOSURE}
    folded = {key.casefold().replace("-", " "): text for key, text in glossary.items()}
    meaning = folded.get(wanted.replace("-", " "))
    if meaning is not None:
        found.append(textwrap.fill(f"{word}: {meaning}", _WIDTH))
    if not found:
        named = [name for family in FAMILIES if family != "studies" for name in catalog.entries(family)]
        known = [*named, *studies, *catalog.estimates(), *glossary]
        raise InvalidInputError.unknown_name("word", word, sorted(set(known)))
    answer("\n\n".join(found))


def _first(module: str) -> str:
    """Return the first line of a module's docstring."""
    import sys

    return (sys.modules[module].__doc__ or "").splitlines()[0]
