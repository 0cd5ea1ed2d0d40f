"""The result of `for_regime`: the evidence of an audit under a regime's headings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from unmask.commands.results import DocumentReport
from unmask.report.document import Document, page_of
from unmask.report.regimes.evidence_document import RegimeEvidence
from unmask.wording import message


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AuditEvidence(DocumentReport):
    """The evidence of an audit for a regime: not a legal finding.

    The data frame has a line for each piece of evidence and each open point of each requirement.
    """

    evidence: RegimeEvidence

    def to_json(self) -> str:
        """Return criteria, thresholds, software, hashes of inputs and the whole report as a JSON document."""
        return self.evidence.to_json()

    def to_html(self) -> str:
        """Return the evidence as a self-contained page."""
        return page_of(self._document())

    def __str__(self) -> str:
        return "\n".join(f"{one.requirement.heading}: {one.state}" for one in self.evidence.answers)

    def _document(self) -> Document:
        return self.evidence.document

    def _table(self) -> pa.Table:
        return pa.Table.from_pylist(list(self._lines()), schema=_COLUMNS)

    def _facts(self) -> str:
        answers = self.evidence.answers
        open_ = sum(one.left_open for one in answers)
        return message(
            "{title}: {n} requirements, {open} points left open",
            title=self.evidence.regime.title,
            n=len(answers),
            open=open_,
        )

    def _lines(self) -> Iterator[dict[str, Any]]:
        for one in self.evidence.answers:
            about = {"requirement": one.requirement.heading, "source": one.requirement.source}
            for kind, found in one.evidence:
                state = message("not measured: {why_not}", why_not=found.why_not) if found.why_not else "measured"
                yield about | {"point": str(kind), "answer": state, "by": "unmask"}
            for point, answer in one.open:
                yield about | {"point": point.text, "answer": answer or None, "by": "people"}


_COLUMNS = pa.schema(dict.fromkeys(("requirement", "source", "point", "answer", "by"), pa.string()))
