"""The population risk of people in words: lines for the terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from unmask.commands.inputs.sampled_people import SampledPeople
from unmask.estimate import Estimate
from unmask.number_format import numeral
from unmask.population.assessment import PopulationRisk
from unmask.population.attackers import RiskOfPeople
from unmask.population.dankar import FEW, Model
from unmask.risk_levels import SMALLEST_GROUPS
from unmask.unit import Unit
from unmask.wording import Message, message, text

FIRM = 0.1
"""The DIS above which special uniques are counted."""

_MOST_NAMED = 4  # attributes in the first line
_WIDTH = 104  # characters of a line


def summary_lines(people: SampledPeople) -> Iterator[str]:
    """Yield the lines of a summary of the population risk."""
    risk, unit = people.risk, people.unit
    names = ", ".join(people.attributes[:_MOST_NAMED])
    if more := people.attributes[_MOST_NAMED:]:
        names = text("{names} and {n} more", names=names, n=len(more))
    yield text(
        "How surely {people} could be found by {attributes} (higher is worse)",
        people=unit.counted(risk.n),
        attributes=names,
    )
    above = text("{unit} above", unit=message(unit))
    head = f"  {text('an intruder who'):34}{text('at most'):>9}{text('mean'):>9}{above:>14} "
    yield head + "".join(f"{rung:>8}" for rung in SMALLEST_GROUPS)
    yield _line(text("knows who is in it (prosecutor)"), risk.prosecutor)
    if risk.known_by:
        yield from _of_population(risk, unit)
    else:
        unknown = text(
            "journalist, marketer, people unique in the population: not known, which is not zero. Say what share of "
            "the population this is: --sampled 10%, a --weight column, or --population FILE"
        )
        yield from textwrap.wrap(
            unknown, _WIDTH, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False
        )  # fmt: skip
    if risk.households is not None:
        yield _line(text("finds any person of the household*"), risk.households.largest)
        yield _line(f"  {text('if members are found one by one')}", risk.households.any_member)
        yield f"  * {text('the largest risk of its members; below it, 1 - product of (1 - risk)')}"
    yield from (f"  {line}" for line in (*_alone(risk, unit), *_special(risk, unit)))


def _line(who: str, risk: RiskOfPeople) -> str:
    counts = "".join(f"{_number(risk.above[rung].value or 0, ',.0f'):>8}" for rung in SMALLEST_GROUPS.values())
    highest, average = (_number(one.value or 0, ".3g") for one in (risk.highest, risk.average))
    return f"  {who:34}{highest:>9}{average:>9}{'':15}{counts}"


def _of_population(risk: PopulationRisk, unit: Unit) -> Iterator[str]:
    yield _line(text("knows the population (journalist)"), risk.journalist)
    expected = risk.journalist.expected.value or 0.0
    tries = text(
        "tries all people (marketer): {people} would be identified correctly, {share}",
        people=unit.counted(round(expected)),
        share=numeral(expected / max(risk.n, 1), ".2%"),
    )
    yield f"  {tries}"
    size = numeral(risk.population_size.value or 0.0, ",.0f")
    yield f"  {text('population: {n} people; who looks alike there: {how}', n=size, how=risk.known_by)}"


def _alone(risk: PopulationRisk, unit: Unit) -> Iterator[str]:
    unique = risk.uniqueness
    yield text("alone in the file: {people}", people=_of(unique.sample, unit))
    if unique.also_there.value is not None:
        yield text("alone in the file and in the population: {people}, counted", people=_of(unique.also_there, unit))
    if unique.counted is not None:
        yield text("alone in the population: {people}, counted", people=_of(unique.counted, unit))
    elif unique.believed is not None:
        yield from _estimated(risk, unique.believed)


def _estimated(risk: PopulationRisk, believed: Model) -> Iterator[str]:
    """Yield the estimate of people unique in the population that Dankar's rule chooses, and the others."""
    unique, size = risk.uniqueness, risk.population_size.value or 1.0
    alone = unique.value.value or 0.0
    yield text(
        "alone in the population: about {n} people ({share}) by {model}",
        n=numeral(alone, ",.0f"),
        share=numeral(alone / size, ".2%"),
        model=believed,
    )
    few = numeral(FEW, ".0%")
    if risk.n / size <= FEW:
        why = text("chosen by Dankar's rule: {share} or less was drawn", share=few)
    else:
        why = text("chosen by Dankar's rule: the smaller, as more than {share} was drawn", share=few)
    yield f"  {why}"
    others = [f"{name} {_estimate(one)}" for name, one in unique.estimates.items() if name != believed]
    yield f"  {text('others: {others}', others=', '.join(others))}"
    mixture = unique.mixture
    if mixture.value is not None and mixture.low is not None and mixture.high is not None:
        found = {
            "name": "poisson-mixture",
            **{name: numeral(getattr(mixture, name), ",.0f") for name in ("value", "low", "high")},
        }
        if unique.doubtful:
            verdict = text(
                "{name} {value} (95 %: {low} to {high}) DISAGREES by more than a fifth: take it as an order of "
                "magnitude",
                **found,
            )
        else:
            verdict = text("{name} {value} (95 %: {low} to {high}) agrees", **found)
        yield f"  {verdict}"
    if unique.copula.value is not None:
        depend = text(
            "{name} {value}, from how the attributes depend on each other",
            name="copula",
            value=numeral(unique.copula.value, ",.0f"),
        )
        yield f"  {depend}"


def _special(risk: PopulationRisk, unit: Unit) -> Iterator[str]:
    if risk.special is None:
        yield text(
            "special uniques (SUDA2): not searched, which is not zero: too many are alone with so many attributes"
        )
        return
    scores = risk.scores_of_key
    if not (scores > 0).any():
        return
    yield text(
        "special uniques (SUDA2, {m} attributes): {people}, highest score {score}; {few} with DIS above {firm}",
        m=len(risk.special.attributes),
        people=unit.counted(risk.people(scores > 0)),
        score=numeral(scores.max(), ",.0f"),
        few=numeral(risk.people(risk.disclosure_of_key > FIRM)),
        firm=numeral(FIRM, "g"),
    )
    parts = sorted(risk.special.contribution().items(), key=lambda item: -item[1])[:5]
    rest = ", ".join(f"{name} {_number(part, '.0%')}" for name, part in parts)
    yield f"  {text('they rest on {attributes}', attributes=rest)}"


def _of(one: Estimate, unit: Unit) -> Message:
    share = numeral((one.value or 0) / max(one.n, 1), ".2%")
    return message(
        "{n} of {people} ({share})", n=numeral(one.value or 0, ",.0f"), people=unit.counted(one.n), share=share
    )  # fmt: skip


def _estimate(one: Estimate) -> str:
    return text("undefined") if one.value is None else _number(one.value, ",.0f")


def _number(value: float, form: str) -> str:
    return text(numeral(value, form))
