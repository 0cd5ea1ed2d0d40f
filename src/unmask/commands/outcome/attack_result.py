"""The outcome of `unmask.attack`: beliefs, their report, and notes."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from unmask.auditing.findings import AuditReport
from unmask.beliefs import Beliefs
from unmask.commands.outcome.explanations import Explained
from unmask.files.beliefs import beliefs_frame


@dataclass(frozen=True, slots=True, eq=False)
class Attacked:
    """Beliefs about each sensitive attribute (or row), their measures where the truth is known, and notes."""

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

    def to_frame(self) -> pa.Table:
        """Return the beliefs as an Arrow table, a line for each person and possible value, as in beliefs.csv."""
        return beliefs_frame(self.beliefs, people=self.names)
