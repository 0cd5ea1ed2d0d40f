"""weights.toml: sensitivity weights of disclosures."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from unmask.decision_risk.harm_weights import Form, JointWeight, Weights
from unmask.errors import InvalidInputError
from unmask.files.toml import read_toml
from unmask.files.validation import checked

NEVER = "never"
"""The word for an infinite weight."""


def _weight(value: Any) -> Any:  # noqa: ANN401 - whatever TOML held
    if value == NEVER:
        return float("inf")
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < math.inf:
        msg = f'a number of at least 0, or "{NEVER}"'
        raise ValueError(msg)
    try:
        return float(value)
    except OverflowError:
        msg = f'below 10^308, or "{NEVER}"'
        raise ValueError(msg) from None


Weight = Annotated[float, BeforeValidator(_weight)]


class _WeightsModel(BaseModel):
    model_config = ConfigDict(extra="forbid")


class TogetherTable(_WeightsModel):
    """A table `[[together]]`."""

    attributes: list[str]
    weight: Weight


class WeightsFile(_WeightsModel):
    """The whole file."""

    form: Form = "additive"
    default: Weight | None = None
    constant: Weight = 0.0
    wrong: Weight = 0.0
    attributes: dict[str, Weight] = Field(default_factory=dict)
    values: dict[str, dict[str, Weight]] = Field(default_factory=dict)
    factors: dict[str, Any] = Field(default_factory=dict)  # checked by `_of_people`: no message names a person
    people: dict[str, Any] = Field(default_factory=dict)
    together: list[TogetherTable] = Field(default_factory=list)


def read_weights(path: Path) -> Weights:
    """Read a file of weights.

    Fails
        With `InvalidInputError` where the file is not TOML, has an unknown key, or an impossible weight.
    """
    data = read_toml(path)
    weights = checked(WeightsFile, data, path.name)
    together = tuple(JointWeight(frozenset(one.attributes), one.weight) for one in weights.together)
    return Weights(
        weights.attributes,
        weights.default,
        weights.values,
        _of_people(weights.factors, "a factor of a person"),
        {person: _of_people(of, "a weight of a person's own") for person, of in weights.people.items()},
        together,
        weights.form,
        weights.constant,
        weights.wrong,
    )


def _of_people(weights: Any, what: str) -> dict[str, float]:  # noqa: ANN401 - whatever TOML held
    if not isinstance(weights, Mapping):
        msg = f'{what} must be given by attribute, as in people."4712".religion = "never"; got something else'
        raise InvalidInputError(msg)
    try:
        return {key: _weight(weight) for key, weight in weights.items()}
    except ValueError as error:
        msg = f"{what} must be {error}; got something else. See factors and people"
        raise InvalidInputError(msg) from None
