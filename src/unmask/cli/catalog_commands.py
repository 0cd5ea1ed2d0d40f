"""`unmask list` and `unmask explain`."""

from __future__ import annotations

import textwrap
from typing import Annotated

import typer

from unmask import catalog_index
from unmask.catalog_index import FAMILIES
from unmask.wording import marked, message, text

LISTS = (*FAMILIES, "population", "presets", "schemas")

_NAME, _WIDTH = 28, 80  # columns


def list_algorithms(
    family: Annotated[
        str | None,
        typer.Argument(
            help=marked(
                "attacks, sanitizers, models, metrics, guarantees, utility, studies, population, presets or schemas"
            )
        ),
    ] = None,
) -> None:
    """List what unmask can do."""
    from unmask.cli import answer
    from unmask.errors import InvalidInputError

    if family is not None and family not in LISTS:
        raise InvalidInputError.unknown_name(message("list"), family, LISTS)
    lines = []
    for name in LISTS if family is None else (family,):
        if family is None:
            lines.append(f"{text(name)}:")
        for word, summary in _summaries(name).items():
            start = f"  {word:{_NAME - 3}} "
            lines += textwrap.wrap(text(summary), _WIDTH, initial_indent=start, subsequent_indent=" " * _NAME)
    answer("\n".join(lines))


def _summaries(family: str) -> dict[str, str]:
    """Return a line on each member of a list."""
    if family == "presets":
        from unmask.hierarchy_presets.all_presets import descriptions

        return descriptions()
    if family == "schemas":
        from unmask.documents.published_schemas import summaries

        return summaries()
    known = catalog_index.estimates() if family == "population" else catalog_index.entries(family)
    return {word: one.summary for word, one in known.items()}


def explain(
    word: Annotated[str, typer.Argument(help=marked("the name of an algorithm, or a word of the field"))],
) -> None:
    """Explain an algorithm, a measure or a word."""
    from unmask.cli import answer
    from unmask.documents.published_schemas import find_schema, schema_files
    from unmask.errors import InvalidInputError
    from unmask.hierarchy_presets.all_presets import explanation
    from unmask.hierarchy_presets.names import NAMES, PREFIX
    from unmask.report.glossary import DISCLOSURE, METRICS, TERMS

    wanted = word.casefold().replace("_", "-")
    found = [_explained(family, entry) for family, entry in catalog_index.all_named(wanted).items()]
    estimates = catalog_index.estimates()
    if wanted in estimates:
        estimate = estimates[wanted]
        head = text("{name} (population risk): {summary}", name=wanted, summary=text(estimate.summary))
        found.append(f"{head}\n\n{text(estimate.doc)}")
    preset = explanation(wanted.removeprefix(PREFIX))
    if preset is not None:
        wide = (textwrap.wrap(line, _WIDTH, subsequent_indent="  ") for line in preset.splitlines())
        found.append("\n".join(line for lines in wide for line in lines))
    schema = find_schema(wanted)
    if schema is not None:
        found.append(_explained_schema(schema))
    glossary = {**{name: words.meaning for name, words in METRICS.items()}, **TERMS, **DISCLOSURE}
    folded = {key.casefold().replace("-", " "): meaning for key, meaning in glossary.items()}
    meaning = folded.get(wanted.replace("-", " "))
    if meaning is not None:
        found.append(textwrap.fill(f"{word}: {text(meaning)}", _WIDTH))
    if not found:
        names = {name for family in FAMILIES for name in catalog_index.entries(family)}
        words = {*names, *estimates, *glossary, *schema_files(), *NAMES}
        raise InvalidInputError.unknown_name(message("word"), word, sorted(words))
    answer("\n\n".join(found))


def _explained_schema(name: str) -> str:
    """Return what a document is, where its schema is, and its keys."""
    from unmask.documents.published_schemas import read_schema, schema_files

    schema = read_schema(name)
    keys = schema["properties"].items()
    lines = [textwrap.wrap(f"{schema['title']}: {text(schema['description'])}", _WIDTH)]
    lines += [["", text("JSON Schema: {file}", file=schema_files()[name]), ""]]
    described = (f"  {key}: {text(one['description'])}" for key, one in keys)
    lines += [textwrap.wrap(line, _WIDTH, subsequent_indent="    ") for line in described]
    return "\n".join(line for part in lines for line in part)


def _explained(family: str, entry: catalog_index.Entry) -> str:
    """Return an algorithm's docstring and its settings; imports its module."""
    from unmask import catalog

    settings = catalog.settings_of(entry.examples[0])
    listed = ", ".join(f"{key} = {value}" for key, value in settings.items())
    parts = [f"{entry.name} ({text(catalog_index.one_of(family))})", text(entry.doc)]
    if listed:
        parts.append(text("Settings: {listed}", listed=listed))
    return "\n\n".join(parts)
