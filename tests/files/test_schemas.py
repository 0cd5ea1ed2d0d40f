"""Schemas of files: each field of each model takes only values of its own types, and says so in one line."""

from __future__ import annotations

import datetime as dt
import enum
import importlib
import math
import pkgutil
import types
import typing
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from unmask import files
from unmask.errors import InvalidInputError
from unmask.files.validation import checked

for one in pkgutil.iter_modules(files.__path__):
    importlib.import_module(f"{files.__name__}.{one.name}")


def models(kind: type[BaseModel] = BaseModel) -> Iterator[type[BaseModel]]:
    """Yield the models of files, each with fields."""
    for model in kind.__subclasses__():
        if model.__module__.startswith(files.__name__) and model.model_fields:
            yield model
        yield from models(model)


FIELDS = [
    pytest.param(model, field.alias or name, id=f"{model.__name__}.{name}")
    for model in models()
    for name, field in model.model_fields.items()
]


def nested(depth: int) -> Any:
    """Return lists inside of each other."""
    found: list[Any] = []
    for _ in range(depth):
        found = [found]
    return found


JUNK: list[Any] = [
    None, True, 0, -1, 10**30, 10**400, 1.5, -1.0, math.nan, math.inf, -math.inf, 1e308, 5e-324, "", "\0", "x" * 5000,
    [], [[]], [None], [math.nan], {}, {"": {}}, {"x": {"y": []}}, {"x": math.nan},
    dt.date(2026, 1, 1), dt.time(1), dt.datetime(2026, 1, 1, 1),  # noqa: DTZ001 - as TOML has them
]  # fmt: skip
"""Values that JSON or TOML can hold, of every type and at its edges."""


def types_of(annotation: Any) -> set[type]:
    """Return the types of JSON and TOML that an annotation names; `object` is any."""
    origin, inner = typing.get_origin(annotation), typing.get_args(annotation)
    if annotation is Any:
        return {object}
    if origin is typing.Annotated:
        return types_of(inner[0])
    if origin in {typing.Union, types.UnionType}:
        return set().union(*map(types_of, inner))
    if origin is typing.Literal:
        return {type(value.value) if isinstance(value, enum.Enum) else type(value) for value in inner}
    kind = origin or annotation
    if kind in {tuple, list}:
        return {list}
    if issubclass(kind, enum.Enum):
        return {str}
    if issubclass(kind, (BaseModel, Mapping, dict)):
        return {dict}
    return {float: {int, float}, dt.date: {str, dt.date}}.get(kind, {kind})


def fits(value: Any, annotation: Any) -> bool:
    """Whether a value has one of the types of an annotation; numbers must be finite."""
    allowed = types_of(annotation)
    return object in allowed or (type(value) in allowed and not (isinstance(value, float) and not math.isfinite(value)))


def is_refused(model: type[BaseModel], key: str, value: Any) -> bool:
    """Whether a model refuses the value of a key, whatever other keys it lacks."""
    try:
        model.model_validate({key: value})
    except ValidationError as error:
        return any(one["loc"][:1] == (key,) for one in error.errors(include_url=False))
    return False


@pytest.mark.parametrize(("model", "key"), FIELDS)
def test_a_field_takes_values_of_its_types_only(model, key):
    """Whatever a file holds there is taken, or refused in one line of moderate length; nothing else is raised."""
    field = next(field for name, field in model.model_fields.items() if (field.alias or name) == key)
    for value in JUNK:
        with suppress(InvalidInputError):
            checked(model, {key: value}, "file")
        if not fits(value, field.annotation):
            assert is_refused(model, key, value), f"{value!r:.80} was taken"
            with pytest.raises(InvalidInputError, match=r"\A.{1,600}\Z"):
                checked(model, {key: value}, "file")
    with pytest.raises(InvalidInputError, match="must have brackets at most 50 deep"):
        checked(model, {key: nested(1000)}, "file")
