"""`unmask.study`: reproduce a paper's experiment, and compare the printed numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pyarrow as pa

from unmask import catalog
from unmask.commands.inputs.parameters import public
from unmask.commands.inputs.reading_options import Settings
from unmask.commands.notes import Notes
from unmask.commands.outcome.resuming import resuming, seed_of
from unmask.report import study as written
from unmask.reproduction import Reproduction, Studied
from unmask.runtime.summation import in_one_order


@dataclass(frozen=True, slots=True, eq=False)
class StudiedPaper:
    """The result of a study."""

    found: Studied

    @property
    def exit_code(self) -> int:
        """0: a figure that differs is a finding, not a failure."""
        return 0

    def __str__(self) -> str:
        return written.whole(self.found)

    def to_json(self) -> str:
        """Return all figures as a JSON document."""
        return written.to_json(self.found)

    def to_frame(self) -> pa.Table:
        """Return the figures as an Arrow table; `claim` holds a claim of the text, `paper` a printed number."""
        return pa.Table.from_pylist(
            [
                {
                    "id": one.id, "says": one.says, "paper": one.paper if not isinstance(one.paper, str) else None,
                    "claim": one.paper if isinstance(one.paper, str) else None, "ours": one.ours, "low": one.low,
                    "high": one.high, "verdict": str(one.verdict), "note": one.note,
                }
                for one in self.found.figures
            ],
            schema=_COLUMNS,
        )  # fmt: skip

    @property
    def differing(self) -> tuple[str, ...]:
        """The ids of figures that differ."""
        return tuple(one.id for one in self.found.figures if one.verdict is Reproduction.DIFFERS)

    @property
    def files(self) -> Mapping[str, Callable[[], str]]:
        """The files of this study: name → function that returns the text."""
        return {
            **self.found.files,
            "figures.csv": partial(written.to_csv, self.found),
            "study.txt": partial(written.whole, self.found),
            "study.json": partial(written.to_json, self.found),
        }


_COLUMNS = pa.schema(
    {
        **dict.fromkeys(("id", "says"), pa.string()), "paper": pa.float64(), "claim": pa.string(),
        **dict.fromkeys(("ours", "low", "high"), pa.float64()), **dict.fromkeys(("verdict", "note"), pa.string()),
    }
)  # fmt: skip


@public
@in_one_order
def study(
    name: str,
    *,
    quick: bool = False,
    set: Settings | None = None,  # noqa: A002 - the option's name
    seed: int | None = None,
    resume: str | Path | None = None,
) -> StudiedPaper:
    """Run the experiment of a paper again, and compare its printed figures with the new ones.

    Parameters
    ----------
    name
        Study, by name, as `unmask list studies` prints it.
    quick
        Whether to make fewer runs: one or two minutes.
    set
        Parameters of the study, by name.

    Fails
        With `InvalidInputError` for an unknown study or parameter.
    """
    notes = Notes()
    chosen = catalog.build("studies", name, set)
    if quick:
        chosen = chosen.quick()
    with resuming(resume):
        found = chosen.run(seed_of(seed, notes))
    notes.add(*found.notes)
    return StudiedPaper(found)
