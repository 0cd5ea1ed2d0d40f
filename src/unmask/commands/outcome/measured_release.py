"""The outcome of `unmask.measure`: models on a release, as text and as JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import metadata
from typing import Any

import pyarrow as pa

from unmask.auditing.findings import ReleaseFacts
from unmask.auditing.published_columns import BrokenLimit, ColumnAudit
from unmask.commands.inputs.sampled_people import SampledPeople
from unmask.commands.outcome.exit_codes import BROKEN, DONE, NOT_DECIDED
from unmask.commands.outcome.population_risk import as_json, at_risk
from unmask.commands.outcome.population_summary import summary_lines
from unmask.commands.results import Report
from unmask.documents.document_text import document_text
from unmask.documents.estimates import Infinite
from unmask.documents.measurement import SCHEMA, MeasurementJson, ModelMeasureJson
from unmask.errors import InvalidInputError
from unmask.models.equivalence_classes import MissingAs as CountedAs
from unmask.models.privacy_model import parameters, titled
from unmask.models.release_assessment import Measured
from unmask.number_format import numeral
from unmask.report import columns as words
from unmask.report import leaks
from unmask.report.json import columns_json, leaks_json
from unmask.visible_text import joined
from unmask.wording import message, text


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """The measured value of one model, or the reason why it was not measured."""

    name: str
    measured: Measured | None
    why: str = ""
    required: str | None = None  # the limit, where one is required
    claimed: str | None = None  # the limit that the release claims, where none is required
    by_all: BrokenLimit | None = None  # the limit broken by unprotected columns

    @property
    def title(self) -> str:
        """The name, with the parameters that the number was computed with."""
        return self.name if self.measured is None else titled(self.measured.model)

    @property
    def broken(self) -> bool:
        """Whether a required limit is not met."""
        if self.measured is not None and self.measured.why:
            return False
        unmet = self.measured is None or not self.measured.holds or self.by_all is not None
        return self.required is not None and unmet


@dataclass(frozen=True, slots=True)
class EngineRun:
    """The engine that counted a table, and what it was asked."""

    name: str
    ladder: Mapping[int, float]  # size → people in groups of at most this size
    queries: tuple[tuple[str, str], ...]  # purpose and text of each, in order


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MeasuredRelease(Report):
    """The measured values of all models on a release, with notes for the user.

    The data frame has a line for each model; `value` is measured under the strict reading of missing values, and is
    null where it is undefined or was not measured.
    """

    facts: ReleaseFacts
    lines: tuple[Line, ...]
    notes: tuple[str, ...]
    columns: ColumnAudit
    people: SampledPeople | None = None  # population risk; None: unknown, with a note
    engine: EngineRun | None = None  # None: measured from the rows

    def at_risk(self) -> str:
        """Return the people at risk, by person key, else by line: a table of keys and numbers.

        Fails
            With `InvalidInputError` where the population risk is unknown.
        """
        if self.people is None:
            msg = message(
                "people at risk must have a population risk; it is not known. {notes}",
                notes=self.notes[-1] if self.notes else "",
            )
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
        return joined(_text(self))

    def to_json(self) -> str:
        """Return all numbers as a JSON document; undefined is null, infinite is the text "infinite"."""
        document: MeasurementJson = {
            "schema": SCHEMA,
            "version": metadata.version("unmask"),
            "release": self.facts.name,
            "groups": self.facts.n_groups,
            "unit": self.facts.unit,
            "people": self.facts.n_people,
            "rows": self.facts.n_people if self.facts.n_rows is None else self.facts.n_rows,
            "suppressed": self.facts.suppressed,
            "rows_are": self.facts.rows,
            "rows_declared": self.facts.rows_declared,
            "measures": [_entry(line) for line in self.lines],
            "published_columns": columns_json(self.columns),
            "leak_checks": None if self.facts.leaks is None else leaks_json(self.facts.leaks),
            "population_risk": None if self.people is None else as_json(self.people),
            "notes": list(self.notes),
        }
        if self.engine is not None:
            document["engine"] = {
                "name": self.engine.name,
                "in_small_groups": [{"size": size, "people": n} for size, n in self.engine.ladder.items()],
                "queries": [{"purpose": purpose, "text": text} for purpose, text in self.engine.queries],
            }
        return document_text(document)

    def _table(self) -> pa.Table:
        return pa.Table.from_pylist([_line(one) for one in self.lines], schema=_COLUMNS)

    def _facts(self) -> str:
        required = [line for line in self.lines if line.required is not None]
        size = text("{people} in {groups}", people=text(self.facts.people_text), groups=text(self.facts.groups_text))
        code = text("exit code {code}", code=self.exit_code)
        if required:
            met = sum(not line.broken for line in required)
            code = f"{text('{met} of {n} requirements met', met=met, n=len(required))}, {code}"
        return f"{self.facts.name}, {size}; {code}"


_COLUMNS = pa.schema(
    {
        "model": pa.string(),
        **dict.fromkeys(("value", "lenient", "people"), pa.float64()),
        "higher_is_safer": pa.bool_(),
        **dict.fromkeys(("required", "claimed"), pa.string()),
        "met": pa.bool_(),
        "why": pa.string(),
    }
)


def _line(line: Line) -> dict[str, Any]:
    """Return the line of a model in the data frame."""
    one = line.measured
    limited = line.required is not None or line.claimed is not None
    found: dict[str, Any] = {"model": line.title, "required": line.required, "claimed": line.claimed, "why": line.why}
    if one is None:
        return found | {"met": False if line.required is not None else None}
    return found | {
        "value": None if math.isnan(one.value) else one.value,
        "lenient": None if math.isnan(one.lenient.value) else one.lenient.value,
        "people": one.people, "higher_is_safer": one.model.higher_is_safer, "why": line.why or _why(one),
        "met": (not line.broken if line.required is not None else one.holds) if limited else None,
    }  # fmt: skip


def _text(found: MeasuredRelease) -> Iterator[str]:
    facts = found.facts
    size = {"release": facts.name, "people": text(facts.people_text), "groups": text(facts.groups_text)}
    if facts.suppressed_text:
        suppressed = text(facts.suppressed_text)
        yield text("{release}: {people} in {groups}, {suppressed} suppressed", suppressed=suppressed, **size)
    else:
        yield text("{release}: {people} in {groups}", **size)
    worst = text("{people} in worst", people=text(facts.unit))
    heads = (f"{text('model'):18}", f"{text('value'):>12}", f"{text('lenient'):>12}", f"{worst:>17}")
    yield f"  {''.join(heads)}  {text('safer'):7} {text('required')}"
    for line in found.lines:
        if line.measured is None:
            yield f"  {line.name:18}{'–':>12}  {text(line.why)}"
            continue
        one = line.measured
        lenient = _number(one.lenient.value) if one.differs else ""
        direction = text("higher" if one.model.higher_is_safer else "lower")
        limit = (
            text("claims {claimed}", claimed=line.claimed) if line.required is None and line.claimed else line.required
        )
        held = text("not decided") if one.why else text("met" if one.holds else "NOT MET")
        verdict = "" if limit is None else f"{text(limit)}: {held}"
        values = f"{_number(one.value):>12}{lenient:>12}{text(numeral(one.people, ',.0f')):>17}"
        yield f"  {line.title:18}{values}  {direction:7} {verdict}".rstrip()
    if any(line.measured is not None and line.measured.differs for line in found.lines):
        yield text(
            "  lenient: what is missing or suppressed matches everything; the value beside it is strict, and gates."
        )
    yield from dict.fromkeys(
        f"  {text(line.measured.why)}" for line in found.lines if line.measured and line.measured.why
    )
    if facts.assumption and facts.rows == "people":
        yield text(
            "  k, max-risk, average-risk, uniqueness, k-map and delta-presence: {assumption}.",
            assumption=text(facts.assumption),
        )
    unknown = max((one.people for one in _of_values(found) if math.isnan(one.value)), default=0.0)
    if unknown:
        who = facts.unit.counted(unknown)
        yield text("  undefined: {who} in groups without a known value; these meet no limit.", who=who)
    yield from _of_columns(found)
    if facts.leaks is not None:
        yield from (f"  {sentence}" for sentence in leaks.with_ways_out(facts.leaks))
    if found.engine is not None:
        rungs = ", ".join(f"{size}: {text(numeral(n, ',.0f'))}" for size, n in found.engine.ladder.items())
        yield text("  {unit} in groups of at most {rungs}", unit=text(facts.unit), rungs=rungs)
        yield text(
            "  counted by {engine} in {n} queries, which --json lists",
            engine=found.engine.name,
            n=len(found.engine.queries),
        )
    if found.people is not None:
        yield ""
        yield from summary_lines(found.people)


def _of_columns(found: MeasuredRelease) -> Iterator[str]:
    """Yield lines about all published columns, and their effect on the requirements."""
    columns = found.columns
    if sentence := words.by_all(columns):
        yield f"  {sentence}"
    for one in columns.broken:
        yield text("  by all published columns NOT MET: {one}", one=text(one.text))
    for fault in words.faults(columns):
        yield f"  {fault}"
    for sentence in words.way_out(columns, option=True):
        yield f"  {text('NOT DECIDED: ') if found.exit_code == NOT_DECIDED else ''}{sentence}"
    yield from (f"  {sentence}" for sentence in words.passed_over(columns))


def _of_values(found: MeasuredRelease) -> Iterator[Measured]:
    """Yield the measured values of models of sensitive attributes."""
    for line in found.lines:
        if line.measured is not None and line.measured.by_attribute:
            yield line.measured


def _number(value: float) -> str:
    if math.isnan(value):
        return text("undefined")
    return text("infinite") if math.isinf(value) else text(numeral(value, ".4g"))


def _entry(line: Line) -> ModelMeasureJson:
    entry: ModelMeasureJson = {"model": line.name, "measured": line.measured is not None, "why": line.why}
    if line.measured is not None:
        one = line.measured
        entry["why"] = line.why or _why(one)
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


def _why(one: Measured) -> str:
    """Return why a measured value is undefined; empty where it is not."""
    if one.why or not math.isnan(one.value):
        return one.why
    return message("the groups with the worst value have no known sensitive value")


def _plain(value: float) -> float | Infinite | None:
    if math.isnan(value):
        return None
    return "infinite" if math.isinf(value) else value
