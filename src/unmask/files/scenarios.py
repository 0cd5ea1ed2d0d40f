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
    """The whole file."""

    model_config = ConfigDict(extra="forbid")

    exact: Worth | None = None
    nearer: Worth | None = None
    wrong: Worth = 0.0
    silent: Worth = 0.0
    closer: Worth = 0.0
    otherwise: Worth = 1.0
    interest: dict[str, dict[str, Worth]] = Field(default_factory=dict)


def read_scenario(path: Path) -> Scenario:
    """Read a scenario, as in `exact = 1`, `nearer = 0.2`, `wrong = -0.5`, and `[interest.job]` with `judge = 5`.

    Fails
        With `InvalidInputError` where the file is not TOML, has an unknown key, or an impossible utility.
    """
    return Scenario(**checked(ScenarioFile, read_toml(path), path.name).model_dump())
