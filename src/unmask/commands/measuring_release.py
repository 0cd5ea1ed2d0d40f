"""`unmask.measure`: every privacy model on a release made by anyone."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from unmask import catalog
from unmask.commands.column_limits import Asked, columns_within
from unmask.commands.exit_codes import BROKEN, DONE, NOT_DECIDED
from unmask.commands.inputs.counting_notes import counted_by
from unmask.commands.inputs.limits import Requirement
from unmask.commands.inputs.parameters import public
from unmask.commands.inputs.reader import Reader
from unmask.commands.inputs.reading_options import Source
from unmask.commands.inputs.sampled_people import SampledPeople, as_json, at_risk, people_sampled, told
from unmask.commands.notes import Notes
from unmask.commands.published_columns import require_columns
from unmask.errors import InvalidInputError
from unmask.files.databases.dsn import of_table
from unmask.files.roles import Assignments, Roles
from unmask.findings import ReleaseFacts
from unmask.lookalikes import Reading as CountedAs
from unmask.modeling import Measured, measure_all
from unmask.privacy_model import AnyModel, PopulationModel, limit_text, parameters, titled
from unmask.published_columns import BrokenLimit, ColumnAudit
from unmask.release import Release
from unmask.report import columns as words
from unmask.report.json import columns_json
from unmask.summation import in_one_order
from unmask.table import Table

_ASKED = ("person_key", "household", "weight")  # who names such a column wants to know what it changes


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """One model on the release: what was measured, or why nothing was."""

    name: str
    measured: Measured | None
    why: str = ""
    required: str | None = None  # the limit, where one was asked for
    claimed: str | None = None  # the limit, where the release claims one and none was asked for
    by_all: BrokenLimit | None = None  # how it is broken where unprotected columns count as known

    @property
    def title(self) -> str:
        """The name, with the parameters that the number was computed with."""
        return self.name if self.measured is None else titled(self.measured.model)

    @property
    def broken(self) -> bool:
        """Say whether a limit was asked for and is not met."""
        if self.measured is not None and self.measured.why:
            return False
        unmet = self.measured is None or not self.measured.holds or self.by_all is not None
        return self.required is not None and unmet


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredRelease:
    """All models on a release, and what to tell the user."""

    facts: ReleaseFacts
    lines: tuple[Line, ...]
    notes: tuple[str, ...]
    columns: ColumnAudit
    people: SampledPeople | None = None  # how surely they could be found; None: that could not be said, a note says why

    def at_risk(self) -> str:
        """Write who is easily found, by person key, else by line: a table of keys and numbers.

        Fails
            With `InvalidInputError` where population risk could not be told.
        """
        if self.people is None:
            msg = f"people at risk must have a population risk; it is not known. {self.notes[-1] if self.notes else ''}"
            raise InvalidInputError(msg.strip())
        return at_risk(self.people)

    @property
    def exit_code(self) -> int:
        """1 where a required model is not met, 4 where one is required beside an open finding, else 0."""
        if any(line.broken for line in self.lines):
            return BROKEN
        required = [line for line in self.lines if line.required is not None]
        undefined = any(line.measured is not None and line.measured.why for line in required)
        return NOT_DECIDED if undefined or (required and self.columns.open) else DONE

    def __str__(self) -> str:
        return "\n".join(_text(self))

    def to_json(self) -> str:
        """Write all numbers; undefined is null, infinite is the text "infinite"."""
        document = {
            "schema": "unmask-measure/1",
            "release": self.facts.name,
            "groups": self.facts.n_groups,
            "unit": str(self.facts.unit),
            "people": self.facts.n_people,
            "rows": self.facts.n_people if self.facts.n_rows is None else self.facts.n_rows,
            "suppressed": self.facts.suppressed,
            "rows_are": self.facts.rows,
            "rows_declared": self.facts.rows_declared,
            "measures": [_entry(line) for line in self.lines],
            "published_columns": columns_json(self.columns),
            "population_risk": None if self.people is None else as_json(self.people),
            "notes": list(self.notes),
        }
        return json.dumps(document, indent=1, allow_nan=False) + "\n"


@public
@in_one_order
def measure(  # noqa: PLR0913 - the options of the command line
    source: Source,
    *,
    require: Iterable[str] = (),
    ignore: str | Iterable[str] = (),
    population: Source | None = None,
    sampled: str | float | None = None,
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
    harmless: Assignments = (),
    missing: str | Iterable[str] = (),
    missing_policy: str | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
) -> MeasuredRelease:
    """Measure every privacy model on a release, and the re-identification risk in its population.

    Models are measured under the strict and the lenient reading of missing values.

    Parameters
    ----------
    source
        Release: a release folder, a table, `QIT.csv,ST.csv`, or a data frame.
    require
        Limits, each MODEL=VALUE: `["k=5", "t=hierarchical:0.3"]`. They must also hold where columns that no model
        counts are known to the attacker, except those in `ignore`.
    sampled
        Share of the population that is in the release: `0.1`, `"10%"`, or `"30162/317238626"`.

    Fails
        With `InvalidInputError` where the release cannot be read or a requirement names no model.
    """
    notes = Notes()
    source = of_table(source, table)
    reader = Reader.of(
        roles, notes,
        quasi=quasi, sensitive=sensitive, identifier=identifier, insensitive=insensitive, person_key=person_key,
        household=household, weight=weight, rest=rest, hierarchy=hierarchy, order=order, bins=bins, harmless=harmless,
        missing=missing, missing_policy=missing_policy, encoding=encoding, delimiter=delimiter, decimal=decimal,
    )  # fmt: skip
    raw = None if population is None else reader.raw(population)
    (found,) = reader.releases([source], [] if raw is None else [raw])
    notes.add(*counted_by(found, reader.options))
    people = None if raw is None else reader.population(raw, [found])
    if found.release.masked.noise:
        notes.add("models count who shows the same, and nothing of what noise hides: unmask attack linkage tries that")
    demanded = [(one.name, one.model(found.release)) for one in map(Requirement.of, require)]
    passed_over = (ignore,) if isinstance(ignore, str) else tuple(ignore)
    require_columns(passed_over, [found])
    columns = columns_within(found, Asked(models=tuple(model for _, model in demanded), ignore=passed_over))
    by_all = {one.limit: one for one in columns.broken}
    claimed, lines = catalog.claimed_by(found.release), list[Line]()
    for name, entry in catalog.entries("models").items():
        wanted = [model for of, model in demanded if of == name]
        for model in wanted:
            line = _line(found.release, model, people, required=limit_text(model))
            lines.append(replace(line, by_all=by_all.get(titled(model))))
        if not wanted:
            model = claimed.get(name, cast("AnyModel", entry.examples[0]))
            claim = limit_text(model) if name in claimed else None
            lines.append(_line(found.release, model, people, claimed=claim))
    notes.add(
        *(
            f"the release claims {line.title} of {line.claimed}, which does not hold"
            for line in lines
            if line.claimed is not None and line.measured is not None and not line.measured.holds
        )
    )
    try:
        sample = people_sampled(reader, source, found, sampled=sampled, population=raw, fits=people)
        notes.add(*(f"population risk: {text}" for text in sample.risk.notes))
    except InvalidInputError as error:
        if sampled is not None or raw is not None or any(reader.options.get(role) is not None for role in _ASKED):
            raise
        sample = None
        notes.add(f"population risk could not be told: {error}")
    facts = replace(ReleaseFacts.of(found.release), rows_declared=found.rows_declared)
    return MeasuredRelease(facts, tuple(lines), notes.texts, columns, sample)


def _line(
    release: Release,
    model: AnyModel,
    people: Table | None,
    *,
    required: str | None = None,
    claimed: str | None = None,
) -> Line:
    name, wanted = model.name, required is not None
    if isinstance(model, PopulationModel) and people is None and not wanted:
        return Line(name, None, "needs --population")
    if model.needs_values and not release.counts and not wanted:
        return Line(name, None, "needs a sensitive column: -s COLUMN")
    try:
        return Line(name, measure_all(release, (model,), population=people)[0], "", required, claimed)
    except InvalidInputError as error:
        if wanted:
            raise
        return Line(name, None, str(error).split(";", maxsplit=1)[0], claimed=claimed)


def _text(found: MeasuredRelease) -> Iterator[str]:
    facts = found.facts
    gone = f", {facts.said_gone} suppressed" if facts.said_gone else ""
    yield f"{facts.name}: {facts.said} in {facts.said_groups}{gone}"
    yield f"  {'model':18}{'value':>12}{'lenient':>12}{f'{facts.unit} in worst':>17}  {'safer':7} required"
    for line in found.lines:
        if line.measured is None:
            yield f"  {line.name:18}{'–':>12}  {line.why}"
            continue
        one = line.measured
        lenient = _number(one.lenient.value) if one.differs else ""
        direction = "higher" if one.model.higher_is_safer else "lower"
        limit = f"claims {line.claimed}" if line.required is None and line.claimed else line.required
        held = "not decided" if one.why else "met" if one.holds else "NOT MET"
        verdict = "" if limit is None else f"{limit}: {held}"
        values = f"{_number(one.value):>12}{lenient:>12}{one.people:>17,.0f}"
        yield f"  {line.title:18}{values}  {direction:7} {verdict}".rstrip()
    if any(line.measured is not None and line.measured.differs for line in found.lines):
        yield "  lenient: what is missing or suppressed matches everything; the value beside it is strict, and gates."
    yield from dict.fromkeys(f"  {line.measured.why}" for line in found.lines if line.measured and line.measured.why)
    if facts.assumption and facts.rows == "people":
        yield f"  k, max-risk, average-risk, uniqueness, k-map and delta-presence: {facts.assumption}."
    unknown = max((one.people for one in _of_values(found) if math.isnan(one.value)), default=0.0)
    if unknown:
        who = facts.unit.counted(unknown)
        yield f"  undefined: {who} in groups in which nobody's value is known; these meet no limit."
    yield from _of_columns(found)
    if found.people is not None:
        yield ""
        yield from told(found.people)


def _of_columns(found: MeasuredRelease) -> Iterator[str]:
    """Write what all published columns show, and what it does to the requirements."""
    columns = found.columns
    if sentence := words.by_all(columns):
        yield f"  {sentence}"
    for one in columns.broken:
        yield f"  by all published columns NOT MET: {one.text}"
    for fault in words.faults(columns):
        yield f"  {fault}"
    for sentence in words.way_out(columns, option=True):
        yield f"  {'NOT DECIDED: ' if found.exit_code == NOT_DECIDED else ''}{sentence}"
    yield from (f"  {sentence}" for sentence in words.passed_over(columns))


def _of_values(found: MeasuredRelease) -> Iterator[Measured]:
    """Go through what was measured of models that look at sensitive values."""
    for line in found.lines:
        if line.measured is not None and line.measured.by_attribute:
            yield line.measured


def _number(value: float) -> str:
    if math.isnan(value):
        return "undefined"
    return "infinite" if math.isinf(value) else f"{value:.4g}"


def _entry(line: Line) -> dict[str, Any]:
    entry: dict[str, Any] = {"model": line.name, "measured": line.measured is not None, "why": line.why}
    if line.measured is not None:
        one = line.measured
        entry["why"] = line.why or one.why
        entry |= {
            "value": _plain(one.value),
            "higher_is_safer": one.model.higher_is_safer,
            "people": one.people,
            "groups": one.strict.groups,
            "readings": {r.value: _plain(one.readings[r].value) for r in CountedAs},
            "parameters": parameters(one.model),
        }
        if line.claimed is not None:
            entry |= {"claimed": line.claimed, "claim_met": one.holds}
    if line.required is not None:
        entry |= {"required": line.required, "met": not line.broken}
    if line.by_all is not None:
        entry["by_all_columns"] = line.by_all.text
    return entry


def _plain(value: float) -> float | str | None:
    if math.isnan(value):
        return None
    return "infinite" if math.isinf(value) else value
