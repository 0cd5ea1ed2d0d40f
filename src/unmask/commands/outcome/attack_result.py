"""The result of `unmask.attack`: beliefs, their report, and notes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from unmask.auditing.findings import AuditReport
from unmask.beliefs import Beliefs
from unmask.commands.explaining.explained import Explained
from unmask.commands.results import PageReport
from unmask.files.beliefs import beliefs_frame, write_beliefs
from unmask.wording import message


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Attacked(PageReport):
    """The attacker's beliefs about each target, and their measures where the truth is known.

    The data frame has the columns and the lines of `beliefs.csv`: one for each target and value with a probability
    above 0.
    """

    beliefs: tuple[Beliefs, ...]
    report: AuditReport  # one scene for each question, with this attack alone
    names: tuple[str, ...] | None  # (people,) person keys; None: by line
    location: str
    notes: tuple[str, ...]
    explained: tuple[Explained, ...] = ()  # of the chosen people: for the owner of the data

    @property
    def seed(self) -> int | None:
        """The seed that gives the same numbers again."""
        return self.report.seed

    def write(self, out: str | Path, *, force: bool = False) -> None:
        """Write `beliefs.csv`, whole or not at all, readable by the owner only."""
        write_beliefs(self.beliefs, out, people=self.names, force=force)

    def to_json(self) -> str:
        """Return the measures as a JSON document, as `--json` writes it."""
        from unmask.report import to_json  # noqa: PLC0415 - reports are loaded where one is made

        return to_json(self.report, context=self.notes)

    def to_html(self) -> str:
        """Return the report as a self-contained page, as `--html` writes it."""
        from unmask.report import to_html  # noqa: PLC0415 - drawing charts is heavy, and often not wanted

        return to_html(self.report, context=self.notes)

    def __str__(self) -> str:
        from unmask.report import summary  # noqa: PLC0415 - as above

        return "\n".join([summary(self.report), *(f"\n{one}" for one in self.explained)])

    def _table(self) -> pa.Table:
        return beliefs_frame(self.beliefs, people=self.names)

    def _facts(self) -> str:
        names = dict.fromkeys(result.name for scene in self.report.scenes for result in scene.results)
        return message(
            "{attacks} about {attributes}; {targets} attacked",
            attacks=", ".join(names),
            attributes=", ".join(str(one.about) for one in self.beliefs) or message("nothing"),
            targets=str(self.report.targets),
        )
