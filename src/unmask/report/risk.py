"""The summary of a disclosure risk for a terminal: one screen."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator

import numpy as np

from unmask.decision_risk.assessment import DictionaryRisk, DisclosureAssessment
from unmask.decision_risk.lower_bound import LowerBound
from unmask.decision_risk.risk_distribution import RiskDistribution
from unmask.decision_risk.rules.minimax import MinimaxRule
from unmask.decision_risk.selection import JudgedRule
from unmask.decision_risk.words import so_many
from unmask.report.numbers import bare, count, of_all, percent
from unmask.risk_levels import IDENTIFICATION
from unmask.visible_text import joined

WIDTH = 80
LINES = 24
_NAME, _NUMBER = 30, 12
_MOST = 4  # dictionaries and attributes that are listed one by one

HARM = "harm of what is disclosed × chance that its person is found, averaged over records"
CHANCE = "the chance that the person of a record is found, averaged over records"


def summary(found: DisclosureAssessment, *, weighted: bool = True, footer: str = "") -> str:
    """Return the summary in at most 24 lines of 80 columns; `footer` are the last ones."""
    lines = [line for part in (_now(found, weighted=weighted), _best(found), _bound(found)) for line in part]
    room = LINES - len(footer.splitlines())
    if len(lines) > room:
        lines = [*lines[: room - 1], f"... {len(lines) - room + 1} more lines: ask for a report"]
    lines += footer.splitlines()
    return joined(lines)


def title(found: DisclosureAssessment) -> str:
    """Return the title."""
    n, m = found.everything.disclosed.shape
    return f"What it costs to disclose {m} attribute{'s'[: m != 1]} of {so_many(n)}"


def grown(held: DictionaryRisk, ratio: float) -> str:
    """Return the expected risk against a dictionary some times as large; empty where not computed."""
    risk = held.growth.risk[held.growth.ratio == ratio]
    return number(float(risk[0])) if risk.size else ""


def number(value: float) -> str:
    """Write a risk."""
    return "infinite" if math.isinf(value) else bare(value, "number")


def unknown_side(found: DisclosureAssessment) -> str:
    """Return how the average over dictionaries was taken."""
    share = found.prior
    if np.allclose(share, share[0]):
        return "average, all equally likely"
    return "average, held with " + ", ".join(percent(part, short=True) for part in share.tolist())


def _now(found: DisclosureAssessment, *, weighted: bool) -> Iterator[str]:
    n = found.everything.disclosed.shape[0]
    yield from _wrapped(title(found))
    yield from _wrapped(f"risk: {HARM if weighted else CHANCE}", 2)
    yield _row("against", "entries", "risk", "found", "no match")
    for held in _listed(found):
        burden = RiskDistribution.of(held.risk)
        numbers = number(held.risk.value), percent(burden.found["1"] / max(n, 1), short=True), count(burden.nowhere)
        yield _row(held.risk.dictionary, count(held.entries), *numbers)
    if len(found.held) > _MOST:
        yield f"and {len(found.held) - _MOST} more"
    if len(found.held) > 1:
        yield _row(unknown_side(found), "", number(found.everything.average))
    worst = found.worst
    burden = RiskDistribution.of(worst.risk)
    text = [f"found with a chance of 1: {of_all(burden.found['1'], n)}"]
    text += [f"of {rung} or more: {count(burden.found[rung])}" for rung in IDENTIFICATION if rung != "1"]
    yield from _wrapped(f"Records, against {worst.risk.dictionary}: {'; '.join(text)}")
    if burden.never:
        yield from _wrapped(f"of {so_many(burden.never)} a value is shown that must never be, and somebody fits", 2)
    elif burden.half:
        yield from _wrapped(f"{of_all(burden.half, n)} of them bear half of the risk", 2)
    yield from _wrapped(f"Risk if an attribute were withheld: {_attributes(found)}")


def riskiest(found: DisclosureAssessment) -> list[tuple[str, float]]:
    """Return attributes and the risk if each were withheld, against the worst dictionary; the riskiest first."""
    withheld = found.worst.withheld
    return [(found.names[j], float(withheld[j])) for j in np.argsort(withheld, kind="stable").tolist()]


def _attributes(found: DisclosureAssessment) -> str:
    ranked = riskiest(found)
    text = ", ".join(f"{name} {number(value)}" for name, value in ranked[:_MOST])
    return text + (f", and {len(ranked) - _MOST} more" if len(ranked) > _MOST else "")


def choices(found: DisclosureAssessment) -> Iterator[tuple[str, JudgedRule]]:
    """Yield the choices to compare, with their titles."""
    yield "everything", found.everything
    if found.best is not None:
        if found.random is not None:
            yield f"any {found.best.k}, drawn once", found.random
        yield f"{found.best.k} by {found.best.rule}", found.best
        if found.least is not None:
            yield f"{found.least.k} at least risk (exact)", found.least


def worth_drawing(choice: JudgedRule) -> MinimaxRule | None:
    """Return the randomized rule, where its risk differs from the single rule's."""
    game = choice.game
    return game if game is not None and game.drawing_helps and number(game.mixed) != number(game.worst) else None


def drawn(game: MinimaxRule) -> str:
    """Return the number of rules in the mixture as text."""
    return f"drawing among {len(game.mixture)} rules"


def bayes_average(found: DisclosureAssessment, game: MinimaxRule) -> float:
    """Return the risk of drawing, over dictionaries by their probabilities."""
    held = found.prior > 0
    return float(found.prior[held] @ game.drawn[held])


def lower_bound(k: int, floor: LowerBound) -> str:
    """Return the lower bound on the risk of any choice, with the gap."""
    which = {"risk": "risk", "average": "average risk", "worst": "worst risk"}[floor.of]
    less = "" if math.isinf(floor.gap) else f", {number(floor.gap)} less at most"
    return f"no choice of {k} has a {which} below {number(floor.bound)}{less}"


def _best(found: DisclosureAssessment) -> Iterator[str]:
    best = found.best
    if best is None:
        return
    several = len(found.held) > 1
    yield _row(f"Disclosing {best.k} of {len(found.names)}", "worst risk", *(["average"] if several else []))
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
    text = ", ".join(f"{found.names[j]} {percent(float(share[j]), short=True)}" for j in order)
    yield from _wrapped(f"disclosed most often: {text}", 2)


def _bound(found: DisclosureAssessment) -> Iterator[str]:
    for held in _listed(found):
        name = held.risk.dictionary
        if held.bound.holds:
            twice, ten = (grown(held, ratio) for ratio in (2, 10))
            text = "upper bound for any dictionary with all these people and no more attributes"
            text += f"; twice as large: {twice} expected, ten times: {ten}" if twice and ten else ""
            yield from _wrapped(f"{name}: {text}")
        else:
            yield from _wrapped(f"{name}: no upper bound: {'; '.join(held.bound.fails)}")


def _listed(found: DisclosureAssessment) -> list[DictionaryRisk]:
    """Return the dictionaries that the screen has room for, the worst among them."""
    kept = list(found.held[:_MOST])
    return kept if found.worst in kept else [*kept[:-1], found.worst]


def _row(name: str, *numbers: str) -> str:
    short = name if len(name) < _NAME else f"{name[: _NAME - 4]}..."
    return f"{short:<{_NAME}}" + "".join(f"{text:>{_NUMBER}}" for text in numbers)


def _wrapped(text: str, indent: int = 0) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=" " * indent, subsequent_indent="  ")
