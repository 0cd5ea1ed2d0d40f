"""scenario.toml: what an intruder is after, as a file."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from unmask.files.checked import checked
from unmask.files.toml import read_toml
from unmask.scenario import Scenario


class ScenarioFile(BaseModel):
    """The whole file."""

    model_config = ConfigDict(extra="forbid")

    exact: float | None = None
    nearer: float | None = None
    wrong: float = 0.0
    silent: float = 0.0
    closer: float = 0.0
    otherwise: float = 1.0
    interest: dict[str, dict[str, float]] = Field(default_factory=dict)


def read_scenario(path: Path) -> Scenario:
    """Read a scenario, as in `exact = 1`, `nearer = 0.2`, `wrong = -0.5`, and `[interest.job]` with `judge = 5`.

    Fails
        With `InvalidInputError` where it is no TOML, has an unknown key, or a worth that cannot be.
    """
    return Scenario(**checked(ScenarioFile, read_toml(path), path.name).model_dump())
