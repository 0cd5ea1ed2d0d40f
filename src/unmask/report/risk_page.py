"""The disclosure risk as a page with one chart: the risk against the number of attributes disclosed."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from importlib import metadata

from unmask.decision_risk.assessment import DisclosureAssessment
from unmask.decision_risk.risk_distribution import RiskDistribution
from unmask.report.blocks import ReportTable, Row, Section, SectionPart, TableCell, texts
from unmask.report.glossary import DISCLOSURE, entries
from unmask.report.html import css, environment
from unmask.report.numbers import count, of_all, percent
from unmask.report.risk import (
    CHANCE,
    HARM,
    bayes_average,
    choices,
    dictionary_name,
    drawn,
    grown,
    lower_bound,
    number,
    riskiest,
    title,
    unknown_side,
    worth_drawing,
)
from unmask.report.risk_curve import curve
from unmask.report.words import capitalized
from unmask.wording import text

LARGER = (2, 10, 100)
"""So many times as large other dictionaries are, for which the risk is expected."""


def to_html(found: DisclosureAssessment, *, weighted: bool = True, context: Sequence[str] = ()) -> str:
    """Return a self-contained page, without records."""
    return (
        environment()
        .get_template("page.html.j2")
        .render(
            kind=text("Risk of a disclosure"),
            title=title(found),
            context=[
                text("Risk: {meaning}.", meaning=text(HARM if weighted else CHANCE)),
                *(sentence(note, found.names) for note in context),
            ],
            version=metadata.version("unmask"),
            css=css(),
            sections=list(_sections(found)),
            glossary=entries(DISCLOSURE),
            seed=None,
            closing=text("An intruder with another dictionary, or who compares otherwise, may find other people."),
        )
    )


def _sections(found: DisclosureAssessment) -> Iterator[Section]:
    yield Section(
        "now", text("What it costs as it is"), parts=(SectionPart(tables=(_dictionaries(found), _burdens(found))),)
    )
    yield Section("attributes", text("What each attribute costs"), parts=(SectionPart(tables=(_attributes(found),)),))
    if found.best is not None or found.curve:
        drawn = (curve(found),) if found.curve else ()
        tables = () if found.best is None else (_before_and_after(found), _disclosed(found))
        yield Section("rule", text("What to disclose instead"), parts=(SectionPart(figures=drawn, tables=tables),))
    yield Section(
        "bounds",
        text("Where it is an upper bound"),
        parts=(SectionPart(text=_why_a_bound(), tables=(_bounds(found),)),),
    )


def _dictionaries(found: DisclosureAssessment) -> ReportTable:
    rows = [
        Row(TableCell(dictionary_name(one.risk)), texts([count(one.entries), number(one.risk.value)]))
        for one in found.held
    ]
    if len(found.held) > 1:
        overall = ((unknown_side(found), found.everything.average), (text("at worst"), found.worst.risk.value))
        rows += [Row(TableCell(name), texts(["", number(value)]), "minor") for name, value in overall]
    return ReportTable(text("Risk against each dictionary"), ("", text("entries"), text("risk")), tuple(rows))


def _burdens(found: DisclosureAssessment) -> ReportTable:
    rows = []
    for one in found.held:
        burden = RiskDistribution.of(one.risk)
        numbers = [*burden.found.values(), burden.nowhere, burden.half, burden.never]
        cells = tuple(TableCell(of_all(value, burden.n)) for value in numbers)
        rows.append(Row(TableCell(dictionary_name(one.risk)), cells))
    steps = [
        text("for certain") if rung == "1" else f"≥ {rung}" for rung in RiskDistribution.of(found.worst.risk).found
    ]
    head = ("", *steps, text("no match"), text("bear half the risk"), text("never"))
    note = text(
        "Records by the chance that their person is found: for certain, 1/2 or more, and so on. "
        "Without a match the loss counts as 0. Never: a value is published that must never be, "
        "and an entry matches."
    )
    return ReportTable(text("Who bears it"), head, tuple(rows), note=note)


def _attributes(found: DisclosureAssessment) -> ReportTable:
    now = found.worst.risk.value
    rows = []
    for name, risk in riskiest(found):
        saved = "" if math.isinf(now) or now == 0 else percent((now - risk) / now).replace("-", "−")
        rows.append(Row(TableCell(name), (TableCell(number(risk)), TableCell(saved))))
    note = text(
        "Against {dictionary}, where the risk is {risk}. The riskiest attribute stands first.",
        dictionary=found.worst.risk.dictionary,
        risk=number(now),
    )
    return ReportTable(
        text("Risk if an attribute were withheld of all"), ("", text("risk"), text("less by")), tuple(rows), note=note
    )


def _before_and_after(found: DisclosureAssessment) -> ReportTable:
    names = [dictionary_name(one.risk) for one in found.held]
    names += [text("average"), text("at worst")] if len(names) > 1 else []
    rows = []
    for name, one in choices(found):
        cells = [*(risk.value for risk in one.risks), one.average, one.worst.value]
        rows.append(Row(TableCell(name), texts([number(value) for value in cells[: len(names)]])))
    game = None if found.best is None else worth_drawing(found.best)
    if game is not None:
        cells = [*game.drawn.tolist(), bayes_average(found, game), game.mixed]
        rows.append(Row(TableCell(drawn(game)), texts([number(value) for value in cells[: len(names)]])))
    note = " ".join(sentence(note, found.names) for note in (*_how_good(found), *found.notes))
    return ReportTable(text("Risk by what is disclosed"), ("", *names), tuple(rows), note=note)


def _how_good(found: DisclosureAssessment) -> Iterator[str]:
    best = found.best
    if best is None:
        return
    if best.floor is not None:
        which = {
            "risk": text("the risk against {dictionary}", dictionary=best.floor.dictionary),
            "average": text("the average"),
            "worst": text("the worst"),
        }
        yield (
            text(
                "{rule} makes {risk} least: no other choice of {k} has less",
                rule=best.rule,
                risk=which[best.floor.of],
                k=best.k,
            )
            if best.floor.is_reached
            else lower_bound(best.k, best.floor)
        )
    if best.game is not None and len(found.held) > 1:
        names = [dictionary_name(one.risk) for one in found.held]
        prior = ", ".join(f"{name} {percent(p)}" for name, p in zip(names, best.game.prior.tolist(), strict=True) if p)
        least = number(best.game.mixed)
        yield text(
            "with the prior ({prior}), every rule has an average risk of at least {least}", prior=prior, least=least
        )
        if worth_drawing(best):
            parts = ", ".join(percent(share) for share, _ in best.game.mixture)
            yield (
                text(
                    "{drawing}, with {parts}, has the risk above on average, as long as the dictionary does "
                    "not depend on which is drawn; of rules that draw, none has a lower worst risk",
                    drawing=drawn(best.game),
                    parts=parts,
                )
            )


def _disclosed(found: DisclosureAssessment) -> ReportTable:
    shares = [one.disclosed.mean(axis=0) for _, one in choices(found)]
    rows = [
        Row(TableCell(name), tuple(TableCell(percent(float(share[j]))) for share in shares))
        for j, name in enumerate(found.names)
    ]
    return ReportTable(
        text("Records that disclose each attribute"), ("", *(name for name, _ in choices(found))), tuple(rows)
    )


def _why_a_bound() -> tuple[str, ...]:
    return (
        (
            text(
                "The dictionary of the intruder is rarely at hand. If theirs names all the people of "
                "ours and perhaps more, and tells of each what ours tells or less, the risk against it "
                "is at most the one against ours, whatever is disclosed. That is so only where nothing "
                "below fails."
            )
        ),
    )


def _bounds(found: DisclosureAssessment) -> ReportTable:
    rows = []
    for one in found.held:
        for name, bound in ((text("any such dictionary"), one.bound), *one.bounds):
            holds = text("upper bound") if bound.holds else "; ".join(map(text, bound.fails))
            larger = texts([grown(one, ratio) if bound.holds else "" for ratio in LARGER])
            rows.append(Row(TableCell(dictionary_name(one.risk)), (TableCell(name), TableCell(holds), *larger)))
    head = (
        text("risk against"),
        text("and the one against"),
        text("is"),
        *(text("expected at {n} times the size", n=ratio) for ratio in LARGER),
    )
    return ReportTable(text("Upper bounds"), head, tuple(rows), texts=2)


def sentence(note: str, names: Sequence[str]) -> str:
    """Write a note as a sentence; the name of an attribute with which it begins stays as it is written."""
    first = note.split(":", maxsplit=1)[0].split(" ", maxsplit=1)[0]
    sentence = text(note)
    begun = sentence if first in names else capitalized(sentence)
    return begun if begun.endswith((".", "!", "?")) else f"{begun}."
