"""Population risk of what a command was given: which people, how the population is known, and saying it in words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from unmask.commands.inputs.reader import Reader
from unmask.commands.inputs.reading_options import Source
from unmask.errors import InvalidInputError
from unmask.estimate import Estimate
from unmask.files.databases.dsn import is_dsn
from unmask.files.keys import nameless
from unmask.files.likely_keys import unit_notes
from unmask.files.people import names_in
from unmask.files.published import ReadRelease
from unmask.files.raw import Raw
from unmask.population.assessment import PopulationRisk, population_risk
from unmask.population.attackers import RiskOfPeople
from unmask.population.dankar import FEW
from unmask.release import Release
from unmask.risk_levels import AT_RISK, SMALLEST_GROUPS
from unmask.rounding import TOLERANCE
from unmask.schema import Role
from unmask.separated import Rows
from unmask.table import Table
from unmask.unit import Unit

FIRM = 0.1
"""From which DIS on special uniques are counted on the screen."""

EXTRA = (Role.PERSON_KEY, Role.HOUSEHOLD, Role.WEIGHT)


@dataclass(frozen=True, slots=True, eq=False)
class SampledPeople:
    """The population risk of the people of a table or release, and what they are called."""

    risk: PopulationRisk
    attributes: tuple[str, ...]
    names: tuple[str, ...]  # (rows,) person keys, else lines from 0
    unit: Unit = Unit.PEOPLE


def share_of(text: str | float) -> float:
    """Read the share of the population that a file is: 0.1, 10% or 30162/317238626.

    Fails
        With `InvalidInputError` unless it lies above 0 and is at most 1.
    """
    written = str(text).strip()
    try:
        if "/" in written:
            over, under = written.split("/")
            share = float(over) / float(under)
        else:
            share = float(written.removesuffix("%")) / (100 if written.endswith("%") else 1)
    except (ValueError, ZeroDivisionError):
        share = float("nan")
    if not 0 < share <= 1:
        msg = (
            f"--sampled must be the share of the population that is in the file, above 0, at most 1; got {written!r}. "
            f"Write 0.1, 10% or PEOPLE/POPULATION, as in 30162/317238626"
        )
        raise InvalidInputError(msg)
    return share


def people_sampled(
    reader: Reader, source: Source, read: ReadRelease, *,
    sampled: str | float | None, population: Raw | None, fits: Table | None,
) -> SampledPeople:  # fmt: skip
    """Estimate the population risk of a raw table's people, or of those whom a release shows.

    `population` is the raw table of the population, and `fits` what it says of people in the release's terms.
    """
    roles, notes = reader.roles, reader.notes
    share = None if sampled is None else share_of(sampled)
    if share is not None and population is not None:
        msg = (
            "--sampled must not come with --population, which tells how many people there are; got both. Leave one out"
        )
        raise InvalidInputError(msg)
    release = read.release
    if isinstance(source, Release) or not (release.masked.is_exact and _is_one_table(source)) or release.starred.any():
        declared = [role for role in EXTRA if roles.having(role)]
        if declared:
            what = " or ".join(str(role) for role in declared)
            notes.add(
                f"population risk: a {what} column changes nothing for a generalized release, only for a raw table"
            )
        found = population_risk(release, sampled=share, population=fits)
        line = np.empty(release.n_rows, np.int64)
        line[read.row_of] = np.arange(read.row_of.size)
        line = line[~release.starred[release.group_of_row]]  # whoever is suppressed is not among these people
        names = tuple(map(str, line.tolist())) if line.size == found.risk.size else ()
        return SampledPeople(found, tuple(a.name for a in release.schema.quasi), names, release.unit)
    silent = reader.silent()  # the release was read from the same table, and its notes were added then
    raw = silent.raw(source)
    table = silent.table(raw, (Role.QUASI_IDENTIFIER,))
    notes.add(*unit_notes(raw, roles))
    notes.add(*(note for name in roles.having(Role.HOUSEHOLD)
                for note in nameless(name, raw[name], Role.HOUSEHOLD)))  # fmt: skip
    outside = None
    if population is not None:
        quasi = {name: roles.of_column(name) for name in roles.having(Role.QUASI_IDENTIFIER)}
        keys = {name: roles.of_column(name) for name in roles.having(Role.PERSON_KEY) if name in population.columns}
        as_declared = roles.model_copy(update={"columns": quasi | keys})
        outside = replace(silent, roles=as_declared).table(population, (Role.QUASI_IDENTIFIER,))
        notes.add(*(f"{population.name}: {text}" for text in population.notes))
    found = population_risk(table, sampled=share, population=outside)
    keyed = roles.having(Role.PERSON_KEY)
    names = names_in(raw[keyed[0]]) if keyed else tuple(map(str, range(table.n_rows)))
    unit = Unit.of(table.person_of)
    return SampledPeople(found, tuple(a.name for a in table.schema.quasi), names, unit)


def _is_one_table(source: Source) -> bool:
    """Say whether a source is a table, not a folder or the two tables of Anatomy."""
    return not isinstance(source, (str, Path)) or is_dsn(source) or Path(source).is_file()


def at_risk(people: SampledPeople) -> str:
    """Write who is easily found, worst first: keys and numbers, never what is known of them."""
    risk = people.risk
    if len(people.names) != risk.alone.size:
        msg = "people at risk must be rows that can be named; this release publishes groups without rows"
        raise InvalidInputError(msg)
    alone, found, scores, disclosure = map(risk.worst, (risk.alone, risk.risk, risk.scores, risk.disclosure))
    listed = np.flatnonzero(alone > AT_RISK * (1 + TOLERANCE))
    order = listed[np.lexsort((listed, -scores[listed], -found[listed], -alone[listed]))]
    kept = np.flatnonzero(risk.person >= 0)
    row_of = kept[np.unique(risk.person[kept], return_index=True)[1]]  # of each person, the first
    rows = Rows(["person", "prosecutor", "journalist", "suda2", "dis"])
    known = bool(risk.known_by)
    for person in order.tolist():
        journalist = f"{found[person]:.6g}" if known else ""
        special = ("", "") if risk.special is None else (f"{scores[person]:g}", f"{disclosure[person]:.6g}")
        numbers = (f"{alone[person]:.6g}", journalist, *special)
        rows.add([people.names[row_of[person]], *numbers])
    return rows.text


def told(people: SampledPeople) -> Iterator[str]:
    """Say in words how surely these people could be found."""
    risk = people.risk
    shown = ", ".join(people.attributes[:4]) + (
        f" and {len(people.attributes) - 4} more" if people.attributes[4:] else ""
    )
    unit = people.unit
    yield f"How surely {unit.counted(risk.n)} could be found by {shown} (higher is worse)"
    yield f"  {'an intruder who':34}{'at most':>9}{'mean':>9}{f'{unit} above':>14} " + "".join(
        f"{r:>8}" for r in SMALLEST_GROUPS
    )
    yield _line("knows who is in it (prosecutor)", risk.prosecutor)
    if risk.known_by:
        yield _line("knows the population (journalist)", risk.journalist)
        expected = risk.journalist.expected.value or 0.0
        share = expected / max(risk.n, 1)
        yield f"  tries everybody (marketer): {unit.counted(expected)} would be named rightly, {share:.2%}"
        yield f"  population: {risk.population_size.value:,.0f} people; who looks alike there: {risk.known_by}"
    else:
        yield "  journalist, marketer, people unique in the population: not known, which is not zero. Say what share of"
        yield "  the population this is: --sampled 10%, a --weight column, or --population FILE"
    if risk.households is not None:
        yield _line("finds anybody of the household*", risk.households.largest)
        yield _line("  if members are found one by one", risk.households.any_member)
        yield "  * the largest risk of its members; below it, 1 - product of (1 - risk)"
    yield from _alone(risk, unit)
    yield from _special(risk, unit)


def _line(who: str, risk: RiskOfPeople) -> str:
    counts = "".join(f"{risk.above[rung].value or 0:>8,.0f}" for rung in SMALLEST_GROUPS.values())
    return f"  {who:34}{risk.highest.value or 0:>9.3g}{risk.average.value or 0:>9.3g}{'':15}{counts}"


def _alone(risk: PopulationRisk, unit: Unit) -> Iterator[str]:
    unique = risk.uniqueness
    yield f"  alone in the file: {_of(unique.sample, unit)}"
    if unique.also_there.value is not None:
        yield f"  alone in the file and in the population: {_of(unique.also_there, unit)}, counted"
    if unique.counted is not None:
        yield f"  alone in the population: {_of(unique.counted, unit)}, counted"
    elif unique.believed is not None:
        size = risk.population_size.value or 1.0
        share = risk.n / size
        why = f"{FEW:.0%} or less was drawn" if share <= FEW else f"the smaller, as more than {FEW:.0%} was drawn"
        yield f"  alone in the population: about {_part(unique.value, size)} by {unique.believed}"
        yield f"    chosen by Dankar's rule: {why}"
        others = [f"{name} {_number(one)}" for name, one in unique.estimates.items() if name != unique.believed]
        yield f"    others: {', '.join(others)}"
        mixture = unique.mixture
        if mixture.value is not None and mixture.low is not None:
            span = f"{mixture.low:,.0f} to {mixture.high:,.0f}"
            verdict = (
                "DISAGREES by more than a fifth: take it as an order of magnitude" if unique.doubtful else "agrees"
            )
            yield f"    poisson-mixture {mixture.value:,.0f} (95 %: {span}) {verdict}"


def _special(risk: PopulationRisk, unit: Unit) -> Iterator[str]:
    if risk.special is None:
        yield "  special uniques (SUDA2): not searched, which is not zero: too many are alone with so many attributes"
        return
    if not (risk.scores > 0).any():
        return
    m = len(risk.special.attributes)
    few = risk.people(risk.disclosure > FIRM)
    parts = sorted(risk.special.contribution().items(), key=lambda item: -item[1])[:5]
    yield (
        f"  special uniques (SUDA2, {m} attributes): {unit.counted(risk.people(risk.scores > 0))}, highest score "
        f"{risk.scores.max():,.0f}; {few:,} with DIS above {FIRM:g}"
    )
    yield "    they rest on " + ", ".join(f"{name} {part:.0%}" for name, part in parts)


def _of(one: Estimate, unit: Unit) -> str:
    return f"{one.value:,.0f} of {unit.counted(one.n)} ({(one.value or 0) / max(one.n, 1):.2%})"


def _part(one: Estimate, size: float) -> str:
    return f"{one.value:,.0f} people ({(one.value or 0) / size:.2%})"


def _number(one: Estimate) -> str:
    return "undefined" if one.value is None else f"{one.value:,.0f}"


def as_json(people: SampledPeople) -> dict[str, Any]:
    """Return all numbers but those of single people; undefined is null and says why."""
    risk, unique = people.risk, people.risk.uniqueness
    households = risk.households
    known = bool(risk.known_by)
    return {
        "attributes": list(people.attributes),
        "unit": str(people.unit),
        "people": risk.n,
        "population": _json(risk.population_size),
        "known_by": risk.known_by or None,
        "prosecutor": _risks(risk.prosecutor),
        "journalist": _risks(risk.journalist) if known else None,
        "marketer": _json(risk.marketer) if known else None,
        "households": None if households is None else {
            "households": int(households.each.members.size),
            "largest": _risks(households.largest),
            "any_member": _risks(households.any_member),
        },
        "uniqueness": {
            "sample": _json(unique.sample),
            "sample_and_population": _json(unique.also_there),
            "counted": None if unique.counted is None else _json(unique.counted),
            **{name.replace("-", "_"): _json(one) for name, one in unique.estimates.items()},
            "poisson_mixture": _json(unique.mixture),
            "believed": unique.believed,
            "doubtful": unique.doubtful,
        },
        "suda2": None if risk.special is None else {
            "people": risk.people(risk.scores > 0),
            "highest_score": float(risk.scores.max(initial=0.0)),
            "dis_above": [{"dis": cut, "people": risk.people(risk.disclosure > cut)} for cut in (0.01, 0.1, 0.2, 0.5)],
            "contribution": risk.special.contribution(),
        },
        "notes": list(risk.notes),
    }  # fmt: skip


def _risks(risk: RiskOfPeople) -> dict[str, Any]:
    return {
        "highest": _json(risk.highest),
        "average": _json(risk.average),
        "expected": _json(risk.expected),
        "at_highest": _json(risk.at_highest),
        "above": [{"risk": name, "people": risk.above[rung].value} for name, rung in SMALLEST_GROUPS.items()],
    }


def _json(one: Estimate) -> dict[str, Any]:
    return {"value": one.value, "low": one.low, "high": one.high, "of": one.n, "source": one.source, "why": one.why}
