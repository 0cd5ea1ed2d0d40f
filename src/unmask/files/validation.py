"""Validation of files written by hand, with one-line errors that suggest corrections."""

from __future__ import annotations

import datetime as dt
import re
import typing
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Annotated, Any, TypeVar

import numpy as np
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    Field,
    PlainSerializer,
    PlainValidator,
    ValidationError,
    WithJsonSchema,
)

from unmask.errors import InvalidInputError, did_you_mean, quoted, shortened
from unmask.hierarchies import number_text
from unmask.number_format import numeral
from unmask.numerics.numerals import LARGEST, extreme
from unmask.wording import joined, marked, message

Model = TypeVar("Model", bound=BaseModel)


def _can_be_computed_with(number: float) -> float:
    if bool(extreme(np.array([number]))[0]):
        msg = message("of size {least} to {most}, or 0", least=numeral(1 / LARGEST, "g"), most=numeral(LARGEST, "g"))
        raise ValueError(msg)
    return number


Computable = AfterValidator(_can_be_computed_with)
"""A check that a number is neither too large nor too near to 0 for arithmetic."""

Finite = Annotated[float, Field(allow_inf_nan=False, strict=True), Computable]
"""A computable number; neither a boolean nor text."""

AtLeastZero = Annotated[float, Field(ge=0, allow_inf_nan=False, strict=True), Computable]
"""A computable number of at least 0."""

Positive = Annotated[float, Field(gt=0, allow_inf_nan=False, strict=True), Computable]
"""A computable number above 0."""

Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False, strict=True)]
"""A number between 0 and 1."""

Switch = Annotated[bool, Field(strict=True)]
"""True or false; neither a number nor text."""


def _no_number(value: object) -> object:
    if isinstance(value, (bool, int, float)):
        msg = message(_TYPES["date"])
        raise ValueError(msg)  # noqa: TRY004 - for pydantic
    return value


Date = Annotated[dt.date, BeforeValidator(_no_number)]
"""A date or its text, and not the number of seconds since 1970."""


def _number_or_date(value: object, *, as_text: bool) -> float | dt.date:
    """Return a computable number or a date; numbers may be texts if `as_text`, dates always."""
    if isinstance(value, dt.date) and not isinstance(value, dt.datetime):
        return value
    if isinstance(value, str):
        with suppress(ValueError):
            return dt.date.fromisoformat(value)
    is_number = isinstance(value, (int, float, str) if as_text else (int, float)) and not isinstance(value, bool)
    try:
        number = float(value if is_number else "")  # type: ignore[arg-type]  # a number or a text
    except (ValueError, OverflowError):
        raise ValueError(message(_TYPES["float"])) from None
    if not np.isfinite(number):
        raise ValueError(message(_TYPES["finite"]))
    return _can_be_computed_with(number)


_AS_JSON = PlainSerializer(lambda end: end.isoformat() if isinstance(end, dt.date) else end, when_used="json")

Bound = Annotated[
    float | dt.date,
    PlainValidator(partial(_number_or_date, as_text=False)),
    _AS_JSON,
    WithJsonSchema({"type": ["number", "string"], "format": "date"}),
]
"""A computable number, or a date or its text."""

Edge = Annotated[
    float | dt.date,
    PlainValidator(partial(_number_or_date, as_text=True)),
    _AS_JSON,
    WithJsonSchema({"type": ["number", "string"]}),
]
"""The same; options pass it as text."""

Count = Annotated[int, Field(ge=0, le=2**53, strict=True)]
"""A whole number of at least 0 that a float64 holds exactly."""


_OTHER = marked("a value of another type")

_DEEPEST = 50
"""Tables and lists inside of each other; repr and copies of more deeply nested values exceed Python's stack."""

_TYPES = {
    "model": marked("a table of keys and values"),
    "dict": marked("a table of keys and values"),
    "mapping": marked("a table of keys and values"),
    "tuple": marked("a list"),
    "list": marked("a list"),
    "string_pattern": marked("a text of the form that unmask writes"),
    "string_too_short": marked("a text that is not empty"),
    "string": marked("a text"),
    "int": marked("a whole number of a size that a computer counts with"),
    "float": marked("a number"),
    "finite": marked("a finite number"),
    "bool": marked("true or false"),
    "date": marked("a date like 2026-12-31"),
}
"""The requirement of each kind of error of pydantic, by the beginning of the kind."""

_BOUNDS = {
    "greater_than": (marked("greater than {n}"), "gt"),
    "greater_than_equal": (marked("at least {n}"), "ge"),
    "less_than": (marked("less than {n}"), "lt"),
    "less_than_equal": (marked("at most {n}"), "le"),
}
"""The words for each kind of bound, and its key in pydantic's details."""

_MEMBER = re.compile(r"<\w+\.\w+: ('[^']*')>")
"""The notation of an enumeration's word in pydantic's messages."""


