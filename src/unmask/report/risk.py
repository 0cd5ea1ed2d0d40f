"""The summary of a disclosure risk for a terminal: one screen."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator

import numpy as np

from unmask.decision_risk.assessment import DictionaryRisk, DisclosureAssessment
from unmask.decision_risk.disclosure_risk import Risk
from unmask.decision_risk.lower_bound import LowerBound
from unmask.decision_risk.risk_distribution import RiskDistribution
from unmask.decision_risk.rules.minimax import MinimaxRule
from unmask.decision_risk.selection import JudgedRule
from unmask.number_format import numeral
from unmask.report.numbers import bare, count, of_all, percent
from unmask.risk_levels import IDENTIFICATION
from unmask.visible_text import joined
from unmask.wording import Message, marked, plural, text

WIDTH = 80
LINES = 24
_NAME, _NUMBER = 30, 12
_MOST = 4  # dictionaries and attributes that are listed one by one

HARM = marked("harm of what is disclosed × chance that its person is found, averaged over records")
CHANCE = marked("the chance that the person of a record is found, averaged over records")


def summary(found: DisclosureAssessment, *, weighted: bool = True, footer: str = "") -> str:
    """Return the summary in at most 24 lines of 80 columns; `footer` are the last ones."""
    lines = [line for part in (_now(found, weighted=weighted), _best(found), _bound(found)) for line in part]
    room = LINES - len(footer.splitlines())
    if len(lines) > room:
        lines = [*lines[: room - 1], text("... {n} more lines: ask for a report", n=len(lines) - room + 1)]
    lines += footer.splitlines()
    return joined(lines)


def title(found: DisclosureAssessment) -> str:
    """Return the title."""
    n, m = found.everything.disclosed.shape
    return plural(
        "What it costs to disclose {n} attribute of {records}",
        "What it costs to disclose {n} attributes of {records}",
        m,
        n=m,
        records=records(n),
    )


def records(n: int) -> str:
    """Write a number of records with the noun."""
    return plural("{n} record", "{n} records", n, n=numeral(n))


def dictionary_name(risk: Risk) -> str:
    """Return the name of a dictionary: that of a file, or the words for the table itself."""
    return risk.dictionary.translated() if isinstance(risk.dictionary, Message) else risk.dictionary


def grown(held: DictionaryRisk, ratio: float) -> str:
    """Return the expected risk against a dictionary some times as large; empty where not computed."""
    risk = held.growth.risk[held.growth.ratio == ratio]
    return number(float(risk[0])) if risk.size else ""


def number(value: float) -> str:
    """Write a risk."""
    return text("infinite") if math.isinf(value) else bare(value, "number")


def unknown_side(found: DisclosureAssessment) -> str:
    """Return how the average over dictionaries was taken."""
    share = found.prior
    if np.allclose(share, share[0]):
        return text("average, all equally likely")
    return text("average, held with {shares}", shares=", ".join(percent(part, short=True) for part in share.tolist()))


def _now(found: DisclosureAssessment, *, weighted: bool) -> Iterator[str]:
    n = found.everything.disclosed.shape[0]
    yield from _wrapped(title(found))
    yield from _wrapped(text("risk: {meaning}", meaning=text(HARM if weighted else CHANCE)), 2)
    yield _row(text("against"), text("entries"), text("risk"), text("found"), text("no match"))
    for held in _listed(found):
        burden = RiskDistribution.of(held.risk)
        numbers = number(held.risk.value), percent(burden.found["1"] / max(n, 1), short=True), count(burden.nowhere)
        yield _row(dictionary_name(held.risk), count(held.entries), *numbers)
    if len(found.held) > _MOST:
        yield text("and {n} more", n=len(found.held) - _MOST)
    if len(found.held) > 1:
        yield _row(unknown_side(found), "", number(found.everything.average))
    worst = found.worst
    burden = RiskDistribution.of(worst.risk)
    found_there = [text("found with a chance of 1: {n}", n=of_all(burden.found["1"], n))]
    found_there += [
        text("of {chance} or more: {n}", chance=rung, n=count(burden.found[rung]))
        for rung in IDENTIFICATION
        if rung != "1"
    ]
    yield from _wrapped(
        text("Records, against {dictionary}: {found}", dictionary=worst.risk.dictionary, found="; ".join(found_there))
    )
    if burden.never:
        yield from _wrapped(
            text("of {records} a value is shown that must never be, and somebody fits", records=records(burden.never)),
            2,
        )
    elif burden.half:
        yield from _wrapped(text("{n} of them bear half of the risk", n=of_all(burden.half, n)), 2)
    yield from _wrapped(text("Risk if an attribute were withheld: {attributes}", attributes=_attributes(found)))


def riskiest(found: DisclosureAssessment) -> list[tuple[str, float]]:
    """Return attributes and the risk if each were withheld, against the worst dictionary; the riskiest first."""
    withheld = found.worst.withheld
    return [(found.names[j], float(withheld[j])) for j in np.argsort(withheld, kind="stable").tolist()]


def _attributes(found: DisclosureAssessment) -> str:
    ranked = riskiest(found)
    first = ", ".join(f"{name} {number(value)}" for name, value in ranked[:_MOST])
    if len(ranked) <= _MOST:
        return first
    return text("{first}, and {n} more", first=first, n=len(ranked) - _MOST)


def choices(found: DisclosureAssessment) -> Iterator[tuple[str, JudgedRule]]:
    """Yield the choices to compare, with their titles."""
    yield text("everything"), found.everything
    if found.best is not None:
        if found.random is not None:
            yield text("any {k}, drawn once", k=found.best.k), found.random
        yield text("{k} by {rule}", k=found.best.k, rule=found.best.rule), found.best
        if found.least is not None:
            yield text("{k} at least risk (exact)", k=found.least.k), found.least


def worth_drawing(choice: JudgedRule) -> MinimaxRule | None:
    """Return the randomized rule, where its risk differs from the single rule's."""
    game = choice.game
    return game if game is not None and game.drawing_helps and number(game.mixed) != number(game.worst) else None


