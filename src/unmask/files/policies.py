"""policy.toml: the limits that a release must meet."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from unmask.auditing.policy import Limits, Policy
from unmask.errors import InvalidInputError
from unmask.files.toml import read_toml
from unmask.files.validation import AtLeastZero, Date, Finite, Share, checked


class _PolicyModel(BaseModel):
    model_config = ConfigDict(extra="forbid", populate_by_name=True)


class LimitsTable(_PolicyModel):
    """The table `[limits]`."""

    max_belief: Finite | None = None
    excess: Finite | None = None
    tolerate: str | AtLeastZero | None = None
    max_risk: Finite | None = None
    max_epsilon: AtLeastZero | None = None
    max_delta: Share | None = None
    require: list[str] = Field(default_factory=list)


class RequiredTable(_PolicyModel):
    """The table `[required]`."""

    attacks: list[str] = Field(default_factory=list)
    location: Literal["attributes", "row"] = "attributes"


class PolicyFile(_PolicyModel):
    """The whole file."""

    recipient: str | None = None
    next_review: Date | None = None
    ignore: list[str] = Field(default_factory=list)
    limits: LimitsTable = LimitsTable()
    required: RequiredTable = RequiredTable()


def read_policy(path: Path) -> tuple[Policy, PolicyFile]:
    """Read a policy file.

    Fails
        With `InvalidInputError` where the file is not TOML, has an unknown key, or an impossible limit.
    """
    data = read_toml(path)
    policy = checked(PolicyFile, data, path.name)
    share, is_share = tolerance(policy.limits.tolerate)
    limits = Limits(policy.limits.max_belief, policy.limits.excess, share, is_share, policy.limits.max_risk)
    attacks = tuple(policy.required.attacks)
    return Policy(limits, policy.required.location, required=attacks, ignore=tuple(policy.ignore)), policy


def tolerance(text: str | float | None) -> tuple[float, bool]:
    """Parse the number of people that may be exposed; return it, and whether it is a share (`0.01`, `1%`, not `25`).

    Fails
        With `InvalidInputError` for anything else.
    """
    if text is None:
        return 0.0, True
    written = str(text).strip()
    try:
        if written.endswith("%"):
            return float(written[:-1]) / 100, True
        number = float(written)
    except ValueError:
        msg = f"tolerate must be a share (0.01 or 1%) or a number of people (25); got {text!r}"
        raise InvalidInputError(msg) from None
    if math.isnan(number) or (number >= 1 and not number.is_integer()):
        msg = f"tolerate must be a share below 1 or a whole number of people; got {text!r}"
        raise InvalidInputError(msg)
    return number, number < 1
