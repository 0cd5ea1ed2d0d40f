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
from unmask.commands.results import Report
from unmask.files.writing import writing_folder
from unmask.report import study as written
from unmask.reproduction import Reproduction, Studied
from unmask.runtime.summation import in_one_order
from unmask.wording import text


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class StudiedPaper(Report):
    """The figures of a paper, printed and computed.

    The data frame has a line for each figure; `claim` holds a claim of the text, `paper` a printed number.
    """

    found: Studied

    @property
    def exit_code(self) -> int:
        """0: a figure that differs is a finding, not a failure."""
        return 0

    def __str__(self) -> str:
        return written.summary(self.found)

    def to_json(self) -> str:
        """Return all figures as a JSON document, as `--json` writes it."""
        return written.to_json(self.found)

    def write(self, out: str | Path, *, force: bool = False) -> None:
        """Write figures, charts and tables to a folder, whole or not at all."""
        with writing_folder(out, force=force) as folder:
            for file, written in self.files.items():
                (folder / file).write_text(written(), encoding="utf-8", newline="")

    def _facts(self) -> str:
        counts = ", ".join(f"{self.found.count(verdict)} {text(verdict)}" for verdict in Reproduction)
        return text("{study}, figures: {counts}", study=self.found.name, counts=counts)

    def _table(self) -> pa.Table:
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