def require_rising(low: float | dt.date | None, high: float | dt.date | None) -> None:
    """Raise `ValueError`, for pydantic, if a range's low is above its high, or only one of them is a date."""
    if low is None or high is None:
        return
    if isinstance(low, dt.date) != isinstance(high, dt.date):
        msg = message("a range between two numbers or two dates")
        raise ValueError(msg)
    if low > high:  # type: ignore[operator]  # of one type
        msg = message("a range whose low is at most its high")
        raise ValueError(msg)


def checked(model: type[Model], data: Any, where: str) -> Model:  # noqa: ANN401 - whatever JSON or TOML held
    """Return data as an instance of a model.

    Fails
        With `InvalidInputError` that names the first key that is unknown or whose value is invalid; also where values
        are nested more deeply than any schema needs.
    """
    level: list[Any] = [data] if isinstance(data, (dict, list)) else []
    for _ in range(_DEEPEST):
        level = [one for outer in level for one in (outer.values() if isinstance(outer, dict) else outer)]
        level = [one for one in level if isinstance(one, (dict, list))]
    if level:
        msg = message(
            "{where} must have brackets at most {deepest} deep; they stand in each other more deeply",
            where=where,
            deepest=_DEEPEST,
        )
        raise InvalidInputError(msg)
    try:
        return model.model_validate(data)
    except ValidationError as error:
        errors = error.errors(include_url=False)  # a misspelled key may be why another one is missing
        first = min(errors, key=lambda details: details["type"] != "extra_forbidden")
        path = _keys_of(first, data)
        same = [one for one in errors if _keys_of(one, data) == path]  # one for each alternative of a union
        first = next((one for one in same if not _is_of_type(one)), first)
        kinds = [str(one["type"]) for one in same] if _is_of_type(first) else [str(first["type"])]
        raise InvalidInputError(_explained(model, path, kinds, first, where)) from None


def _is_of_type(details: Any) -> bool:  # noqa: ANN401 - pydantic's details of an error
    """Whether an error says that a value has another type, which each alternative of a union says."""
    return any(str(details["type"]).startswith(start) for start in _TYPES)


def _keys_of(details: Any, data: Any) -> tuple[int | str, ...]:  # noqa: ANN401 - pydantic's details; whatever JSON held
    """Return the keys and places that lead to the value of an error, without pydantic's names of alternatives."""
    found: list[int | str] = []
    for part in details["loc"]:
        if (isinstance(data, dict) and part in data) or (isinstance(data, list) and isinstance(part, int)):
            data = data[part]
        elif not (details["type"] == "missing" and part is details["loc"][-1]):
            continue
        found.append(part)
    return tuple(found)


def _explained(
    model: type[BaseModel],
    loc: Sequence[int | str],
    kinds: Sequence[str],
    first: Any,  # noqa: ANN401 - pydantic's details of an error
    where: str,
) -> str:
    path = repr(shortened(".".join(map(str, loc))))
    kind = kinds[0]
    if kind == "extra_forbidden":
        known = _keys_at(model, loc[:-1])
        key = str(loc[-1])
        return message(
            "key {path} in {where} must be one of {names}; got {key}.{hint}",
            path=path,
            where=where,
            names=", ".join(known),
            key=quoted(key),
            hint=did_you_mean(key, known),
        )
    if kind == "missing":
        return message("key {path} in {where} must be given; it is not there", path=path, where=where)
    context = first.get("ctx", {})
    guess = ""
    requirement: str = joined(dict.fromkeys(message(_requirement(one, context)) for one in kinds), message(" or "))
    if "expected" in context:
        expected = _MEMBER.sub(r"\1", str(context["expected"]))
        options = [option.strip(" '\"") for option in expected.replace(" or ", ", ").split(",")]
        requirement = message("one of {names}", names=", ".join(options))
        guess = did_you_mean(first["input"], options) if isinstance(first["input"], str) else ""
    return message(
        "{subject} must be {requirement}; got {value}.{hint}",
        subject=message("{path} in {where}", path=path, where=where) if loc else where,
        requirement=requirement,
        value=quoted(first["input"]),
        hint=guess,
    )


def _requirement(kind: str, context: Mapping[str, Any]) -> str:
    """Return what pydantic, or a check of ours, requires in the words of our messages."""
    if kind == "value_error":
        return str(context["error"])
    if kind in _BOUNDS:
        words, key = _BOUNDS[kind]
        return message(words, n=number_text(context[key]))
    return message(next((words for start, words in _TYPES.items() if kind.startswith(start)), _OTHER))


def _keys_at(model: type[BaseModel], loc: Sequence[int | str]) -> list[str]:
    """Return the keys that a model has at a nested location."""
    current: Any = model
    for part in loc:
        models = _models_in(current)
        if models and str(part) in models[0].model_fields:
            current = models[0].model_fields[str(part)].annotation
    return list(_models_in(current)[0].model_fields)


def _models_in(annotation: Any) -> list[type[BaseModel]]:  # noqa: ANN401 - any annotation
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [inner_model for inner in typing.get_args(annotation) for inner_model in _models_in(inner)]
