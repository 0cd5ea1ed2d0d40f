"""`unmask list` and `unmask explain`."""

from __future__ import annotations

from typing import Annotated

import typer

FAMILIES = ("attacks", "sanitizers", "models", "metrics", "guarantees")


def list_algorithms(
    family: Annotated[str | None, typer.Argument(help="attacks, sanitizers, models, metrics or guarantees")] = None,
) -> None:
    """List what unmask can do, a line each."""
    from unmask import catalog
    from unmask.errors import InvalidInputError

    if family is not None and family not in FAMILIES:
        raise InvalidInputError.unknown_name("list", family, FAMILIES)
    for name in FAMILIES if family is None else (family,):
        if family is None:
            typer.echo(f"{name}:")
        for entry in catalog.entries(name).values():
            typer.echo(f"  {entry.name:26} {entry.summary}")


def explain(word: Annotated[str, typer.Argument(help="the name of an algorithm, or a word of the field")]) -> None:
    """Explain an algorithm, a measure or a word."""
    import inspect

    from unmask import catalog
    from unmask.errors import InvalidInputError
    from unmask.report.glossary import METRICS, TERMS

    wanted = word.casefold().replace("_", "-")
    found = False
    for family in FAMILIES:
        entry = catalog.entries(family).get(wanted)
        if entry is None:
            continue
        found = True
        typer.echo(f"{entry.name} ({family.removesuffix('s')})\n")
        typer.echo(inspect.cleandoc(entry.kind.__doc__ or ""))
        settings = catalog.settings_of(entry.examples[0])
        if settings:
            typer.echo("\nSettings: " + ", ".join(f"{key} = {value}" for key, value in settings.items()))
    glossary = {**{name: words.meaning for name, words in METRICS.items()}, **TERMS}
    folded = {key.casefold().replace("-", " "): text for key, text in glossary.items()}
    meaning = folded.get(wanted.replace("-", " "))
    if meaning is not None:
        typer.echo(f"{word}: {meaning}")
    elif not found:
        known = [*(name for family in FAMILIES for name in catalog.entries(family)), *glossary]
        raise InvalidInputError.unknown_name("word", word, sorted(set(known)))
