"""The result of `unmask.audit`: the report, its verdict and exit code, the numbers as a frame."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa

from unmask.arrays import Bool
from unmask.auditing.findings import AttackResult, AuditReport
from unmask.auditing.policy import Verdict
from unmask.commands.outcome.changed_folder import ChangedFolder
from unmask.commands.outcome.exit_codes import BAD_INPUT, DEFECT, NOT_CONVERGED, worst
from unmask.commands.results import DocumentReport
from unmask.errors import Inapplicable, InvalidInputError
from unmask.files.published import ReadRelease
from unmask.files.writing import write_file
from unmask.wording import counted, message

if TYPE_CHECKING:
    from unmask.commands.outcome.regime_result import AuditEvidence
    from unmask.report.document import Document


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Audited(DocumentReport):
    """The report of an audit, with its verdict and notes for the user.

    The data frame has a line for each measure of each attack.
    """

    report: AuditReport
    notes: tuple[str, ...]
    people: tuple[str, ...] | None = None  # (targets,) person keys; None: by line
    asked: tuple[str, ...] = ()  # attacks required by name
    releases: tuple[ReadRelease, ...] = ()  # as they were attacked
    named_by: Literal["key", "line", "row"] = "line"  # of people: their key, or line of the list; else published row
    changed: ChangedFolder | None = None  # a changed release that can be written

    @property
    def verdict(self) -> Verdict:
        """The verdict."""
        return self.report.verdict

    @property
    def failures(self) -> tuple[tuple[str, int], ...]:
        """The failures of attacks, by a defect or required by name, each with its exit code."""
        return tuple(self._failures())

    @property
    def exit_code(self) -> int:
        """The exit code that a pipeline should see."""
        return worst([self.report.exit_code, *(code for _, code in self.failures)])

    @property
    def n_exposed(self) -> int | None:
        """The number of people exposed by the limits; None where no limit says who is exposed."""
        return self.report.n_exposed

    @property
    def names(self) -> frozenset[str]:
        """The names of all targets: person keys, where there is such a column, else lines from 0."""
        return frozenset(map(str, range(self.report.n_targets)) if self.people is None else self.people)

    def at_risk(self) -> list[str]:
        """Return the people exposed by the limits: person keys, where there is such a column, else lines from 0.

        Fails
            With `InvalidInputError` where an engine counted: who is exposed stays there.
        """
        if self.report.queries is not None:
            msg = message("people must be loaded to be named; they stay in the engine. Leave out the engine")
            raise InvalidInputError(msg)
        exposed: Bool | None = self.report.exposed
        if exposed is None:
            return []
        names = [str(i) if self.people is None else self.people[i] for i in exposed.nonzero()[0].tolist()]
        return list(dict.fromkeys(names))

    def for_regime(self, name: str) -> AuditEvidence:
        """Return the same numbers under the headings of a regime, as `--for` asks: not a legal finding.

        The name is `ico`, `wp29`, `ema`, `hipaa`, `ehds` or `nist`. What the regime asks and an audit cannot answer is
        left open, and marked.

        Fails
            With `InvalidInputError` for another name.
        """
        from unmask.commands.outcome.published_identifiers import published_identifiers  # noqa: PLC0415 - as below
        from unmask.commands.outcome.regime_result import AuditEvidence  # noqa: PLC0415 - as below
        from unmask.report.regimes import regime_named  # noqa: PLC0415 - as below
        from unmask.report.regimes.evidence_document import RegimeEvidence  # noqa: PLC0415 - as below
        from unmask.report.regimes.regime import EvidenceKind  # noqa: PLC0415 - as below

        regime = regime_named(name)
        columns = published_identifiers(self.releases) if EvidenceKind.SAFE_HARBOR in regime.evidence else None
        return AuditEvidence(RegimeEvidence(self.report, regime, columns, self.notes), library=self.library)

    def write_release(self, out: str | Path, *, keep: str | Path | None = None, force: bool = False) -> None:
        """Write the changed release that was audited as a public folder, and its kept mapping as a secret file.

        Fails
            With `InvalidInputError` where no given release was changed, or the rows of people are not known for `keep`;
            with `OutputError` where an output exists (with `force`, only files that unmask wrote are replaced).
        """
        if self.changed is None:
            msg = message(
                "a changed release must be one that was given, with --withhold, --coarser or "
                "--leave-out-exposed; this audit has none. For a table, write unmask sanitize with the same "
                "options"
            )
            raise InvalidInputError(msg)
        self.changed.write(out, keep=keep, force=force)

    def to_json(self) -> str:
        """Return the report as a JSON document, as `--json` writes it."""
        from unmask.report import to_json  # noqa: PLC0415 - reports are loaded where one is made

        return to_json(self.report, context=self.notes)

    def to_html(self, *, interactive: bool = False) -> str:
        """Return the report as a self-contained page, as `--html` writes it.

        An `interactive` page has a script of its own: tables sort, and charts show their numbers. It loads nothing.
        """
        from unmask.report import to_html  # noqa: PLC0415 - drawing charts is heavy, and often not wanted

        return to_html(self.report, context=self.notes, interactive=interactive)

    def write_html(self, path: str | Path, *, force: bool = False, interactive: bool = False) -> None:
        """Write the page, whole or not at all, readable by the owner only.

        Fails
            With `OutputError` where the file exists; with `force` only if unmask did not write it.
        """
        write_file(path, self.to_html(interactive=interactive), force=force)

    def to_junit(self) -> str:
        """Return the verdict and the attacks as JUnit XML, as `--junit` writes it."""
        from unmask.report import to_junit  # noqa: PLC0415 - as above

        return to_junit(self.report)

    def to_markdown(self) -> str:
        """Return the report as a short page of Markdown, as `--markdown` writes it."""
        from unmask.report import to_markdown  # noqa: PLC0415 - as above

        return to_markdown(self.report, context=self.notes)

    def write_junit(self, path: str | Path, *, force: bool = False) -> None:
        """Write the JUnit XML for a pipeline, whole or not at all, readable by the owner only.

        Fails
            With `OutputError` where the file exists; with `force` only if unmask did not write it.
        """
        write_file(path, self.to_junit(), force=force)

    def write_markdown(self, path: str | Path, *, force: bool = False) -> None:
        """Write the page of Markdown, whole or not at all, readable by the owner only.

        Fails
            With `OutputError` where the file exists; with `force` only if unmask did not write it.
        """
        write_file(path, self.to_markdown(), force=force)

    def __str__(self) -> str:
        from unmask.report import summary  # noqa: PLC0415 - as above

        return summary(self.report)

    def _document(self) -> Document:
        from unmask.report.audit_document import audit_document  # noqa: PLC0415 - as above

        return audit_document(self.report, self.notes)

    def _table(self) -> pa.Table:
        return pa.Table.from_pylist(list(self._lines()), schema=_COLUMNS)

    def _facts(self) -> str:
        ran = {result.name for scene in self.report.scenes for result in scene.results if result.ran}
        names = ", ".join(facts.name for facts in self.report.releases)
        attacks = counted("{n} attack on {names}", "{n} attacks on {names}", len(ran), n=len(ran), names=names)
        return message(
            "{verdict}, exit code {exit_code}; {attacks}; {targets} attacked",
            verdict=self.verdict,
            exit_code=self.exit_code,
            attacks=attacks,
            targets=self.report.targets,
        )

    def _failures(self) -> Iterator[tuple[str, int]]:
        broken = [r for scene in self.report.scenes for r in scene.results if r.defect]
        for reason in dict.fromkeys(
            message("{name} broke off by {reason}", name=r.name, reason=r.reason) for r in broken
        ):
            yield reason, DEFECT
        for name in self.asked:
            results = [r for scene in self.report.scenes for r in scene.results if r.name == name]
            if any(not r.converged for r in results):
                failed = next(r.reason for r in results if not r.converged)
                yield message("{name} did not converge: {reason}", name=name, reason=failed), NOT_CONVERGED
            elif not any(r.ran or r.defect for r in results):
                results.sort(key=lambda r: r.inapplicable is Inapplicable.QUESTION)  # where it was asked tells more
                why = next((r.reason for r in results), message("no question of this audit is one for it"))
                yield message("{name} does not apply here: {reason}", name=name, reason=why), BAD_INPUT

    def _lines(self) -> Iterator[dict[str, Any]]:
        for scene in self.report.scenes:
            for result in (scene.baseline, *scene.results):
                place = {
                    "releases": " + ".join(scene.releases),
                    "about": str(scene.about),
                    "attacker": scene.attacker.name,
                    "attack": result.name,
                }
                yield from (place | line for line in _measures(result))


_COLUMNS = pa.schema(
    {
        **dict.fromkeys(("releases", "about", "attacker", "attack", "of", "metric"), pa.string()),
        **dict.fromkeys(("threshold", "value", "low", "high", "n"), pa.float64()),
        **dict.fromkeys(("source", "why"), pa.string()),
        "higher_is_worse": pa.bool_(),
    }
)


def _measures(result: AttackResult) -> Iterator[dict[str, Any]]:
    for of, measures in (("attack", result.measures), ("control", result.control)):
        for one in measures:
            yield {
                "of": of,
                "metric": one.metric,
                "threshold": one.threshold,
                "value": one.estimate.value,
                "low": one.estimate.low,
                "high": one.estimate.high,
                "n": float(one.estimate.n),
                "source": one.estimate.source,
                "why": one.estimate.why,
                "higher_is_worse": one.higher_is_worse,
            }
