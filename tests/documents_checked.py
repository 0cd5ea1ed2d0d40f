"""The check of every JSON document that a test writes against its published schema, which refuses unknown keys."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from types import SimpleNamespace
from typing import Any

import fastjsonschema
import jsonschema  # type: ignore[import-untyped]
import pytest

from unmask.documents import document_text
from unmask.documents.published_schemas import named, read_schema, schema_files
from unmask.files import ledger_json, release_json

WRITERS = (document_text, release_json, ledger_json)
"""The modules that write documents as JSON."""


@cache
def validator(name: str) -> Any:
    """Return the validator of a schema; dates are checked."""
    kind = jsonschema.Draft202012Validator
    return kind(read_schema(name), format_checker=kind.FORMAT_CHECKER)


@cache
def compiled(name: str) -> Callable[[Any], Any]:
    """Return the same check in a tenth of the time, by a library whose messages say less and which knows draft 7.

    A schema has only keywords that mean the same there: see tests/documents/test_published_schemas.py.
    """
    check_form: Callable[[Any], Any] = fastjsonschema.compile(
        {**read_schema(name), "$schema": "http://json-schema.org/draft-07/schema"},
        formats={"date": _is_date}, use_default=False,
    )  # fmt: skip
    return check_form


def _is_date(text: str) -> bool:
    try:
        return bool(dt.date.fromisoformat(text))
    except ValueError:
        return False


def schema_name(document: Any) -> str:
    """Return the name of the schema that a document names."""
    if "unmask_release" in document:
        return f"release-{document['unmask_release']}"
    return named(document["schema"])


def check(document: Any) -> None:
    """Fail where a document does not have the form that it names."""
    name = schema_name(document)
    assert name in schema_files(), (
        f"{name} has no published schema. Describe the document in unmask.documents, list it in "
        f"tests/docs/json_schemas.py, and run python -m tests.docs.json_page"
    )
    try:
        compiled(name)(document)
    except fastjsonschema.JsonSchemaException:
        error = jsonschema.exceptions.best_match(validator(name).iter_errors(document))
    else:
        return
    assert error is None, (
        f"{name} at {error.json_path}: {error.message:.300}. Describe new keys in unmask.documents, and run "
        f"python -m tests.docs.json_page"
    )


@contextmanager
def checked_documents() -> Iterator[None]:
    """Check what is written as JSON while this lasts."""

    def dumps(document: Any, **options: Any) -> str:
        text = json.dumps(document, **options)
        check(json.loads(text))
        return text

    with pytest.MonkeyPatch.context() as patch:
        for module in WRITERS:
            patch.setattr(module, "json", SimpleNamespace(dumps=dumps))
        yield
