"""Published schemas: they describe what is written and read, and nothing else."""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fastjsonschema
import jsonschema  # type: ignore[import-untyped]
import pytest
from pydantic import BaseModel, ValidationError

import unmask
from tests.conftest import SAMPLE
from tests.docs.json_schemas import FILES, OUTPUTS, texts
from tests.documents_checked import check, compiled, validator
from tests.files.test_schemas import JUNK, models
from unmask.documents.document_text import document_text
from unmask.documents.published_schemas import find_schema, read_schema, schema_files
from unmask.errors import InvalidInputError
from unmask.files.weights import WeightsFile

SOURCE = Path(__file__).parents[2] / "src" / "unmask"
CHECKED_LATER = {(WeightsFile, "factors"), (WeightsFile, "people")}
"""Keys whose values are checked after the model, so that no message names a person."""

ALL = [kind.name for kind in (*OUTPUTS, *FILES)]


def tables(schema: Any) -> Iterator[dict[str, Any]]:
    """Yield the parts of a schema that describe a table with known keys."""
    if isinstance(schema, dict):
        if schema.get("type") == "object" and "properties" in schema:
            yield schema
        for part in schema.values():
            yield from tables(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from tables(part)


def test_the_schemas_are_those_of_the_types():
    """Written anew by `python -m tests.docs.json_page`; none is left that no type describes."""
    assert {name: path.read_text(encoding="utf-8") for name, path in schema_files().items()} == texts()


@pytest.mark.parametrize("name", ALL)
def test_a_schema_refuses_unknown_keys_and_describes_each_known_one(name):
    """A key cannot be added to a document, and not to its description."""
    schema = read_schema(name)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$id"].endswith(f":{name}")
    for table in tables(schema):
        assert table["additionalProperties"] is False
        undescribed = [key for key, one in table["properties"].items() if not one.get("description")]
        assert undescribed == []
        assert table["description"]


def keywords(schema: Any) -> Iterator[tuple[str, Any]]:
    """Yield each keyword of a schema with its value, and `beside $ref` for each that stands beside one."""
    if isinstance(schema, list):
        for part in schema:
            yield from keywords(part)
    elif isinstance(schema, dict):
        for key, value in schema.items():
            yield key, value
            if "$ref" in schema and key != "$ref":
                yield "beside $ref", key
            named = key in {"properties", "$defs"}
            yield from keywords(list(value.values()) if named else value)


@pytest.mark.parametrize("name", ALL)
def test_a_schema_means_the_same_in_draft_7(name):
    """What is written in tests is checked by a library for draft 7, which passes over keywords that came later."""
    found = list(keywords({key: value for key, value in read_schema(name).items() if key != "$id"}))
    assert {key for key, _ in found} <= {
        "$defs", "$ref", "$schema", "additionalProperties", "anyOf", "beside $ref", "const", "default", "description",
        "enum", "exclusiveMinimum", "format", "if", "items", "maximum", "minLength", "minimum", "pattern",
        "properties", "required", "then", "title", "type",
    }  # fmt: skip
    assert {value for key, value in found if key == "beside $ref"} <= {"description", "default"}
    assert all(isinstance(value, dict) for key, value in found if key == "items")  # of a list each form would be one
    assert {value for key, value in found if key == "format"} <= {"date"}


OTHERS: tuple[Any, ...] = (None, True, -1, 0.5, "", "2026-02-30", [], {})


def changed(document: Any) -> Iterator[Any]:
    """Yield a document with one value of each key replaced by others, one key less, and one more."""
    if isinstance(document, list):
        for i, one in enumerate(document[:2]):
            yield from ([*document[:i], other, *document[i + 1 :]] for other in changed(one))
    elif isinstance(document, dict):
        yield document | {"another": 1}
        for key, value in document.items():
            yield {name: one for name, one in document.items() if name != key}
            yield from (document | {key: other} for other in OTHERS)
            yield from (document | {key: other} for other in changed(value))


def test_both_libraries_accept_the_same():
    """Whatever is changed in a report: refused or accepted by both. Of all changes a sample is tried."""
    report = unmask.audit(
        {"age": [20, 21, 30, 31] * 3, "ill": list("abca") * 3}, quasi=["age"], sensitive=["ill"],
        sanitizer="mondrian", set={"k": 2}, attack="random-worlds", seed=1, max_belief=0.5,
    )  # fmt: skip
    accepts, accepts_compiled = validator("report-1").is_valid, compiled("report-1")
    verdicts = []
    for document in list(changed(json.loads(report.to_json())))[:: 29 if SAMPLE else 3]:
        verdicts.append(accepts(document))
        try:
            accepts_compiled(document)
        except fastjsonschema.JsonSchemaException:
            assert not verdicts[-1]
        else:
            assert verdicts[-1]
    assert {True, False} == set(verdicts)


def test_each_form_in_the_source_has_a_schema():
    """`unmask-report/1` and its like: none is written without being published."""
    written = {
        form
        for path in SOURCE.rglob("*.py")
        for form in re.findall(r'"unmask-([a-z-]+/\d+)"', path.read_text(encoding="utf-8"))
    }
    assert {form.replace("/", "-") for form in written} <= set(schema_files())
    assert "report/1" in written


def test_a_document_of_another_form_is_found_in_tests():
    """The positive twin of the check of all documents: an unknown key, an unknown form, null without a reason."""
    estimate = {"value": 1.0, "low": None, "high": None, "source": "exact", "n": 3, "why": ""}
    part = {**read_schema("report-1"), "$ref": "#/$defs/Estimate"}
    part = {"$schema": part["$schema"], "$defs": part["$defs"], "$ref": part["$ref"]}
    accepts = jsonschema.Draft202012Validator(part).is_valid
    assert accepts(estimate)
    assert not accepts(estimate | {"value": None})
    assert accepts(estimate | {"value": None, "why": "no target was attacked"})
    assert not accepts(estimate | {"values": 1})
    with pytest.raises(AssertionError, match="no published schema"):
        document_text({"schema": "unmask-unheard-of/1"})
    with pytest.raises(AssertionError, match="json_page"):
        check({"unmask_release": 1, "columns": [], "extra": 1})


def test_a_schema_is_found_by_its_name_and_by_the_name_of_the_file():
    """Nothing else stands for one."""
    assert find_schema("policy-1") == find_schema("policy.toml") == "policy-1"
    assert find_schema("unmask-report/1") == "report-1"
    assert find_schema("policy") is None
    with pytest.raises(InvalidInputError, match="Did you mean 'roles-1'"):
        read_schema("role-1")


def as_json(value: Any) -> Any:
    """Return a value of TOML as JSON has it: dates as text."""
    return json.loads(json.dumps(value, default=lambda one: one.isoformat()))


def accepted(model: type[BaseModel], data: Any) -> bool:
    """Whether a model takes data, whatever other keys are lacking."""
    try:
        model.model_validate(data)
    except ValidationError as error:
        return all(one["type"] == "missing" and len(one["loc"]) == 1 for one in error.errors(include_url=False))
    return True


def parts_of_files() -> Iterator[Any]:
    """Yield each model of each file, with the schema that describes it."""
    by_name = {model.__name__: model for model in models()}
    for kind in FILES:
        schema = read_schema(kind.name)
        yield pytest.param(kind.type, schema, id=kind.name)
        for name in schema.get("$defs", {}):
            if name in by_name:
                yield pytest.param(by_name[name], {**schema, "$ref": f"#/$defs/{name}"}, id=f"{kind.name}-{name}")


@pytest.mark.parametrize(("model", "schema"), list(parts_of_files()))
def test_what_a_file_may_hold_its_schema_accepts(model: type[BaseModel], schema: dict[str, Any]):
    """For each key and values of every type: an editor must not mark what unmask reads."""
    if "$ref" in schema:
        schema = {key: schema[key] for key in ("$schema", "$defs", "$ref")}
    check_form = jsonschema.Draft202012Validator(schema)
    wrong = []
    for key, field in model.model_fields.items():
        if (model, key) in CHECKED_LATER:
            continue
        name = field.alias or key
        for value in JUNK:
            if value is None or isinstance(value, (dt.time, dt.datetime)) or not writable(value):
                continue
            errors = [one for one in check_form.iter_errors(as_json({name: value})) if one.path]
            if accepted(model, {name: value}) and errors:
                wrong.append((name, value))
    assert wrong == []


def writable(value: Any) -> bool:
    """Whether JSON has the value."""
    try:
        json.loads(json.dumps(value, default=str, allow_nan=False))
    except (ValueError, OverflowError):
        return False
    return True
