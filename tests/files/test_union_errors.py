"""Errors of values that may be of several types: the key as it is written, and none of pydantic's names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import BaseModel

from unmask.errors import InvalidInputError
from unmask.files.policies import PolicyFile
from unmask.files.roles import ColumnRole, Roles
from unmask.files.validation import checked

INTERNAL = re.compile(r"\.(str|int|float|bool|list|dict|constrained|function|\[)|NoneType|pydantic|type=")

WRONG: tuple[Any, ...] = (-1, -0.5, 1.5, 10**400, [], [[1]], {"a": {"b": 1}}, True, "", float("inf"))


def fields(model: type[BaseModel], *path: str) -> Iterator[tuple[str, ...]]:
    """Yield the keys that lead to each field of a model and of the models inside it."""
    for name, field in model.model_fields.items():
        inner = field.annotation
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            yield from fields(inner, *path, name)
        else:
            yield (*path, name)


PLACES = [(PolicyFile, path) for path in fields(PolicyFile)] + [
    (Roles, ("columns", "age", *path)) for path in fields(ColumnRole)
]


@pytest.mark.parametrize(("model", "path"), PLACES)
@pytest.mark.parametrize("value", WRONG)
def test_an_error_names_the_key_alone(model: type[BaseModel], path: tuple[str, ...], value: object):
    """Of each key of a policy and of a column's role: never `limits.tolerate.str`."""
    data: Any = value
    for key in reversed(path):
        data = {key: data}
    text = ""
    try:
        checked(model, data, "policy.toml")
    except InvalidInputError as caught:
        text = str(caught)
    if text:
        named = re.match(r"(?:key )?'([^']*)'", text)
        assert named
        assert named[1].startswith((".".join(path), ".".join(path[:-1])))
        assert not INTERNAL.search(text)
