"""weights.toml: sensitivity weights of disclosures."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from unmask.decision_risk.harm_weights import Form, JointWeight, Weights
from unmask.errors import InvalidInputError
from unmask.files.toml import read_toml
from unmask.files.validation import checked
from unmask.wording import message

NEVER = "never"
"""The word for an infinite weight."""


def _weight(value: Any) -> Any:  # noqa: ANN401 - whatever TOML held
    if value == NEVER:
        return float("inf")
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < math.inf:
        msg = message('a number of at least 0, or "{never}"', never=NEVER)
        raise ValueError(msg)
    try:
        return float(value)
    except OverflowError:
        msg = message('below 10^308, or "{never}"', never=NEVER)
        raise ValueError(msg) from None


_SCHEMA = {"anyOf": [{"type": "number", "minimum": 0}, {"const": NEVER}]}

Weight = Annotated[float, BeforeValidator(_weight), WithJsonSchema(_SCHEMA)]
OfAttributes = Annotated[dict[str, Any], WithJsonSchema({"type": "object", "additionalProperties": _SCHEMA})]
OfPeople = Annotated[
    dict[str, Any],
    WithJsonSchema({"type": "object", "additionalProperties": {"type": "object", "additionalProperties": _SCHEMA}}),
]


class _WeightsModel(BaseModel):
    model_config = ConfigDict(extra="forbid")


class TogetherTable(_WeightsModel):
    """The weight of several attributes that are disclosed together."""

    attributes: list[str]
    """Names of the attributes."""
    weight: Weight
    """Their weight."""


class WeightsFile(_WeightsModel):
    """The harm of a disclosure: the file that `unmask risk --weights` names. A weight is at least 0, or `"never"`."""

    form: Form = "additive"
    """How the weights of disclosed attributes are combined."""
    default: Weight | None = None
    """Weight of an attribute that is not listed."""
    constant: Weight = 0.0
    """Harm of an identification, whatever is disclosed."""
    wrong: Weight = 0.0
    """Harm of a wrong identification."""
    attributes: dict[str, Weight] = Field(default_factory=dict)
    """Weight of each attribute, by name."""
    values: dict[str, dict[str, Weight]] = Field(default_factory=dict)
    """Weight of single values, by attribute and value."""
    factors: OfAttributes = Field(default_factory=dict)  # checked by `_of_people`: no message names a person
    """Factor of a person's weights, by person key."""
    people: OfPeople = Field(default_factory=dict)
    """A person's own weights, by person key and attribute."""
    together: list[TogetherTable] = Field(default_factory=list)
    """Weights of attributes that are disclosed together."""


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
        _of_people(weights.factors, message("a factor of a person")),
        {person: _of_people(of, message("a weight of a person's own")) for person, of in weights.people.items()},
        together,
        weights.form,
        weights.constant,
        weights.wrong,
    )


def _of_people(weights: Any, what: str) -> dict[str, float]:  # noqa: ANN401 - whatever TOML held
    if not isinstance(weights, Mapping):
        msg = message(
            '{what} must be given by attribute, as in people."4712".religion = "never"; got something else', what=what
        )
        raise InvalidInputError(msg)
    try:
        return {key: _weight(weight) for key, weight in weights.items()}
    except ValueError as error:
        msg = message("{what} must be {error}; got something else. See factors and people", what=what, error=str(error))
        raise InvalidInputError(msg) from None
