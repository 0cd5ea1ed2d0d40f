"""The JSON Schemas that travel with the package: one file for each kind of document and each version of its form."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path
from typing import Any

from unmask.errors import InvalidInputError
from unmask.wording import text

FOLDER = Path(str(resources.files("unmask.documents")))
"""The folder of the schemas."""

_ENDING = ".schema.json"


def schema_files() -> dict[str, Path]:
    """Return the file of each schema, by its name: the document, and the version of its form."""
    return {path.name.removesuffix(_ENDING): path for path in sorted(FOLDER.glob(f"*{_ENDING}"))}


def named(form: str) -> str:
    """Return the name of the schema of a form.

    >>> named("unmask-report/1")
    'report-1'
    """
    return form.removeprefix("unmask-").replace("/", "-")


def read_schema(name: str) -> dict[str, Any]:
    """Return a schema by its name, or by what a document has under `schema`.

    Fails
        With `InvalidInputError` where there is no such schema.
    """
    files = schema_files()
    path = files.get(named(name))
    if path is None:
        raise InvalidInputError.unknown_name("schema", name, tuple(files))
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def summaries() -> dict[str, str]:
    """Return the title and the first sentence of each schema, by its name, in the reader's language."""
    found = {name: read_schema(name) for name in schema_files()}
    return {name: f"{one['title']}: {text(first_sentence(one['description']))}" for name, one in found.items()}


def first_sentence(description: str) -> str:
    """Return the first sentence of a description, without its full stop.

    >>> first_sentence("The limits of a release. Higher is worse.")
    'The limits of a release'
    """
    return description.partition(". ")[0].rstrip(".")


def find_schema(word: str) -> str | None:
    """Return the name of the schema with a name or a title, as in `policy.toml`; None where there is none."""
    return next((name for name in schema_files() if word in {name, str(read_schema(name)["title"])}), None)
