"""Options about attacks, limits and reports: those of `audit`, and of whatever else judges a release."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Attacks = Annotated[list[str] | None, typer.Option("--attack", metavar="NAME", help="run this attack; repeat it")]
AttackSet = Annotated[
    list[str] | None,
    typer.Option("--attack-set", metavar="NAME.KEY=VALUE", help="a setting of an attack; repeat it"),
]
PolicyFile = Annotated[
    Path | None,
    typer.Option("--policy", metavar="FILE", help="limits, as policy.toml has them; options replace them"),
]
MaxBelief = Annotated[
    float | None,
    typer.Option("--max-belief", metavar="X", help="exposed is of whom a value is believed with X or more"),
]
Excess = Annotated[float | None, typer.Option("--excess", metavar="D", help="and with D more than the control gives")]
Tolerate = Annotated[
    str | None, typer.Option("--tolerate", metavar="T", help="how many may be exposed: 0.01, 1% or 25 people")
]
Ignore = Annotated[
    list[str] | None,
    typer.Option("--ignore", metavar="COL", help="a published column that need not count as known; repeat it"),
]
Junit = Annotated[Path | None, typer.Option("--junit", metavar="FILE", help="write the verdict for a pipeline")]
Markdown = Annotated[Path | None, typer.Option("--markdown", metavar="FILE", help="write a short page as Markdown")]
