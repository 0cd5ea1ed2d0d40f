"""scenario.toml: the utility of an intruder's answers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from unmask.attacks.fusion.scenario import Scenario
from unmask.files.toml import read_toml
from unmask.files.validation import checked

Worth = Annotated[float, Field(strict=True, allow_inf_nan=False)]
"""A finite number; neither text nor a boolean."""


class ScenarioFile(BaseModel):
    """The utility of guesses to an attacker: the file that `unmask attack fusion --scenario` names."""

    model_config = ConfigDict(extra="forbid")

    exact: Worth | None = None
    """Utility of the true value."""
    nearer: Worth | None = None
    """Utility of a set that contains the value and is smaller than the published cell, or of a nearer number."""
    wrong: Worth = 0.0
    """Utility of any other guess; a penalty is negative."""
    silent: Worth = 0.0
    """Utility of no guess."""
    closer: Worth = 0.0
    """How much nearer a guess must be, in percent of the published distance or size."""
    otherwise: Worth = 1.0
    """Weight of people without a value under `interest`."""
    interest: dict[str, dict[str, Worth]] = Field(default_factory=dict)
    """Weight of people, by column and value."""


def read_scenario(path: Path) -> Scenario:
    """Read a scenario, as in `exact = 1`, `nearer = 0.2`, `wrong = -0.5`, and `[interest.job]` with `judge = 5`.

    Fails
        With `InvalidInputError` where the file is not TOML, has an unknown key, or an impossible utility.
    """
    return Scenario(**checked(ScenarioFile, read_toml(path), path.name).model_dump())