def drawn(game: MinimaxRule) -> str:
    """Return the number of rules in the mixture as text."""
    return text("drawing among {n} rules", n=len(game.mixture))


def bayes_average(found: DisclosureAssessment, game: MinimaxRule) -> float:
    """Return the risk of drawing, over dictionaries by their probabilities."""
    held = found.prior > 0
    return float(found.prior[held] @ game.drawn[held])


def lower_bound(k: int, floor: LowerBound) -> str:
    """Return the lower bound on the risk of any choice, with the gap."""
    values = {"k": k, "bound": number(floor.bound), "gap": number(floor.gap)}
    if math.isinf(floor.gap):
        return {
            "risk": text("no choice of {k} has a risk below {bound}", **values),
            "average": text("no choice of {k} has an average risk below {bound}", **values),
            "worst": text("no choice of {k} has a worst risk below {bound}", **values),
        }[floor.of]
    return {
        "risk": text("no choice of {k} has a risk below {bound}, {gap} less at most", **values),
        "average": text("no choice of {k} has an average risk below {bound}, {gap} less at most", **values),
        "worst": text("no choice of {k} has a worst risk below {bound}, {gap} less at most", **values),
    }[floor.of]


def _best(found: DisclosureAssessment) -> Iterator[str]:
    best = found.best
    if best is None:
        return
    several = len(found.held) > 1
    yield _row(
        text("Disclosing {k} of {n}", k=best.k, n=len(found.names)),
        text("worst risk"),
        *([text("average")] if several else []),
    )
    for name, one in choices(found):
        yield _row(f"  {name}", number(one.worst.value), *([number(one.average)] if several else []))
    game = worth_drawing(best)
    if game is not None:
        average = bayes_average(found, game)
        yield _row(f"  {drawn(game)}", number(game.mixed), *([number(average)] if several else []))
    if best.floor is not None and not best.floor.is_reached:
        yield from _wrapped(lower_bound(best.k, best.floor), 2)
    share = best.disclosed.mean(axis=0)
    order = np.argsort(-share, kind="stable")[:_MOST].tolist()
    often = ", ".join(f"{found.names[j]} {percent(float(share[j]), short=True)}" for j in order)
    yield from _wrapped(text("disclosed most often: {attributes}", attributes=often), 2)


def _bound(found: DisclosureAssessment) -> Iterator[str]:
    for held in _listed(found):
        name = dictionary_name(held.risk)
        if held.bound.holds:
            twice, ten = (grown(held, ratio) for ratio in (2, 10))
            bound = text("upper bound for any dictionary with all these people and no more attributes")
            if twice and ten:
                bound = text(
                    "{bound}; twice as large: {twice} expected, ten times: {ten}", bound=bound, twice=twice, ten=ten
                )
            yield from _wrapped(f"{name}: {bound}")
        else:
            yield from _wrapped(
                text(
                    "{dictionary}: no upper bound: {reasons}",
                    dictionary=name,
                    reasons="; ".join(map(text, held.bound.fails)),
                )
            )


def _listed(found: DisclosureAssessment) -> list[DictionaryRisk]:
    """Return the dictionaries that the screen has room for, the worst among them."""
    kept = list(found.held[:_MOST])
    return kept if found.worst in kept else [*kept[:-1], found.worst]


def _row(name: str, *numbers: str) -> str:
    short = name if len(name) < _NAME else f"{name[: _NAME - 4]}..."
    return f"{short:<{_NAME}}" + "".join(f"{number:>{_NUMBER}}" for number in numbers)


def _wrapped(text: str, indent: int = 0) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=" " * indent, subsequent_indent="  ")
