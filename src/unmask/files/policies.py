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
from unmask.wording import message


class _PolicyModel(BaseModel):
    model_config = ConfigDict(extra="forbid", populate_by_name=True)


class LimitsTable(_PolicyModel):
    """Limits of exposure and risk."""

    max_belief: Finite | None = None
    """Probability of a harmful value from which on a person is exposed, above 0 and at most 1."""
    excess: Finite | None = None
    """How much higher than the control that probability must be, too, between 0 and 1; comes with `max_belief`."""
    tolerate: str | AtLeastZero | None = None
    """People who may be exposed: a share (`0.01`, `"1%"`) or a number (`25`); by default 0."""
    max_risk: Finite | None = None
    """Largest probability that a person is matched correctly, above 0 and at most 1; judged by linkage."""
    max_epsilon: AtLeastZero | None = None
    """Largest sum of ε over all releases that may share people; judged by `unmask ledger check`."""
    max_delta: Share | None = None
    """Largest sum of δ over all releases that may share people; judged by `unmask ledger check`."""
    require: list[str] = Field(default_factory=list)
    """Privacy models that must hold, as in `"k=5"`."""


class RequiredTable(_PolicyModel):
    """What must have run, and under which assumption limits are judged."""

    attacks: list[str] = Field(default_factory=list)
    """Attacks that must have run for a verdict, by name."""
    location: Literal["attributes", "row"] = "attributes"
    """What the attacker knows under whom limits are judged: the quasi-identifiers, or the person's row."""


class PolicyFile(_PolicyModel):
    """The limits that a release must meet: the file that `--policy` names."""

    recipient: str | None = None
    """Recipient of the release."""
    purpose: str | None = None
    """Purpose for which the recipient gets it."""
    reviewer: str | None = None
    """Who reviews the report and signs it."""
    next_review: Date | None = None
    """Date of the next review."""
    ignore: list[str] = Field(default_factory=list)
    """Published columns that need not count as known to the attacker."""
    limits: LimitsTable = LimitsTable()
    """Limits of exposure and risk."""
    required: RequiredTable = RequiredTable()
    """What must have run, and under which assumption limits are judged."""


def read_policy(path: Path) -> tuple[Policy, PolicyFile]:
    """Read a policy file.

    Fails
        With `InvalidInputError` where the file is not TOML, has an unknown key, or an impossible limit.
    """
    data = read_toml(path)
    policy = checked(PolicyFile, data, path.name)
    share, is_share = tolerance(policy.limits.tolerate)
    if policy.limits.tolerate is not None and policy.limits.max_belief is policy.limits.max_risk is None:
        msg = message(
            "tolerate in {path} must come with max_belief: it says how many people may be exposed. Write max_belief "
            "beside it, or leave it out",
            path=path.name,
        )
        raise InvalidInputError(msg)
    limits = Limits(policy.limits.max_belief, policy.limits.excess, share, is_share, policy.limits.max_risk)
    found = Policy(
        limits, policy.required.location, required=tuple(policy.required.attacks), ignore=tuple(policy.ignore),
        recipient=policy.recipient or "", purpose=policy.purpose or "", reviewer=policy.reviewer or "",
        next_review=policy.next_review,
    )  # fmt: skip
    return found, policy


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
        msg = message("tolerate must be a share (0.01 or 1%) or a number of people (25); got {text}", text=repr(text))
        raise InvalidInputError(msg) from None
    if math.isnan(number) or (number >= 1 and not number.is_integer()):
        msg = message("tolerate must be a share below 1 or a whole number of people; got {text}", text=repr(text))
        raise InvalidInputError(msg)
    return number, number < 1
