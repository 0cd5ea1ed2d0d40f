"""`unmask.dp_audit`: a claimed ε, tested by many releases of a table and of one without a person's record."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from unmask import catalog
from unmask.commands.inputs.parameters import public, require_name
from unmask.commands.inputs.reader import Reader
from unmask.commands.inputs.reading_options import Settings, Source
from unmask.commands.notes import Notes
from unmask.commands.outcome.exit_codes import BROKEN, DONE
from unmask.commands.outcome.resuming import seed_of
from unmask.commands.results import Report
from unmask.commands.sanitizing import published, reader_for, table_for
from unmask.differential_privacy.epsilon_audit import FEWEST, EpsilonBound, power_against_halved_noise
from unmask.differential_privacy.membership_game import audit_neighbors, neighbor, play
from unmask.differential_privacy.record_scores import RecordScores
from unmask.documents.document_text import document_text
from unmask.documents.epsilon_audit import SCHEMA, EpsilonAuditJson
from unmask.errors import InvalidInputError, NotApplicableError
from unmask.estimate import Estimate
from unmask.files.databases.dsn import of_table
from unmask.files.roles import Assignments, Roles
from unmask.metrics.gap import Gap
from unmask.neighboring_relation import Relation
from unmask.number_format import numeral
from unmask.report.json import estimated
from unmask.report.numbers import percent
from unmask.runtime.streams import stream
from unmask.runtime.summation import in_one_order
from unmask.table import Table
from unmask.unit import Unit
from unmask.visible_text import joined
from unmask.wording import message, text

RUNS = 1000
"""Releases of each table, by default."""

GAP_RUNS = 200
"""The most runs for the gap, each with two attacks."""

_ATTACKS = ("random-worlds", "noisy-counts")

WIDTH = 80

Verdict = Literal["refuted", "not refuted", "no claim"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AuditedEpsilon(Report):
    """The audit of a claimed ε. The data frame has one line."""

    sanitizer: str
    claimed: float | None
    delta: float
    relation: Relation  # that was played
    record: int  # row of the table, from 0
    runs: int
    bound: EpsilonBound
    power: float | None  # against noise of half the scale; None without a claim
    gap: Estimate
    most_gap: float | None  # None without a claim
    notes: tuple[str, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """Whether the runs refute the claim; not to refute it is no proof."""
        if self.claimed is None:
            return "no claim"
        return "refuted" if self.bound.refutes(self.claimed) else "not refuted"

    @property
    def exit_code(self) -> int:
        """1 where the claim is refuted."""
        return BROKEN if self.verdict == "refuted" else DONE

    def __str__(self) -> str:
        return joined(
            line
            for one in self._text()
            for line in textwrap.wrap(one, WIDTH, subsequent_indent="    ", break_on_hyphens=False) or [""]
        )

    def _text(self) -> Iterator[str]:
        low, level = numeral(self.bound.low, ".3g"), percent(self.bound.level, short=True)
        claimed = None if self.claimed is None else numeral(self.claimed, "g")
        if self.verdict == "refuted":
            yield text(
                "REFUTED: {sanitizer} claims epsilon {claimed}; these runs need at least {low}, at {level}.",
                sanitizer=self.sanitizer, claimed=claimed, low=low, level=level,
            )  # fmt: skip
        elif claimed is not None:
            yield text(
                "NOT REFUTED, which is no proof: {sanitizer} claims epsilon {claimed}; these runs need at least {low}.",
                sanitizer=self.sanitizer, claimed=claimed, low=low,
            )  # fmt: skip
        else:
            yield text(
                "{sanitizer} claims no epsilon; these runs need at least {low}, at {level}.",
                sanitizer=self.sanitizer, low=low, level=level,
            )  # fmt: skip
        yield ""
        yield text(
            "  {runs} releases of the table and as many of a neighbor: {relation} (row {record} of the table, from 0)",
            runs=numeral(self.runs), relation=text(self.relation.words), record=numeral(self.record),
        )  # fmt: skip
        yield text(
            "  what distinguishes them: {event}; in {often} of {judged} runs, and in {rarely} of as many on the other",
            event=self.bound.event, often=numeral(self.bound.often), judged=numeral(self.bound.judged),
            rarely=numeral(self.bound.rarely),
        )  # fmt: skip
        if self.power is not None:
            yield text(
                "  noise of half the scale that is needed would be found in {power} of such audits",
                power=percent(self.power),
            )
        if self.gap.value is None:
            yield text("  the gap of the record: not measured ({why})", why=text(self.gap.why))
            return
        span = "" if self.gap.low is None or self.gap.high is None else text(
            ", from {low} to {high}", low=percent(self.gap.low), high=percent(self.gap.high)
        )  # fmt: skip
        most = "" if self.most_gap is None else text("; the claim allows {most}", most=percent(self.most_gap))
        yield text(
            "  the gap of the record: its value is guessed right more often by {gap}{span}, because it is there{most}",
            gap=percent(self.gap.value), span=span, most=most,
        )  # fmt: skip

    def to_json(self) -> str:
        """Return everything as a JSON document, as `--json` writes it."""
        bound = self.bound
        document: EpsilonAuditJson = {
            "schema": SCHEMA, "version": metadata.version("unmask"),
            "sanitizer": self.sanitizer, "verdict": self.verdict, "claimed": self.claimed, "delta": self.delta,
            "neighbors": self.relation.value, "record": self.record, "runs": self.runs,
            "bound": {
                "low": bound.low, "level": bound.level, "event": bound.event, "often": bound.often,
                "rarely": bound.rarely, "judged": bound.judged,
            },
            "power": self.power, "gap": estimated(self.gap), "most_gap": self.most_gap, "notes": list(self.notes),
        }  # fmt: skip
        return document_text(document)

    def _facts(self) -> str:
        low, runs = numeral(self.bound.low, ".3g"), numeral(self.runs)
        return text("{sanitizer}: at least {low} in {runs} runs", sanitizer=self.sanitizer, low=low, runs=runs)

    def _table(self) -> pa.Table:
        return pa.Table.from_pylist(
            [
                {
                    "sanitizer": self.sanitizer, "verdict": self.verdict, "claimed": self.claimed,
                    "low": self.bound.low, "runs": self.runs, "gap": self.gap.value,
                }
            ]
        )  # fmt: skip


@public
@in_one_order
def dp_audit(  # noqa: PLR0913 - the options of the command line
    data: Source,
    name: str,
    *,
    set: Settings | None = None,  # noqa: A002 - the option's name
    runs: int | None = None,
    record: int | None = None,
    seed: int | None = None,
    roles: Roles | str | Path | None = None,
    table: str | None = None,
    quasi: str | Iterable[str] = (),
    sensitive: str | Iterable[str] = (),
    identifier: str | Iterable[str] = (),
    insensitive: str | Iterable[str] = (),
    person_key: str | None = None,
    household: str | None = None,
    weight: str | None = None,
    rest: str | None = None,
    hierarchy: Assignments = (),
    order: Assignments = (),
    bins: Assignments = (),
    level: Assignments = (),
    cells: Assignments = (),
    harmless: Assignments = (),
    missing: str | Iterable[str] = (),
    missing_policy: str | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
    skip_lines: int | None = None,
    sheet: str | None = None,
) -> AuditedEpsilon:
    """Test the ε that a sanitizer claims, by many releases of a table and of one without a person's record.

    An event that is frequent with the record and rare without it refutes every smaller ε: a true claim is refuted with
    a probability of at most 5 %. What is not refuted is not proved.

    Parameters
    ----------
    data
        Table to publish.
    name
        Sanitizer, by name, as `unmask list sanitizers` prints it.
    runs
        Number of releases of each table, at least 20; 1,000 by default.
    record
        Row of the table, from 0, whose person is in it or not. By default one whose quasi-identifiers are rarest.

    Fails
        With `InvalidInputError` for unknown names, parameters or rows, with `InfeasibleError` where no table meets the
        model.
    """
    notes = Notes()
    name = require_name(message("a sanitizer"), name, data, 'dp_audit(data, "noisy-counts")')
    sanitizer = catalog.build("sanitizers", name, set)
    runs = RUNS if runs is None else runs
    if runs < FEWEST:
        raise InvalidInputError(
            message("runs must be a whole number of at least {least}; got {runs}", least=FEWEST, runs=runs)
        )
    data = of_table(data, table)
    reader = Reader.of(
        roles, notes, beside=data,
        quasi=quasi, sensitive=sensitive, identifier=identifier, insensitive=insensitive, person_key=person_key,
        household=household, weight=weight, rest=rest, hierarchy=hierarchy, order=order, bins=bins, harmless=harmless,
        level=level, cells=cells,
        missing=missing, missing_policy=missing_policy, encoding=encoding, delimiter=delimiter, decimal=decimal,
        skip_lines=skip_lines, sheet=sheet,
    )  # fmt: skip
    _, people = table_for(sanitizer, reader_for(sanitizer, reader), data)
    seed = seed_of(seed, notes)
    row = _rarest(people) if record is None else _row(people, record)
    example = published(sanitizer, people, stream(seed, "dp-audit", "example")).release
    declared = example.provenance
    relation = declared.relation or Relation.of("replace", Unit.of(people.person_of))
    other = neighbor(people, row, relation.change, stream(seed, "dp-audit", "neighbor"))
    scores = RecordScores.of(people, row, other)
    bound = audit_neighbors(
        (people, other), [sanitizer], lambda releases: scores(releases[0]),
        runs=runs, delta=declared.delta or 0.0, names=scores.names, rng=stream(seed, "dp-audit", "runs"),
    )  # fmt: skip
    claimed = declared.epsilon
    called = " ".join((name, *(f"{key}={value}" for key, value in sorted((set or {}).items()))))
    return AuditedEpsilon(
        called, claimed, declared.delta or 0.0, relation, row, runs, bound,
        None if not claimed else power_against_halved_noise(claimed, runs, change=relation.change),
        _gap(people, sanitizer, row, min(runs, GAP_RUNS), relation, seed),
        None if claimed is None else math.tanh(claimed / 2), notes.texts,
    )  # fmt: skip


def _rarest(table: Table) -> int:
    """Return a row whose quasi-identifiers the fewest people have; of several the first."""
    number, profiles = table.visible(None).profiles()
    people = np.bincount(number, minlength=profiles.n_rows)[number]
    people[table.excluded()] = people.max(initial=0) + 1
    return int(people.argmin())


def _row(table: Table, record: int) -> int:
    if not 0 <= record < table.n_rows:
        last = table.n_rows - 1
        raise InvalidInputError(
            message("record must be a row of the table, from 0 to {last}; got {record}", last=last, record=record)
        )
    return record


def _gap(
    table: Table,
    sanitizer: Any,  # noqa: ANN401 - any sanitizer
    row: int,
    runs: int,
    relation: Relation,
    seed: int,
) -> Estimate:
    """Return how much more often an attacker guesses the record's value because it is in the table."""
    known = [a.name for a in table.schema.sensitive if not a.is_numeric and int(table[a.name][row]) >= 0]
    if not known:
        return Estimate.undefined(message("the record has no sensitive value"))
    why = ""
    for name in _ATTACKS:
        attack = catalog.build("attacks", name, {})
        try:
            tally = play(
                table, [sanitizer], attack, known[0], np.array([row]),
                runs=runs, neighbors=relation.change, rng=stream(seed, "dp-audit", "gap", name),
            )  # fmt: skip
        except NotApplicableError as error:
            why = str(error)
            continue
        return Gap().measure(tally)
    return Estimate.undefined(why)


__all__ = ["AuditedEpsilon", "dp_audit"]
